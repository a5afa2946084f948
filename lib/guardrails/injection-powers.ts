// What an injection does to a pod beyond what is free, by the difference between the author's pod and the injected one. Pure.
import {
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  objectOf,
  objectsOf,
} from "@outrigger/base";
import {
  type Difference,
  type DifferenceStep,
  diffObjects,
  formatDifferencePath,
  formatFieldPath,
} from "@outrigger/pod";
import { ADDED_TO_AUTHOR, AGENT_PATHS, FIELDS, type FieldEffect, REMOVED, REWRITTEN } from "./fields.ts";
import { matchesPattern } from "./parse-guardrails.ts";
import { annotatedPowers, grantedPowers, leftOpen, type Power, podPowers, powerText, text } from "./powers.ts";

/** A container and where it is. */
export interface Place {
  readonly container: JsonObject;
  readonly steps: FieldPath;
}

/** By name, which is unique in a pod. */
export type Places = ReadonlyMap<string, Place>;

interface Judging {
  readonly injected: JsonObject;
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly before: Places;
  readonly after: Places;
  readonly found: Power[];
}

/**
 * Everything that an injection adds or changes and that is not free, whatever the guardrails allow of it.
 *
 * @param author the pod without an earlier injection
 * @param isStrict whether what containers are not kept from counts, as at `restricted`
 */
export function injectionPowers(author: JsonObject, injected: JsonObject, isStrict = false): readonly Power[] {
  const [was, is] = [objectOf(author["spec"]), objectOf(injected["spec"])];
  const [before, after] = [containersOf(was), containersOf(is)];
  const judging: Judging = { injected, was, is, before, after, found: [] };
  for (const [name, place] of after) {
    const mine = before.get(name);
    if (mine?.container === place.container || !isInjected(name, mine?.container)) continue;
    const known = new Set(mine && containerPowers(name, mine, was, judging, isStrict).map(powerText));
    judging.found.push(
      ...containerPowers(name, place, is, judging, isStrict).filter((power) => !known.has(powerText(power))),
    );
  }
  for (const difference of diffObjects(author, injected)) judgeDifference(difference, judging);
  return judging.found;
}

/** Containers that an author may write to change what is injected, and leaves the rest to the injection. */
const ISTIO_CONTAINERS: readonly string[] = ["istio-proxy", "istio-init", "istio-validation", "enable-core-dump"];

/** A container without an image, or with `auto`, asks for the injected one. */
function isInjected(name: string, mine: JsonObject | undefined): boolean {
  const { image = "auto" } = mine ?? {};
  return ISTIO_CONTAINERS.includes(name) || image === "auto";
}

function containerPowers(
  name: string,
  { container, steps }: Place,
  pod: JsonObject,
  { was }: Judging,
  isStrict: boolean,
): readonly Power[] {
  const powers = [...grantedPowers(container, pod), ...(isStrict ? leftOpen(container, pod) : [])];
  const found: Power[] = powers.map((power) => ({ ...power, container: name, at: [...steps, ...power.at] }));
  const label = () => `spec.${steps[1]}[${name}]`;
  walk(container, { holder: "containers", start: () => [label(), steps], container: name, found });
  const volumes = objectsOf(was["volumes"]);
  for (const [index, mount] of objectsOf(container["volumeMounts"]).entries()) {
    const volume = volumes.find((each) => each["name"] === mount["name"]);
    if (volume === undefined || isFreeToShare(volume)) continue;
    const given: Power[] = [];
    const start = () => [`${label()}.volumeMounts`, []] as const;
    walk(volume, { holder: "volumes", start, container: name, found: given });
    const at = [...steps, "volumeMounts", index];
    for (const power of given) found.push({ ...power, at, volume: text(volume["name"]), effect: "identity-used" });
  }
  return found;
}

function isFreeToShare(volume: JsonObject): boolean {
  return volume["emptyDir"] !== undefined;
}

interface Walk {
  readonly holder: string;
  /** What the walk begins at, by names and by positions: asked for where something is reported. */
  readonly start: () => readonly [label: string, base: FieldPath];
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  readonly found: Power[];
  readonly effect?: FieldEffect;
}

/** A step of a walk, and those before it: every injection takes hundreds, and hardly one is reported. */
interface Step {
  readonly step: string | number;
  readonly before: Step | undefined;
}

function stepsTo(at: Step | undefined): FieldPath {
  return at === undefined ? [] : [...stepsTo(at.before), at.step];
}

