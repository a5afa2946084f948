// Goes down what an injection adds, by the table of fields, and reports what is not free. Pure.
import { isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { type Power, type Rule, ruleOf } from "./fields.ts";

export interface Options {
  /** Whether what containers are not kept from counts, as at `restricted`. */
  readonly isStrict?: boolean;
  /** Of what need not be reported; asked of all but fields, before it is known where they are. */
  readonly isAdmitted?: (power: Power) => boolean;
  /** Parts of releases in which nothing was found by these options, with how they were judged: they are the same in every pod. */
  readonly clean?: WeakMap<object, Pick<Walk, "container"> & { readonly rule: Rule }>;
}

/** What is asked, where the walk is, and what it has found. */
export interface Walk {
  /** The author's spec, and the injected one. */
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly options: Options;
  /** The injection's own container that it is in. */
  readonly container: string | undefined;
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
    return length === of.found.length && (typeof value !== "object" || Object.isFrozen(value));
  }
  if (typeof value !== "object" || value === null) return true;
  const { container, options } = of;
  const known = options.clean?.get(value);
  if (known !== undefined && known.rule === rule && known.container === container) return true;
  let isClean = true;
  if (isList) {
    for (let index = 0; index < value.length; index++) isClean = judgeAt(index, value[index], rule, of) && isClean;
  } else {
    for (const key in value as JsonObject) {
      const inner = (value as JsonObject)[key];
      const own = ruleOf(rule.fields, key);
      if (!isNothing(inner, own)) isClean = judgeAt(key, inner, own, of) && isClean;
    }
  }
  if (!isClean || !Object.isFrozen(value)) return false;
  options.clean?.set(value, { rule, container });
  return true;
}

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
  const own = kind === "audience" ? objectOf(value)["audience"] : kind === "volumeType" ? of.at.at(-1) : value;
  const what = text(own);
  if (harmless.includes(what)) return false;
  // The kind says it already, and a field is named once it is known where it is.
  const isSaid = kind === "field" || (harmless.length > 0 && /^(true|unconfined)$/i.test(what));
  const power: Power = { kind, value: isSaid ? "" : what, at: [], container: of.container, effect };
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
