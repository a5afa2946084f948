// Goes down what an injection adds, by the table of fields, and reports what is not free; and what it does to a container or volume of
// the author's, of which all is closed but for the few things that it needs. Pure.
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
} from "@outrigger/base";
import { ADDED_TO_AUTHOR, AGENT_PATHS, CONTAINER, type Rule, ruleOf } from "./fields.ts";
import { isMetadata } from "./kinds.ts";
import { matchesPattern } from "./patterns.ts";
import type { Power } from "./power.ts";
import type { CommandLine } from "./proxy-shape.ts";

export interface Options {
  /** Whether what containers are not kept from counts, as at `restricted`. */
  readonly isStrict?: boolean;
  /** Whether a plugin of the node captures the traffic of pods, so that no container needs to. */
  readonly isCni?: boolean;
  /** Whether a power need not be reported; asked of all kinds but `field`, before the place of the power is known. */
  readonly isAdmitted?: (power: Power) => boolean;
  /** What was found free in a container with such needs, by rule. */
  readonly free?: (needs: readonly string[]) => FreeParts<Rule>;
  /** What is free besides in a container of the mesh with such needs that runs such a command, by field. */
  readonly freeOfMesh?: (needs: readonly string[]) => (line: CommandLine) => FreeParts;
}

/** Frozen parts of releases, and short texts, with nothing to report in any pod. */
export type FreeParts<Key = string> = Map<Key, readonly JsonValue[]>;

/** The state of a walk through both pods: its questions, its place and its findings. */
export interface Walk {
  /** The author's spec, and the injected one. */
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly options: Options;
  /** The injection's own container that it is in. */
  readonly container: string | undefined;
  readonly free: FreeParts<Rule> | undefined;
  /** What that container needs to do what it is for: `capability NET_ADMIN`, `root`. */
  readonly needs: readonly string[];
  readonly at: (string | number)[];
  readonly found: Power[];
}

export type Value = JsonValue | undefined;

/**
 * Reports each field that is not free below a value that only the injected pod has.
 *
 * @returns whether it is frozen through and through, with nothing to report
 */
export function judgeAdded(value: Value, rule: Rule, of: Walk): boolean {
  const isList = Array.isArray(value);
  if (rule.kind !== "" && !(isList && rule.kind !== "field")) {
    const { length } = of.found;
    report(rule, value ?? null, of);
    return length === of.found.length && Object.isFrozen(value);
  }
  if (typeof value !== "object" || value === null) return true;
  if (of.free?.get(rule)?.includes(value) === true) return true;
  let areClean = true;
  if (isList) {
    for (let index = 0; index < value.length; index++) areClean = judgeAt(index, value[index], rule, of) && areClean;
  } else {
    for (const key in value as JsonObject) {
      const inner = (value as JsonObject)[key];
      const own = ruleOf(rule.fields, key);
      if (!isNothing(inner, own)) areClean = judgeAt(key, inner, own, of) && areClean;
    }
  }
  if (!areClean || !Object.isFrozen(value)) return false;
  keepFree(of.free, rule, value);
  return true;
}

/** Keeps a part that was found free. A pod has some twenty of each: they are compared with it one by one, as they are next to each other. */
export function keepFree<Key>(parts: FreeParts<Key> | undefined, key: Key, part: JsonValue): void {
  if (typeof part === "string" && part.length > LONGEST) return;
  parts?.set(key, [part, ...(parts.get(key) ?? [])].slice(0, MOST));
}

/** An image's name with a digest is shorter. */
const LONGEST = 256;

/** A container has fewer; what pods have in common for a while goes again. */
const MOST = 64;

function judgeAt(step: string | number, value: Value, rule: Rule, of: Walk): boolean {
  of.at.push(step);
  const isClean = judgeAdded(value, rule, of);
  of.at.pop();
  return isClean;
}

/** Whether there is nothing to judge in what was added. */
export function isNothing(value: Value, { kind }: Rule): boolean {
  return value === undefined || (kind === "" && typeof value !== "object");
}

/** Returns whether a value is judged by a rule, be it admitted or not. */
export function report({ kind, harmless, effect }: Rule, value: JsonValue, of: Walk): boolean {
  if (kind === "") return false;
  const isNamed = kind === "volumeType" || isMetadata(kind);
  const own = kind === "audience" ? objectOf(value)["audience"] : isNamed ? of.at.at(-1) : value;
  const what = text(own);
  if (harmless.includes(what)) return false;
  // The kind says it already, and a field is named once it is known where it is.
  const isSaid = kind === "field" || (harmless.length > 0 && /^(true|unconfined)$/i.test(what));
  const isNeeded = of.needs.includes(kind) || of.needs.includes(`${kind} ${what}`);
  const power: Power = { kind, value: isSaid ? "" : what, at: [], container: of.container, effect, isNeeded };
  if (kind === "field" || of.options.isAdmitted?.(power) !== true) of.found.push({ ...power, at: [...of.at] });
  return true;
}

