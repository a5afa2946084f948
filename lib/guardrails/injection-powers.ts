// What an injection does to a pod beyond what is free. Both pods are gone through together, once: what they share by reference is
// skipped, what only the injected one has is judged by the table of fields, and any other difference is closed. Pure.
import {
  entryOf,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  objectOf,
  objectsOf,
  textOf,
  valueAt,
} from "@outrigger/base";
import {
  ADDED_TO_AUTHOR,
  AGENT_PATHS,
  CLOSED,
  FIELDS,
  type Fields,
  NO_FIELDS,
  type Power,
  REMOVED,
  REWRITTEN,
  type Rule,
  ruleOf,
} from "./fields.ts";
import {
  close,
  fieldName,
  isNothing,
  judgeAdded,
  nameIn,
  nameOf,
  type Options,
  report,
  text,
  type Value,
  type Walk,
} from "./judge-added.ts";
import { leftOpen } from "./levels.ts";
import { matchesPattern } from "./parse-guardrails.ts";
import { powerText } from "./violation.ts";

/**
 * Everything that an injection adds or changes and that is not free, whatever the guardrails allow of it.
 *
 * @param author the pod without an earlier injection
 */
export function injectionPowers(author: JsonObject, injected: JsonObject, options: Options = {}): readonly Power[] {
  const [was, is] = [objectOf(author["spec"]), objectOf(injected["spec"])];
  const of: Walk = { was, is, options, container: undefined, at: [], found: [] };
  compareFields({ metadata: {}, spec: {}, ...author }, injected, POD, of);
  return of.found.map((power) => placed(power, injected));
}

const [POD, VOLUMES, CONTAINERS, ANNOTATIONS] = ["pod", "volumes", "containers", "annotations"].map(
  (holder) => FIELDS.get(holder) ?? NO_FIELDS,
) as [Fields, Fields, Fields, Fields];

const CONTAINER: Rule = { kind: "", harmless: [], fields: CONTAINERS };

/** Judges what differs in an object that both have. */
function compareFields(was: JsonObject, is: JsonObject, fields: Fields, of: Walk): void {
  for (const key of differing(was, is)) {
    const before = entryOf(was, key);
    const after = entryOf(is, key);
    const rule = ruleOf(fields, key);
    if (before === undefined && isNothing(after, rule)) continue;
    of.at.push(key);
    compare(before, after, rule, of, fields === ANNOTATIONS);
    of.at.pop();
  }
}

/** The keys whose values are not the same by reference. Hardly ever is one gone. */
function differing(was: JsonObject, is: JsonObject): readonly string[] {
  const keys: string[] = [];
  let left = 0;
  for (const _ in was) left += 1;
  for (const key in is) {
    if (is[key] !== was[key]) keys.push(key);
    if (Object.hasOwn(was, key)) left -= 1;
  }
  if (left > 0) for (const key in was) if (!Object.hasOwn(is, key)) keys.push(key);
  return keys;
}

function compare(before: Value, after: Value, rule: Rule, of: Walk, isAnnotation: boolean): void {
  const isFree = rule.kind === "";
  if (rule.fields === CONTAINERS) compareContainers(before, after, of);
  else if (before === undefined && after !== undefined) judgeAdded(after, rule, of);
  else if (isFree && isObject(before) && isObject(after)) compareFields(before, after, rule.fields, of);
  else if (isFree && Array.isArray(before) && Array.isArray(after)) compareItems(before, after, rule, of);
  else if (!jsonEqual(before, after) && !(isAnnotation && isOfIstio(String(of.at.at(-1)), after)))
    if (isFree || rule === CLOSED || after === undefined || !report(rule, after, of)) close(of);
}

/** What Istio itself does to annotations of an author's. */
function isOfIstio(key: string, after: Value): boolean {
  return (after === undefined ? REMOVED : REWRITTEN).some((pattern) => matchesPattern(pattern, key));
}

function deleted(what: string, item: Value, of: Walk): void {
  of.found.push({ kind: "deletion", value: `${what} ${nameIn(item)}`, at: [...of.at], effect: "author-changed" });
}

