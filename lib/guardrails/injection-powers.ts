// What an injection does to a pod beyond what is free. Both pods are gone through together, once: what they share by reference is
// skipped, what only the injected one has is judged by the table of fields, and any other difference is closed. Pure.
import { entryOf, isObject, type JsonObject, type JsonValue, jsonEqual, listOf, objectOf } from "@outrigger/base";
import { compareContainer, isFreeToShare } from "./author-containers.ts";
import { CLOSED, FIELDS, type Fields, NO_FIELDS, REMOVED, REWRITTEN, ruleOf } from "./fields.ts";
import { LIMITED, matchesPattern } from "./parse-guardrails.ts";
import { leftOpen, type Power, powerText, text } from "./powers.ts";
import { close, judgeField, report, under, type Walk, walk } from "./walk-fields.ts";

export interface Options {
  /** Whether what containers are not kept from counts, as at `restricted`. */
  readonly isStrict?: boolean;
  /** Of what need not be reported; asked of all but fields. */
  readonly isAdmitted?: (power: Power) => boolean;
}

/**
 * Everything that an injection adds or changes and that is not free, whatever the guardrails allow of it.
 *
 * @param author the pod without an earlier injection
 */
export function injectionPowers(author: JsonObject, injected: JsonObject, options: Options = {}): readonly Power[] {
  const of = walkFor(objectOf(author["spec"]), objectOf(injected["spec"]), options);
  compareFields({ metadata: {}, spec: {}, ...author }, injected, POD, of);
  return of.found;
}

function walkFor(was: JsonObject, is: JsonObject, { isStrict = false, isAdmitted }: Options): Walk {
  return {
    was,
    is,
    found: [],
    isStrict,
    isAdmitted,
    container: undefined,
    volume: undefined,
    effect: "author-changed",
    shared: undefined,
  };
}

const [POD, SPEC, VOLUMES, CONTAINERS, ANNOTATIONS] = ["pod", "spec", "volumes", "containers", "annotations"].map(
  (holder) => FIELDS.get(holder) ?? NO_FIELDS,
) as [Fields, Fields, Fields, Fields, Fields];

/** Judges what differs in an object that both have. */
function compareFields(was: JsonObject, is: JsonObject, fields: Fields, of: Walk): void {
  if (fields === SPEC) for (const list of LISTS) compareContainers(list, of);
  const { effect } = of;
  if (fields === SPEC) of.effect = "pod-may-not-run";
  for (const key in is) if (is[key] !== was[key]) compareField(fields, key, entryOf(was, key), is[key], of);
  for (const key in was)
    if (is[key] !== was[key] && !Object.hasOwn(is, key)) compareField(fields, key, was[key], undefined, of);
  of.effect = effect;
}

function compareField(
  fields: Fields,
  key: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  of: Walk,
): void {
  if (before === after || (fields === SPEC && LISTS.includes(key))) return;
  const rule = ruleOf(fields, key);
  const isFree = rule.kind === "";
  const isVolumes = rule.fields === VOLUMES;
  if (before === undefined && after !== undefined && !isVolumes) {
    judgeField(fields, key, after, of);
    return;
  }
  const { length } = of.found;
  if (isFree && isObject(before) && isObject(after)) compareFields(before, after, rule.fields, of);
  else if (isFree && isList(before, isVolumes) && isList(after, isVolumes))
    compareItems(listOf(before), listOf(after), rule.fields, of);
  else if (!jsonEqual(before, after) && !(fields === ANNOTATIONS && isOfIstio(key, after))) {
    if (isFree || rule === CLOSED || after === undefined || !report(rule, key, after, of)) close(of);
  }
  if (of.found.length > length) under(of, length, key);
}

/** What Istio itself does to annotations of an author's. */
function isOfIstio(key: string, after: JsonValue | undefined): boolean {
  return (after === undefined ? REMOVED : REWRITTEN).some((pattern) => matchesPattern(pattern, key));
}

function isList(value: JsonValue | undefined, isOptional: boolean): boolean {
  return Array.isArray(value) || (isOptional && (value ?? undefined) === undefined);
}

/** Judges the items of a list that has them by name, whatever their order. */
function compareItems(before: readonly JsonValue[], after: readonly JsonValue[], fields: Fields, of: Walk): void {
  const { effect } = of;
  for (let index = 0; index < after.length; index++) {
    const item = after[index];
    const mine = named(before, item);
    if (mine === item) continue;
    const { length } = of.found;
    of.effect = fields === VOLUMES ? undefined : effect;
    of.volume = fields === VOLUMES ? nameIn(item) : undefined;
    if (!isObject(item)) close(of);
    else if (mine === undefined) walk(item, fields, of);
    else {
      of.effect = "author-changed";
      compareFields(objectOf(mine), item, NO_FIELDS, of);
    }
    if (of.found.length > length) under(of, length, index, item);
  }
  [of.effect, of.volume] = [effect, undefined];
  for (const item of before) {
    if (named(after, item) !== undefined) continue;
    if (fields === VOLUMES) of.found.push(deletion(`volume ${nameIn(item)}`));
    else close(of);
  }
}

