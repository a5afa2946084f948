// What an injection does to a pod beyond what is free. Both pods are gone through together, once: what they share by reference is
// skipped, what only the injected one has is judged by the table of fields, and any other difference is closed. Pure.
import {
  defined,
  entryOf,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  lookup,
  objectOf,
  objectsOf,
  valueAt,
} from "@outrigger/base";
import { containersOf, isDefaulted } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";
import { CLOSED, CONTAINER, POD, REMOVED, REWRITTEN, type Rule, ruleOf, VOLUME } from "./fields.ts";
import {
  close,
  compareOwned,
  differing,
  isNothing,
  judgeAdded,
  nameIn,
  nameOf,
  type Options,
  report,
  text,
  type Value,
  type Walk,
} from "./judge-difference.ts";
import { judgeProxy } from "./judge-proxy.ts";
import { isMetadata } from "./kinds.ts";
import { leftOpen } from "./levels.ts";
import { matchesPattern } from "./patterns.ts";
import type { Power } from "./power.ts";

/**
 * Everything that an injection adds or changes and that is not free, whatever the guardrails allow of it.
 *
 * @param author the pod without an earlier injection
 * @param isAsked whether a power is left out, by its kind, container, volume and word
 */
export function injectionPowers(
  author: JsonObject,
  injected: JsonObject,
  options: Options = {},
  isAsked: (power: Power) => boolean = () => false,
): readonly Power[] {
  const [was, is] = [objectOf(author["spec"]), objectOf(injected["spec"])];
  const of: Walk = {
    was,
    is,
    options,
    free: options.free?.(NOTHING),
    container: undefined,
    needs: NOTHING,
    at: [],
    found: [],
  };
  compareFields({ metadata: {}, spec: {}, ...author }, injected, POD, of);
  const powers: Power[] = [];
  for (const each of of.found) {
    const power = placed(each, injected);
    if (!isAsked(power)) powers.push(described(power, injected));
  }
  return powers;
}

const NOTHING: readonly string[] = [];

function compareFields(was: JsonObject, is: JsonObject, { fields }: Rule, of: Walk): void {
  for (const key of differing(was, is)) {
    const before = entryOf(was, key);
    const after = entryOf(is, key);
    const rule = ruleOf(fields, key);
    if (before === undefined && isNothing(after, rule)) continue;
    of.at.push(key);
    compare(before, after, rule, of);
    of.at.pop();
  }
}

function compare(before: Value, after: Value, rule: Rule, of: Walk): void {
  const isFree = rule.kind === "";
  const isOwn = of.container !== undefined;
  const isDefault = before !== undefined && after !== undefined && !isOwn && isDefaulted(of.at, before);
  // What the API server filled in is not the author's.
  if (isDefault) compare(undefined, after, rule, of);
  else if (rule.fields === CONTAINER.fields) compareContainers(before, after, of);
  else if (before === undefined && after !== undefined) judgeAdded(after, rule, of);
  else if (isFree && isObject(before) && isObject(after)) compareFields(before, after, rule, of);
  else if (rule.kind !== "field" && Array.isArray(before) && Array.isArray(after))
    compareItems(before, after, rule, of);
  else if (jsonEqual(before, after) || isOfIstio(of.at, after) || (isOwn && after === undefined)) return;
  else if (isOwn && isFree) judgeAdded(after, rule, of);
  else if (
    (rule === CLOSED && !isOwn) ||
    isFree ||
    isMetadata(rule.kind) ||
    after === undefined ||
    !report(rule, after, of)
  )
    close(of);
}

/** Whether Istio itself does this to annotations of an author's. */
function isOfIstio([, list, key]: FieldPath, after: Value): boolean {
  const known = after === undefined ? REMOVED : REWRITTEN;
  return list === "annotations" && known.some((pattern) => matchesPattern(pattern, String(key)));
}

/** A power by where it is in a pod: the container or volume that it is of. */
function placed(power: Power, pod: JsonObject): Power {
  const { at } = power;
  const list = listAt(at);
  const name = () => nameIn(valueAt(pod, at.slice(0, 3))) || undefined;
  const { container = LISTS.includes(list) ? name() : undefined } = power;
  const { volume = list === "volumes" ? name() : undefined } = power;
  return { ...power, container, volume };
}