/** A power by where it is in a pod: what it is of, how its field is called, and its class. */
function placed(power: Power, pod: JsonObject): Power {
  const { kind, at } = power;
  const list = at[0] === "spec" ? String(at[1]) : "";
  const name = nameIn(valueAt(pod, at.slice(0, 3))) || undefined;
  const { container = LISTS.includes(list) ? name : undefined } = power;
  const { volume = list === "volumes" ? name : undefined } = power;
  if (kind !== "field") return { ...power, container, volume };
  const own = list === "volumes" || LISTS.includes(list) ? "privileges-widened" : "pod-may-not-run";
  const { effect = list === "" ? "author-changed" : own } = power;
  return { ...power, container, volume, effect, value: fieldName(pod, at) };
}

/** Judges the items of a list that has them by name, whatever their order. */
function compareItems(before: readonly JsonValue[], after: readonly JsonValue[], rule: Rule, of: Walk): void {
  const names = before.map(nameIn);
  const namesAfter = after.map(nameIn);
  for (let index = 0; index < after.length; index++) {
    const item = after[index];
    const mine = before[placeOf(item, before, names)];
    if (mine === item) continue;
    of.at.push(index);
    if (!isObject(item)) close(of);
    else if (mine === undefined) judgeAdded(item, rule, of);
    else compareOwned(objectOf(mine), item, undefined, of);
    of.at.pop();
  }
  for (const item of before) {
    if (placeOf(item, after, namesAfter) !== -1) continue;
    if (rule.fields === VOLUMES) deleted("volume", item, of);
    else close(of);
  }
}

/** Where an item is in a list, or the one that has its name: those of the list are given. */
function placeOf(item: Value, list: readonly JsonValue[], names: readonly string[]): number {
  const at = list.indexOf(item as JsonValue);
  const name = at === -1 ? nameIn(item) : "";
  return name === "" ? at : names.indexOf(name);
}

const LISTS: readonly string[] = ["initContainers", "containers", "ephemeralContainers"];

/** Containers that an author may write to change what is injected, and leaves the rest to the injection. */
const ISTIO_CONTAINERS: readonly string[] = ["istio-proxy", "istio-init", "istio-validation", "enable-core-dump"];

/** A container without an image, or with `auto`, asks for the injected one. */
function isInjected(name: string, mine: Value): boolean {
  const { image = "auto" } = objectOf(mine);
  return ISTIO_CONTAINERS.includes(name) || image === "auto";
}

/** The author's containers are there, in the order in which they start. */
function compareContainers(was: Value, is: Value, of: Walk): void {
  const before = listOf(was);
  const after = listOf(is);
  const names = before.map(nameIn);
  const namesAfter = after.map(nameIn);
  if (!Array.isArray(is) && (is ?? undefined) !== undefined) close(of);
  let last = -1;
  for (let index = 0; index < after.length; index++) {
    const container = after[index];
    const place = placeOf(container, before, names);
    const mine = before[place];
    const name = namesAfter[index] ?? "";
    of.at.push(index);
    if (place !== -1 && !ISTIO_CONTAINERS.includes(name)) {
      if (place < last) close(of);
      last = place;
    }
    const theirs = mine ?? containerNamed(of.was, container);
    if (!isObject(container)) close(of);
    else if (mine !== container && isInjected(name, theirs)) judgeOwn(name, theirs, container, of);
    else if (mine !== container && isObject(mine)) compareOwned(mine, container, name, of);
    of.at.pop();
  }
  for (const item of before) {
    if (placeOf(item, after, namesAfter) !== -1) continue;
    if (containerNamed(of.is, item) === undefined) deleted("container", item, of);
    else if (!isInjected(nameIn(item), item)) close(of);
  }
}

function containerNamed(spec: JsonObject, item: Value): Value {
  const name = nameIn(item);
  for (const list of LISTS)
    for (const each of listOf(spec[list])) if (each === item || (name !== "" && nameIn(each) === name)) return each;
  return undefined;
}

/** Judges what a container is given that is the injection's own, beyond what its author has written. */
function judgeOwn(container: string, mine: Value, now: JsonObject, of: Walk): void {
  const { isStrict } = of.options;
  const found = powersOf(now, of.is, of, container, of.options);
  if (found.length === 0) return;
  const known = isObject(mine)
    ? powersOf(mine, of.was, of, container, { isStrict: isStrict === true }).map((power) => said(power, mine))
    : [];
  for (const power of found)
    if (!known.includes(said(power, now))) of.found.push({ ...power, at: [...of.at, ...power.at] });
}

function said(power: Power, container: JsonObject): string {
  return power.kind === "field" ? fieldName(container, power.at) : powerText(power);
}