/** Goes down a value, and reports each field that is not free. */
function walk(value: JsonValue | undefined, of: Walk, holder = of.holder, at?: Step): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (isObject(value[index])) walk(value[index], of, holder, { step: index, before: at });
    }
  } else if (isObject(value)) {
    const fields = FIELDS.get(holder);
    for (const key in value) {
      const inner = value[key];
      if (inner === undefined) continue;
      const rule = fields?.get(key) ?? fields?.get("*");
      if (rule !== "") judgeRule(rule, key, inner, of, { step: key, before: at });
      else if (typeof inner === "object") walk(inner, of, holderOf(holder, key), { step: key, before: at });
    }
  }
}

function holderOf(holder: string, key: string): string {
  return holder === "spec" && key === "securityContext" ? "spec.securityContext" : key;
}

const TOKEN = "automountServiceAccountToken";

/** Fields that count when they are true. */
const FLAGS: readonly string[] = ["hostPID", "hostIPC", "hostNetwork", "shareProcessNamespace"];

function judgeRule(rule: string | undefined, key: string, value: JsonValue, of: Walk, at?: Step): void {
  const { start, container, volume, found, effect } = of;
  const report = (kind: string, what: string, more: Partial<Power> = {}) =>
    void found.push({ kind, value: what, at: [...start()[1], ...stepsTo(at)], container, volume, ...more });
  if (rule === "volumeType") report(rule, key);
  else if (rule === "audience") report(rule, text(objectOf(value)["audience"]));
  else if (rule === TOKEN) {
    if (value === false) closed("pod-may-not-run");
  } else if (rule === "tlsMode") {
    if (value !== "istio") closed("author-changed");
  } else if (rule === "host") {
    if (value !== "") report(rule, text(value));
  } else if (rule === undefined || rule.startsWith("@")) {
    closed((rule?.slice(1) as FieldEffect | undefined) ?? effect ?? "privileges-widened");
  } else if (!FLAGS.includes(rule)) report(rule, text(value));
  else if (value === true) report(rule, "");

  function closed(as: FieldEffect): void {
    const [label] = start();
    const inner = formatFieldPath(stepsTo(at));
    const separator = label === "" || inner === "" || inner.startsWith("[") ? "" : ".";
    report("field", `${label}${separator}${inner}`, { effect: as });
  }
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

function judgeDifference(difference: Difference, judging: Judging): void {
  const { kind, path, after } = difference;
  const [root, field, item] = path;
  if (root === "spec" && LISTS.includes(field as (typeof LISTS)[number])) judgeContainers(difference, judging);
  else if (root === "spec" && field === "volumes" && typeof item === "object") {
    if (kind === "added" && path.length === 3)
      walk(after, { ...walkAt(path, judging), holder: "volumes", volume: item.item });
    else if (path.length > 3 || kind !== "removed") close(difference, judging);
    else
      judging.found.push({
        kind: "deletion",
        value: `volume ${item.item}`,
        at: ["spec", "volumes"],
        effect: "author-changed",
      });
  } else if (kind === "added") judgeAdded(difference, judging);
  else if (kind !== "reordered") judgeChanged(difference, judging);
}

function walkAt(path: readonly DifferenceStep[], { injected, found }: Judging): Omit<Walk, "holder"> {
  return { start: () => [formatDifferencePath(path), stepsOf(path, injected)], found };
}

/** What no table has: of the author's, or of the pod's own fields. */
function close({ path }: Difference, { injected, found }: Judging, effect: FieldEffect = "author-changed"): void {
  found.push({ kind: "field", value: formatDifferencePath(path), at: stepsOf(path, injected), effect });
}

function judgeAdded(difference: Difference, judging: Judging): void {
  const { path, after } = difference;
  const effect: FieldEffect = path[0] === "spec" ? "pod-may-not-run" : "author-changed";
  const of = { ...walkAt(path, judging), effect };
  let holder = "pod";
  for (const step of path) {
    if (typeof step !== "string") continue;
    const rule = FIELDS.get(holder)?.get(step) ?? FIELDS.get(holder)?.get("*");
    if (rule !== "") {
      judgeRule(rule, step, after as JsonValue, { ...of, holder });
      return;
    }
    holder = holderOf(holder, step);
  }
  walk(after, { ...of, holder });
  if (holder === "spec.securityContext")
    for (const power of podPowers(judging.is)) judging.found.push({ ...power, at: ["spec", ...power.at] });
  if (path[1] !== "annotations") return;
  const key = path[2];
  const added = typeof key === "string" ? { [key]: after as JsonValue } : objectOf(after);
  judging.found.push(...annotatedPowers(added));
}

function judgeChanged(difference: Difference, judging: Judging): void {
  const { kind, path, before, after } = difference;
  const rule = path.length === 2 ? FIELDS.get("spec")?.get(String(path[1])) : undefined;
  const { length } = judging.found;
  if (rule === TOKEN && before === false) judging.found.push({ kind: rule, value: "", at: ["spec", rule] });
  else if (rule !== undefined && rule !== "" && after !== undefined)
    judgeRule(rule, "", after, { ...walkAt(path, judging), holder: "spec" });
  const label = formatDifferencePath(path);
  const isKnown = (kind === "changed" ? REWRITTEN : REMOVED).some((pattern) => matchesPattern(pattern, label));
  if (!isKnown && judging.found.length === length) close(difference, judging);
}

function judgeContainers(difference: Difference, judging: Judging): void {
  const { kind, path, before, after } = difference;
  const [, list, item, field, entry] = path;
  if (typeof item !== "object") {
    const kept = (names: JsonValue | undefined) =>
      Array.isArray(names) ? names.filter((name) => !ISTIO_CONTAINERS.includes(String(name))) : [];
    if (kind !== "reordered" || !jsonEqual(kept(before), kept(after))) close(difference, judging);
    return;
  }
  const mine = judging.before.get(item.item)?.container;
  const now = judging.after.get(item.item)?.container;
  if (mine === undefined ? list !== "ephemeralContainers" : now !== undefined && isInjected(item.item, mine)) return;
  if (mine !== undefined && now === undefined) {
    judging.found.push({
      kind: "deletion",
      value: `container ${item.item}`,
      at: ["spec", String(list)],
      effect: "author-changed",
    });
  } else if (mine === undefined || now === undefined || typeof field !== "string") close(difference, judging);
  else if (PROBES.includes(field)) {
    if (!isOfAgent(mine[field], now[field], item.item)) close(difference, judging);
  } else if (
    kind !== "added" ||
    typeof entry !== "object" ||
    path.length !== 5 ||
    !isKnownAddition(field, after, judging)
  )
    close(difference, judging);
  else walk(after, { ...walkAt(path, judging), holder: field, container: item.item, effect: "author-changed" });
}

const PROBES: readonly string[] = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];

