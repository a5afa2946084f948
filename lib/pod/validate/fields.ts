// The rules of an object as a table by field, and what the tables are made of. Knows no field.
import type { Form } from "../names.ts";
import type { Check, Rule, ViolationCode } from "./check.ts";
import { checkField, checkItems, invalid, report } from "./check.ts";
import { asObject, asText, isPresent } from "./go-values.ts";

/** A function that checks a field that is there. It gets the field as it was before, if that is known. */
export interface FieldRule<V = unknown, C = unknown> {
  (check: Check, value: V, key: string, context: C, before?: V | null): void;
  /** Whether the rule is applied to an absent field too. */
  readonly isNeeded?: boolean;
}

/**
 * The rules of an object's fields. A table is of a known type, so that each of its fields exists: a type without fields
 * has no table.
 */
export type FieldRules<T, C> = [keyof T] extends [never]
  ? never
  : { readonly [Key in keyof T]?: FieldRule<NonNullable<T[Key]>, C> | readonly FieldRule<NonNullable<T[Key]>, C>[] };

/**
 * The rule of an object, by a table of its fields: asked are those that are there, as they follow each other, and then
 * those that are needed and absent.
 *
 * @param whole what is asked of several fields at once, before them
 * @returns a rule that, if it gets the object as it was before, asks no field that is the same as there
 */
export function fields<T extends object, C = unknown>(
  table: FieldRules<NoInfer<T>, NoInfer<C>>,
  whole?: Rule<NoInfer<T>, NoInfer<C>>,
): (object: T, check: Check, context: C, before?: T) => void {
  const rows = new Map(
    Object.entries(table).map(([key, rules]) => [key, [rules].flat() as FieldRule<unknown, C>[]] as const),
  );
  const absent = [...rows].flatMap(([key, rules]) =>
    rules.flatMap((rule) => (rule.isNeeded === true ? [{ key: key as keyof T & string, rule }] : [])),
  );
  return (object, check, context, before) => {
    if (whole !== undefined) whole(object, check, context);
    for (const key in object) {
      const rules = rows.get(key);
      if (rules === undefined) continue;
      const value = object[key];
      if (!isPresent(value)) continue;
      const old = before === undefined ? undefined : before[key];
      if (value === old) continue;
      for (let at = 0; at < rules.length; at++) (rules[at] as FieldRule<unknown, C>)(check, value, key, context, old);
    }
    for (let at = 0; at < absent.length; at++) {
      const { key, rule } = absent[at] as (typeof absent)[number];
      if (!isPresent(object[key])) rule(check, undefined, key, context);
    }
  };
}

/** The rule, asked of absent fields too. */
export function needed<C>(rule: FieldRule<unknown, C>): FieldRule<unknown, C> {
  return Object.assign(rule, { isNeeded: true });
}

/** An object, by its rule or by its table. Its rule is asked once for a constant. */
export function object<V extends object>(rule: RuleOrTable<V>, whole?: Rule<NoInfer<V>>): FieldRule<V> {
  const own = ruleOf(rule, whole);
  return (check, value, key) => checkField(check, key, value, own, undefined);
}

type RuleOrTable<V> = Rule<V> | FieldRules<NoInfer<V>, undefined>;

function ruleOf<V extends object>(rule: RuleOrTable<V>, whole: Rule<V> | undefined): Rule<V> {
  return typeof rule === "function" ? (rule as Rule<V>) : fields<V, undefined>(rule, whole);
}

/** An object whose rule is asked in the context of the table. */
export function objectIn<V, C>(rule: Rule<V, C>): FieldRule<V, C> {
  return (check, value, key, context) => checkField(check, key, value, rule, context);
}

/** An object that is not a pointer in the reference: absent, it is empty. */
export function part<V, C>(rule: Rule<V, C>): FieldRule<unknown, C> {
  return needed((check, value, key, context) => checkField(check, key, (value ?? {}) as V, rule, context));
}

/** The items of a list, except those that were in it before, by their rule or by their table. */
export function items<V extends object>(rule: RuleOrTable<V>, whole?: Rule<NoInfer<V>>): FieldRule<readonly V[]> {
  const own = ruleOf(rule, whole);
  return (check, list, key, _, before) => checkItems(check, key, list, before, own, undefined);
}

/** The items of a list, except those that were in it before, by a rule that is applied in the context of the table. */
export function itemsIn<V, C>(rule: Rule<V, C>): FieldRule<readonly V[], C> {
  return (check, list, key, context, before) => checkItems(check, key, list, before, rule, context);
}