/** @param spec that the container is in */
function powersOf(
  own: JsonObject,
  spec: JsonObject,
  { was, is }: Walk,
  container: string,
  options: Options,
): readonly Power[] {
  const of: Walk = { was, is, options, container, at: [], found: [] };
  judgeAdded(own, CONTAINER, of);
  if (options.isStrict === true) for (const power of leftOpen(own, spec)) of.found.push({ ...power, container });
  // Volumes of the author's are not the injection's to share.
  const volumes = listOf(was["volumes"]);
  const names = volumes.map(nameIn);
  const mounts = volumes.length === 0 ? volumes : listOf(own["volumeMounts"]);
  for (let index = 0; index < mounts.length; index++) {
    const volume = volumes[placeOf(mounts[index], volumes, names)];
    if (!isObject(volume) || isFreeToShare(volume)) continue;
    const shared: Walk = { was, is, options: {}, container, at: [], found: [] };
    judgeAdded(volume, VOLUME, shared);
    const place = { at: ["volumeMounts", index], volume: nameIn(volume), effect: "identity-used" } as const;
    for (const { kind, value } of shared.found) {
      const power: Power = { kind, value, container, ...place };
      if (kind === "field" || options.isAdmitted?.(power) !== true) of.found.push(power);
    }
  }
  return of.found;
}

const VOLUME: Rule = { kind: "", harmless: [], fields: VOLUMES };

/** Whether another container may have a volume of the author's too. */
function isFreeToShare(volume: JsonObject): boolean {
  return volume["emptyDir"] !== undefined;
}

const PROBES: readonly string[] = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];
const HOOKS: readonly string[] = ["postStart", "preStop"];
const HANDLERS: readonly string[] = ["exec", "grpc", "httpGet", "tcpSocket"];

/** Judges what differs in an item of the author's: all of it is closed, but for the few things that an injection does to containers. */
function compareOwned(mine: JsonObject, now: JsonObject, container: string | undefined, of: Walk): void {
  for (const key of differing(mine, now)) {
    const before = entryOf(mine, key);
    const after = entryOf(now, key);
    of.at.push(key);
    if (container !== undefined && Object.hasOwn(ADDED_TO_AUTHOR, key)) {
      compareAdditions(key, listOf(before), listOf(after), of);
    } else if (!jsonEqual(before ?? [], after ?? [])) {
      if (container === undefined || !PROBES.includes(key) || !isOfAgent(before, after, container)) close(of);
    }
    of.at.pop();
  }
}

/** The author's items must be there, in their order; others may be between them. */
function compareAdditions(field: string, before: readonly JsonValue[], after: readonly JsonValue[], of: Walk): void {
  let next = 0;
  for (let index = 0; index < after.length; index++) {
    const item = after[index];
    if (next < before.length && jsonEqual(before[next], item)) {
      next += 1;
      continue;
    }
    const isNew = before.every((each) => nameOf(each) !== nameOf(item));
    of.at.push(index);
    if (isNew && isKnownAddition(field, item, of.was["volumes"])) judgeAdded(item, ruleOf(CONTAINERS, field), of);
    else close(of);
    of.at.pop();
  }
  if (next < before.length) close(of);
}

function isKnownAddition(field: string, item: Value, volumes: Value): boolean {
  const key = text(nameOf(item));
  const isNamed = ADDED_TO_AUTHOR[field]?.some((pattern) => matchesPattern(pattern, key.replace(/\/$/, "")));
  if (isNamed !== true || key.includes("..")) return false;
  const { name } = objectOf(item);
  return field === "env" || objectsOf(volumes).every((each) => each["name"] !== name || isFreeToShare(each));
}

/** Whether only the handlers differ, and those that do ask the agent. */
function isOfAgent(before: Value, after: Value, container: string): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  let isHandler = false;
  for (const key of differing(before, after)) {
    const own = entryOf(before, key);
    const now = entryOf(after, key);
    if (jsonEqual(own, now)) continue;
    if (HANDLERS.includes(key) && (key === "httpGet" || now === undefined)) isHandler = true;
    else if (!HOOKS.includes(key) || !isOfAgent(own, now, container)) return false;
  }
  if (!isHandler) return true;
  const { path, host } = objectOf(after["httpGet"]);
  const asked = textOf(path) ?? "";
  const start = AGENT_PATHS.find((each) => asked.startsWith(each));
  if (start === undefined || !asked.startsWith(`${container}/`, start.length)) return false;
  return host === objectOf(before["httpGet"])["host"];
}