/** Whether only the handlers differ, and those that do ask the agent. */
function isOfAgent(before: JsonValue | undefined, after: JsonValue | undefined, name: string): boolean {
  if (jsonEqual(before, after)) return true;
  if (!isObject(before) || !isObject(after)) return false;
  const { postStart, preStop, ...others } = before;
  if (postStart !== undefined || preStop !== undefined) {
    const { postStart: post, preStop: pre, ...rest } = after;
    return jsonEqual(others, rest) && isOfAgent(postStart, post, name) && isOfAgent(preStop, pre, name);
  }
  const { exec: _e, grpc: _g, httpGet: _h, tcpSocket: _t, ...rest } = before;
  const { httpGet, ...restAfter } = after;
  const { path, host } = objectOf(httpGet);
  const { host: own } = objectOf(_h);
  return (
    host === own && jsonEqual(rest, restAfter) && AGENT_PATHS.some((start) => text(path).startsWith(`${start}${name}/`))
  );
}

function isKnownAddition(field: string, after: JsonValue | undefined, { was }: Judging): boolean {
  const { name, mountPath } = objectOf(after);
  const key = field === "env" ? name : mountPath;
  if (!Object.hasOwn(ADDED_TO_AUTHOR, field)) return false;
  const isKnown =
    ADDED_TO_AUTHOR[field]?.some((pattern) => matchesPattern(pattern, text(key).replace(/\/$/, ""))) ?? false;
  if (!isKnown || text(key).includes("..")) return false;
  return (
    field === "env" || objectsOf(was["volumes"]).every((volume) => volume["name"] !== name || isFreeToShare(volume))
  );
}

/** A path by positions, as far as the injected pod has it. */
function stepsOf(path: readonly DifferenceStep[], injected: JsonObject): FieldPath {
  const steps: (string | number)[] = [];
  let at: JsonValue | undefined = injected;
  for (const step of path) {
    if (typeof step === "string") {
      steps.push(step);
      at = objectOf(at)[step];
      continue;
    }
    const index: number = objectsOf(at).findIndex(
      (each) =>
        `${each[step.mergeKey]}` === step.item.replace(/(#\d+|\/\w+)$/, "") || each[step.mergeKey] === step.item,
    );
    if (index === -1) break;
    steps.push(index);
    at = objectsOf(at)[index];
  }
  return steps;
}

export function containersOf(spec: JsonObject): Places {
  const places = new Map<string, Place>();
  for (const list of LISTS) {
    const containers = spec[list];
    if (!Array.isArray(containers)) continue;
    for (let index = 0; index < containers.length; index++) {
      const container = containers[index];
      if (isObject(container)) places.set(text(container["name"]), { container, steps: ["spec", list, index] });
    }
  }
  return places;
}