function deletion(value: string) {
  return { kind: "deletion", value, at: [], effect: "author-changed" as const };
}

/** The item of a list with the name of another; itself, where it is there. */
function named(list: readonly JsonValue[], item: JsonValue | undefined): JsonValue | undefined {
  if (list.includes(item as JsonValue)) return item;
  const name = nameIn(item);
  if (name !== "") for (const each of list) if (nameIn(each) === name) return each;
  return undefined;
}

function nameIn(item: JsonValue | undefined): string {
  return isObject(item) ? text(item["name"]) : "";
}

const LISTS: readonly string[] = ["initContainers", "containers", "ephemeralContainers"];

/** Containers that an author may write to change what is injected, and leaves the rest to the injection. */
const ISTIO_CONTAINERS: readonly string[] = ["istio-proxy", "istio-init", "istio-validation", "enable-core-dump"];

/** A container without an image, or with `auto`, asks for the injected one. */
function isInjected(name: string, mine: JsonValue | undefined): boolean {
  const { image = "auto" } = isObject(mine) ? mine : {};
  return ISTIO_CONTAINERS.includes(name) || image === "auto";
}

function compareContainers(list: string, of: Walk): void {
  const { was, is } = of;
  if (was[list] === is[list]) return;
  const from = of.found.length;
  const [before, after] = [listOf(was[list]), listOf(is[list])];
  if (!isList(is[list], true)) close(of);
  for (let index = 0; index < after.length; index++) {
    const container = after[index];
    const mine = named(before, container);
    if (mine === container) continue;
    const { length } = of.found;
    const name = nameIn(container);
    const theirs = mine ?? containerNamed(was, container);
    if (!isObject(container) || (list === "ephemeralContainers" && mine === undefined)) close(of);
    else if (isInjected(name, theirs)) judgeOwn(name, theirs, container, of);
    else if (isObject(mine)) {
      of.container = name;
      compareContainer(mine, container, of);
      of.container = undefined;
    }
    if (of.found.length > length) under(of, length, index, container);
  }
  for (const item of before) {
    if (named(after, item) !== undefined) continue;
    const isMoved = containerNamed(is, item) !== undefined;
    if (!isMoved) of.found.push(deletion(`container ${nameIn(item)}`));
    else if (!isInjected(nameIn(item), item)) close(of);
  }
  if (!isInOrder(before, after)) close(of);
  if (of.found.length > from) under(of, from, list);
}

function containerNamed(spec: JsonObject, item: JsonValue | undefined): JsonValue | undefined {
  for (const list of LISTS) {
    const found = named(listOf(spec[list]), item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The author's containers start in the order in which they are written. */
function isInOrder(before: readonly JsonValue[], after: readonly JsonValue[]): boolean {
  let last = -1;
  return before.every((item) => {
    const at = after.findIndex((each) => nameIn(each) === nameIn(item));
    if (at === -1 || ISTIO_CONTAINERS.includes(nameIn(item))) return true;
    const isLater = at >= last;
    last = at;
    return isLater;
  });
}

/** What a container may do on its node, whatever it had before. */
export function grantedPowers(container: JsonObject): readonly Power[] {
  const of = walkFor({}, {}, {});
  walk(container, CONTAINERS, of);
  return of.found.filter(({ kind }) => kind !== "field" && !LIMITED.includes(kind));
}

/** What a container is given that is the injection's own, beyond what its author has written. */
function judgeOwn(name: string, mine: JsonValue | undefined, container: JsonObject, of: Walk): void {
  const { effect } = of;
  [of.container, of.effect] = [name, undefined];
  const { length } = of.found;
  judgeContainer(container, of.is, of);
  if (isObject(mine)) {
    const before = { ...of, found: [], isAdmitted: undefined };
    judgeContainer(mine, of.was, before);
    const known = before.found.map(powerText);
    of.found.push(...of.found.splice(length).filter((power) => !known.includes(powerText(power))));
  }
  [of.container, of.effect] = [undefined, effect];
}

/** @param spec that the container is in */
function judgeContainer(container: JsonObject, spec: JsonObject, of: Walk): void {
  walk(container, CONTAINERS, of);
  if (of.isStrict)
    for (const power of leftOpen(container, spec))
      of.found.push({ ...power, at: [...power.at], container: of.container });
  const { volumeMounts } = container;
  // Those of the author's are not the injection's to share.
  const { volumes } = of.was;
  if (!Array.isArray(volumeMounts) || !Array.isArray(volumes)) return;
  for (let index = 0; index < volumeMounts.length; index++) {
    const volume = named(volumes, volumeMounts[index]);
    if (!isObject(volume) || isFreeToShare(volume)) continue;
    const { length } = of.found;
    [of.volume, of.shared] = [nameIn(volume), "identity-used"];
    walk(volume, VOLUMES, of);
    [of.volume, of.shared] = [undefined, undefined];
    under(of, length, "volumeMounts");
    for (const power of of.found.slice(length)) power.at = ["volumeMounts", index];
  }
}