/** Reports what is the author's, and now another or gone. */
export function close(of: Walk, power: Pick<Power, "kind" | "value"> = { kind: "field", value: "" }): void {
  of.found.push({ ...power, at: [...of.at], effect: "author-changed" });
}

/** `own`, `/var/run`, `15090` */
export function nameOf(item: Value): Value {
  const { mountPath, containerPort, name } = objectOf(item);
  return mountPath ?? containerPort ?? name;
}

/** Empty for what has none. */
export function nameIn(item: Value): string {
  return isObject(item) ? text(item["name"]) : "";
}

export function text(value: Value): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

const PROBES: readonly string[] = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];
const HOOKS: readonly string[] = ["postStart", "preStop"];
const HANDLERS: readonly string[] = ["exec", "grpc", "httpGet", "tcpSocket"];

/** Judges what differs in an item of the author's: all of it is closed, but for the few things that an injection does to containers. */
export function compareOwned(mine: JsonObject, now: JsonObject, container: string | undefined, of: Walk): void {
  for (const key of differing(mine, now)) {
    const before = entryOf(mine, key);
    const after = entryOf(now, key);
    of.at.push(key);
    if (container !== undefined && Object.hasOwn(ADDED_TO_AUTHOR, key)) {
      compareAdditions(key, listOf(before), listOf(after), of);
    } else if (container === undefined || !PROBES.includes(key) || !isOfAgent(before, after, container)) {
      if (!jsonEqual(before ?? [], after ?? [])) close(of);
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
    if (
      isNew &&
      isKnownAddition(field, item, of.was["volumes"]) &&
      (field !== "env" || isOwnValue(after, index, before))
    )
      judgeAdded(item, ruleOf(CONTAINER.fields, field), of);
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
  return field === "env" || objectsOf(volumes).every((each) => each["name"] !== name || each["emptyDir"] !== undefined);
}

/**
 * Whether a variable takes its value from nothing but the pod and what an injection has written before it: no Secret, no ConfigMap, and
 * no variable of the author's, who may have it from either.
 */
export function isOwnValue(env: readonly JsonValue[], index: number, authors: readonly JsonValue[]): boolean {
  const { value, valueFrom } = objectOf(env[index]);
  const sources = Object.keys(objectOf(valueFrom));
  if (sources.some((source) => source !== "fieldRef" && source !== "resourceFieldRef")) return false;
  // Two dollar signs are one that stands for itself.
  const written = textOf(value) ?? "";
  if (!written.includes("$")) return true;
  const names = [...written.matchAll(/\$\$|\$\(([^)]*)\)/g)].flatMap(([, name]) => name ?? []);
  const place = (list: readonly JsonValue[], name: string) => list.findIndex((each) => nameIn(each) === name);
  return names.every((name) => {
    const at = place(env, name);
    return at !== -1 && at < index && place(authors, name) === -1;
  });
}

/** Whether only the handlers differ, and those that do ask the agent. */
function isOfAgent(before: Value, after: Value, container: string): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  let isHandler = false;
  for (const key of differing(before, after)) {
    const own = entryOf(before, key);
    const now = entryOf(after, key);
    if (HANDLERS.includes(key) && (key === "httpGet" || now === undefined)) isHandler ||= !jsonEqual(own, now);
    else if (!jsonEqual(own, now) && !(HOOKS.includes(key) && isOfAgent(own, now, container))) return false;
  }
  if (!isHandler) return true;
  const { path, host } = objectOf(after["httpGet"]);
  const asked = textOf(path) ?? "";
  const start = AGENT_PATHS.find((each) => asked.startsWith(each));
  if (start === undefined || !asked.startsWith(`${container}/`, start.length)) return false;
  return host === objectOf(before["httpGet"])["host"];
}

/** The keys whose values are not the same by reference. Hardly ever is one gone. */
export function differing(was: JsonObject, is: JsonObject): readonly string[] {
  const keys: string[] = [];
  let gone = 0;
  for (const _ in was) gone += 1;
  for (const key in is) {
    const value = is[key];
    const isSame = value === was[key];
    if (!isSame) keys.push(key);
    if ((isSame && value !== undefined) || Object.hasOwn(was, key)) gone -= 1;
  }
  if (gone > 0) for (const key in was) if (!Object.hasOwn(is, key)) keys.push(key);
  return keys;
}