/** A power in its place, with who has it, or how its field is called and its class. */
function described(power: Power, pod: JsonObject): Power {
  const { kind, at, container, volume } = power;
  const list = listAt(at);
  if (kind !== "field") {
    const holders = holdersIn(pod, container, list === "volumes" ? volume : undefined);
    return { ...power, ...defined({ holders }) };
  }
  const own = list === "volumes" || LISTS.includes(list) ? "privileges-widened" : "pod-may-not-run";
  const { effect = list === "" ? "author-changed" : own } = power;
  return { ...power, effect, value: fieldName(pod, at) };
}

/** The field of the pod's spec that something is in; empty for what is elsewhere. */
function listAt(at: FieldPath): string {
  return at[0] === "spec" ? String(at[1]) : "";
}

/** The containers that have a power: those of its name, or those that mount its volume. */
function holdersIn({ spec }: JsonObject, container: string | undefined, volume: string | undefined) {
  if (container === undefined && volume === undefined) return undefined;
  const isHolder = (each: JsonObject) =>
    volume === undefined
      ? nameIn(each) === container
      : objectsOf(each["volumeMounts"]).some((mount) => nameIn(mount) === volume);
  return containersOf(spec)
    .filter(isHolder)
    .map((each) => ({ container: nameIn(each), image: text(each["image"]) }));
}

/** `spec.containers[web].env[A]`, `spec.containers[web].args[--domain]` */
function fieldName(root: JsonObject, at: FieldPath): string {
  let value: Value = root;
  let name = "";
  for (const step of at) {
    value = valueAt(value, [step]);
    if (typeof step === "number") name += `[${nameOf(value) ?? flagIn(value) ?? step}]`;
    else name += /^[\w-]+$/.test(step) ? `${name === "" ? "" : "."}${step}` : `[${step}]`;
  }
  return name;
}

/** An argument by its flag, wherever it is. */
function flagIn(value: Value): string | undefined {
  return /^--?[\w-]+/.exec(text(value))?.[0];
}

/**
 * Judges the items of a list that has them by name, whatever their order. What an author wrote for the injection's own container may
 * have no name: it is found by its port or path, or as a whole.
 */
function compareItems(before: readonly JsonValue[], after: readonly JsonValue[], rule: Rule, of: Walk): void {
  const isOwn = of.container !== undefined;
  const places = placesIn(before, after, isOwn ? (item) => text(nameOf(item) ?? item) : nameIn);
  for (let index = 0; index < after.length; index++) {
    const item = after[index];
    const mine = before[places[index] ?? -1];
    if (mine === item) continue;
    of.at.push(index);
    if (!isOwn && !isObject(item)) close(of);
    else if (!isObject(mine) || !isObject(item)) judgeAdded(item, rule, of);
    else if (isOwn) compareFields(mine, item, rule, of);
    else compareOwned(mine, item, undefined, of);
    of.at.pop();
  }
  if (isOwn) return;
  for (const item of missing(before, places))
    close(of, rule.fields === VOLUME.fields ? deletion("volume", item) : undefined);
}

/** Returns the place of each item in another list, found by reference or name; -1 for an item that the list does not have. */
function placesIn(list: readonly JsonValue[], items: readonly JsonValue[], named = nameIn): readonly number[] {
  if (list.length === 0) return [];
  const names = list.map((item) => named(item));
  return items.map((item, index) => {
    const at = item === list[index] ? index : list.indexOf(item);
    const name = at === -1 ? named(item) : "";
    return name === "" ? at : names.indexOf(name);
  });
}

function missing(list: readonly JsonValue[], places: readonly number[]): readonly JsonValue[] {
  const found = lookup(places);
  return list.filter((_, index) => !found.has(index));
}

function deletion(what: string, item: JsonValue) {
  return { kind: "deletion", value: `${what} ${nameIn(item)}` } as const;
}

const LISTS: readonly string[] = ["initContainers", "containers", "ephemeralContainers"];

/** Containers that an author may write to change what is injected, and leaves the rest to the injection. */
const ISTIO_CONTAINERS: readonly string[] = ["istio-proxy", "istio-init", "istio-validation", "enable-core-dump"];

/** A container without an image, or with `auto`, asks for the injected one. */
function isInjected(container: Value, name = nameIn(container)): boolean {
  const { image = "auto" } = objectOf(container);
  return ISTIO_CONTAINERS.includes(name) || image === "auto";
}

