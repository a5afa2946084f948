// Goes down what an injection brings, by the table of fields. Every injection is judged so, and hardly anything is reported: where it
// is, is put together on the way back only.
import { type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { type FieldEffect, type Fields, type Rule, ruleOf } from "./fields.ts";
import { type Power, text } from "./powers.ts";

/** A power on its way up: the steps before it are added to it. */
type Found = { -readonly [Field in keyof Power]: Power[Field] } & { at: (string | number)[] };

/** What is asked, where the walk is, and what it has found. */
export interface Walk {
  /** The author's spec, and the injected one. */
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly found: Found[];
  /** Whether a power needs no report. Not asked for fields, which get their value on the way up. */
  readonly isAdmitted: ((power: Power) => boolean) | undefined;
  /** Whether what containers are not kept from counts. */
  readonly isStrict: boolean;
  container: string | undefined;
  volume: string | undefined;
  /** The class of what the table does not have. */
  effect: FieldEffect | undefined;
  /** The class of all that a volume of the author's gives. */
  shared: FieldEffect | undefined;
}

/** Parts in which nothing is judged, by the fields that they were found with: those of a release are the same in every pod. */
const free = new WeakMap<object, Fields>();

/** Reports each field below a value that is not free. Returns whether all of it is. */
export function walk(value: JsonValue | undefined, fields: Fields, of: Walk): boolean {
  if (typeof value !== "object" || value === null) return true;
  const isFixed = Object.isFrozen(value);
  if (isFixed && free.get(value) === fields) return true;
  let isFree = true;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const { length } = of.found;
      if (!walk(value[index], fields, of)) isFree = false;
      if (of.found.length > length) under(of, length, index, value[index]);
    }
  } else {
    for (const key in value as JsonObject) {
      const inner = (value as JsonObject)[key];
      if (inner !== undefined && !judgeField(fields, key, inner, of)) isFree = false;
    }
  }
  if (isFree && isFixed) free.set(value, fields);
  return isFree;
}

/** The same of one field. */
export function judgeField(fields: Fields, key: string, value: JsonValue, of: Walk): boolean {
  const rule = ruleOf(fields, key);
  const isJudged = rule.kind !== "";
  if (!isJudged && typeof value !== "object") return true;
  const { length } = of.found;
  const isFree = isJudged ? !report(rule, key, value, of) : walk(value, rule.fields, of);
  if (of.found.length > length) under(of, length, key);
  return isFree;
}

/** Returns whether a value is judged by a rule, be it admitted or not. */
export function report(rule: Rule, key: string, value: JsonValue, of: Walk): boolean {
  const { kind, harmless, effect } = rule;
  if (kind === "capability" && Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const { length } = of.found;
      report(rule, key, value[index] as JsonValue, of);
      under(of, length, index);
    }
    return value.length > 0;
  }
  const what = kind === "audience" ? text(objectOf(value)["audience"]) : kind === "volumeType" ? key : text(value);
  if (harmless.includes(what)) return false;
  const { container, volume, shared } = of;
  if (kind === "field") {
    const own = shared ?? effect ?? of.effect ?? "privileges-widened";
    of.found.push({ kind, value: "", at: [], container, volume, effect: own });
  } else {
    // The kind says it already.
    const isSaid = harmless.length > 0 && /^(true|unconfined)$/i.test(what);
    const power: Found = { kind, value: isSaid ? "" : what, at: [], container, volume, effect: shared };
    if (of.isAdmitted?.(power) !== true) of.found.push(power);
  }
  return true;
}

/** What was found since is below this step. An item is named by its key. */
export function under({ found }: Walk, since: number, step: string | number, item?: JsonValue): void {
  for (let index = since; index < found.length; index++) {
    const power = found[index] as Found;
    power.at.unshift(step);
    if (power.kind !== "field") continue;
    const name = typeof step === "string" ? step : (nameOf(item) ?? step);
    const start = typeof step === "string" && /^[\w-]+$/.test(step) ? step : `[${name}]`;
    power.value = `${start}${power.value === "" || power.value.startsWith("[") ? "" : "."}${power.value}`;
  }
}

/** `own`, `/var/run`, `15090` */
export function nameOf(item: JsonValue | undefined): JsonValue | undefined {
  const { mountPath, containerPort, name } = objectOf(item);
  return mountPath ?? containerPort ?? name;
}

/** Reports what is the author's, and now another or gone. */
export function close({ found, container }: Walk): void {
  found.push({ kind: "field", value: "", at: [], container, effect: "author-changed" });
}