/** A list whose texts are all of the form. */
export function each({ has, message }: Form): FieldRule {
  return (check, list, key) => {
    if (!Array.isArray(list)) return;
    for (let at = 0; at < list.length; at++) if (!has(asText(list[at]))) invalid(check, message, key, at);
  };
}

/** A list whose items have different keys: a field of each, or what the function reads. Those without one are not compared. */
export function unique<V>(
  by: (keyof V & string) | ((item: V) => unknown),
  explain: (key: string) => string,
  field: readonly (keyof V & string)[] = typeof by === "string" ? [by] : [],
): FieldRule<readonly V[]> {
  const keyOf = typeof by === "string" ? (item: V) => item[by] : by;
  return (check, list, key) => {
    if (!Array.isArray(list) || list.length < 2) return;
    const seen = new Set<string>();
    for (let at = 0; at < list.length; at++) {
      const name = asText(keyOf(asObject(list[at])));
      if (name === "" || seen.size !== seen.add(name).size) continue;
      report(check, "duplicate", explain(name), key, at, ...field);
    }
  };
}

export function filled(message = "is required"): FieldRule {
  return needed((check, list, key) => {
    if (!Array.isArray(list) || list.length === 0) report(check, "required", message, key);
  });
}

export const PRESENT: FieldRule = needed((check, value, key) => {
  if (!isPresent(value)) report(check, "required", "is required", key);
});

export function forbidden(code: ViolationCode, message: string): FieldRule {
  return (check, _, key) => report(check, code, message, key);
}

/** A text that is there and is not empty. */
export function required(form?: Form): FieldRule {
  return needed((check, value, key) => {
    if (requireText(check, value, key) && form !== undefined) checkForm(check, value, form, key);
  });
}

/** A text of the form, or an empty one. */
export function optional(form: Form): FieldRule {
  return (check, value, key) => {
    if (typeof value === "string" && value !== "") checkForm(check, value, form, key);
  };
}

/** A text of the form, where it is there. */
export function ofForm(form: Form): FieldRule {
  return (check, value, key) => checkForm(check, value, form, key);
}

/** A text of the form: an absent one counts as empty. */
export function always(form: Form): FieldRule {
  return needed((check, value, key) => checkForm(check, value, form, key));
}

export function oneOf(...allowed: readonly string[]): FieldRule {
  return (check, value, key) => {
    if (typeof value !== "string" || allowed.includes(value)) return;
    report(check, "not-supported", `must be one of ${allowed.filter((one) => one !== "").join(", ")}`, key);
  };
}

/** One of these texts: an absent one counts as empty. */
export function requiredOneOf(...allowed: readonly string[]): FieldRule {
  const rule = oneOf(...allowed);
  return needed((check, value, key, context) => rule(check, asText(value), key, context));
}

export function atMost(length: number): FieldRule {
  return (check, value, key) => {
    if (asText(value).length > length) report(check, "too-long", `must be at most ${length} characters`, key);
  };
}

export function atMostItems(count: number): FieldRule {
  return (check, list, key) => {
    if (Array.isArray(list) && list.length > count) report(check, "too-many", `must be at most ${count}`, key);
  };
}

/** A number within bounds, both included. */
export function range(low: number, high: number, message = `must be between ${low} and ${high}`): FieldRule {
  return (check, value, key) => {
    if (typeof value === "number" && (value < low || value > high)) invalid(check, message, key);
  };
}

/** Reports a required text that is absent or empty. */
export function requireText(check: Check, value: unknown, key: string): boolean {
  if (!isPresent(value) || value === "") report(check, "required", "is required", key);
  return typeof value === "string" && value !== "";
}

/** Reports a text that is not of the form. Anything else counts as an empty one. */
export function checkForm(check: Check, value: unknown, form: Form, key: string): void {
  if (!form.has(asText(value))) invalid(check, form.message, key);
}

export type Keyed<K extends string> = { readonly [Key in K]?: unknown };

/**
 * Reports all of the keys that are set but the first one.
 *
 * @param explain what is wrong with one, given the first
 * @returns the first
 */
export function checkOnly<K extends string>(
  check: Check,
  value: Keyed<K>,
  keys: readonly K[],
  explain: (first: string) => string,
): K | undefined {
  let first: K | undefined;
  for (const key of keys) {
    if (!isPresent(value[key])) continue;
    if (first !== undefined) report(check, "forbidden", explain(first), key);
    first ??= key;
  }
  return first;
}