/** The author's containers are there, in the order in which they start. */
function compareContainers(was: Value, is: Value, of: Walk): void {
  const before = listOf(was);
  const after = listOf(is);
  const places = placesIn(before, after);
  if (!Array.isArray(is) && (is ?? undefined) !== undefined) close(of);
  let last = -1;
  for (let index = 0; index < after.length; index++) {
    const container = after[index];
    const place = places[index] ?? -1;
    const mine = before[place];
    const name = nameIn(container);
    of.at.push(index);
    if (place !== -1 && !ISTIO_CONTAINERS.includes(name)) {
      if (place < last) close(of);
      last = place;
    }
    if (mine !== container) compareContainer(mine, container, of);
    of.at.pop();
  }
  for (const item of missing(before, places)) {
    if (containerNamed(of.is, nameIn(item)) === undefined) close(of, deletion("container", item));
    else if (!isInjected(item)) close(of);
  }
}

function compareContainer(mine: Value, container: Value, of: Walk): void {
  const name = nameIn(container);
  const theirs = mine ?? containerNamed(of.was, name);
  if (!isObject(container)) close(of);
  else if (isInjected(theirs, name)) judgeOwn(name, theirs, container, of);
  else if (isObject(mine)) compareOwned(mine, container, name, of);
}

const TO_CAPTURE: readonly string[] = ["capability NET_ADMIN", "capability NET_RAW", "root"];
const FOR_TPROXY: readonly string[] = ["capability NET_ADMIN"];

/**
 * What a container of the mesh needs to capture traffic: `istio-init` sets rules as root where no plugin of the node does, and a proxy in
 * TPROXY mode answers for other addresses. Its name gives it nothing else; one that is privileged has every capability already.
 */
function needsOf(name: string, { env, securityContext }: JsonObject, { is, options }: Walk): readonly string[] {
  if (name === "istio-init") {
    const isCaptured = options.isCni === true || containerNamed(is, "istio-validation") !== undefined;
    return isCaptured ? NOTHING : TO_CAPTURE;
  }
  const { capabilities, privileged } = objectOf(securityContext);
  // Nearly every proxy asks for nothing.
  if (name !== "istio-proxy" || !listOf(objectOf(capabilities)["add"]).includes("NET_ADMIN")) return NOTHING;
  if (privileged === true) return FOR_TPROXY;
  const variable = listOf(env).find((each) => nameIn(each) === "ISTIO_META_INTERCEPTION_MODE");
  const mode = objectOf(variable)["value"];
  return mode === "TPROXY" || mode === UNKNOWN ? FOR_TPROXY : NOTHING;
}

function containerNamed(spec: JsonObject, name: string): Value {
  for (const list of LISTS)
    for (const each of listOf(spec[list])) if (name !== "" && nameIn(each) === name) return each;
  return undefined;
}

/** Judges what a container is given that is the injection's own, beyond what its author has written. */
function judgeOwn(container: string, mine: Value, now: JsonObject, walk: Walk): void {
  const needs = needsOf(container, now, walk);
  const of: Walk = { ...walk, free: walk.options.free?.(needs), container, needs };
  const { options, at, found, was, is } = of;
  // In one walk with what is not free, and reported after it.
  const ofProxy: Walk = { ...of, found: [] };
  const isAdded = !isObject(mine);
  if (!isAdded) compareFields(mine, now, CONTAINER, of);
  judgeProxy(container, mine, now, ofProxy, (value, rule) => isAdded && judgeAdded(value, rule, of));
  if (options.isStrict === true) {
    const known = isObject(mine) ? leftOpen(mine, was).map(({ value }) => value) : [];
    for (const power of leftOpen(now, is))
      if (!known.includes(power.value))
        found.push({ ...power, container, at: [...at, ...power.at], isNeeded: needs.includes(power.kind) });
  }
  found.push(...ofProxy.found);
  // Volumes of the author's are not the injection's to share.
  const volumes = lookup(listOf(was["volumes"]), nameIn);
  const shared = listOf(objectOf(mine)["volumeMounts"]).map(nameIn);
  for (const [index, mount] of listOf(now["volumeMounts"]).entries()) {
    const name = nameIn(mount);
    const volume = name === "" ? undefined : volumes.get(name);
    if (!isObject(volume) || volume["emptyDir"] !== undefined || shared.includes(name)) continue;
    const inside: Walk = { ...of, options: {}, free: undefined, found: [] };
    judgeAdded(volume, VOLUME, inside);
    const where = { at: [...at, "volumeMounts", index], volume: name, effect: "identity-used" } as const;
    for (const { kind, value } of inside.found) {
      const power: Power = { kind, value, container, ...where };
      if (kind === "field" || options.isAdmitted?.(power) !== true) found.push(power);
    }
  }
}
