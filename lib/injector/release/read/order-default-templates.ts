// `before` of an entry of `defaultTemplates`: whose containers start first. Without a mesh that is the order of the list; otherwise it is
// Istio's, in which the last entry starts first.

import { isObject, type JsonValue, listOf, objectOf, suggestName } from "@outrigger/base";
import { defaultName } from "../../decide/default-name.ts";
import type { DefaultTemplate, InjectionConfig } from "../../injection.ts";
import type { Fail } from "./parse-default-templates.ts";

/** An entry of a list that says whose containers start after its own. */
export interface WantedOrder {
  readonly index: number;
  readonly name: string;
  readonly before: string;
}

/** The entries of a list, as it is written, that have a `before`. */
export function wantedOrders(value: JsonValue | undefined): readonly WantedOrder[] {
  return listOf(value).flatMap((item, index) => {
    const { name, before } = objectOf(item) as { readonly name?: JsonValue; readonly before?: JsonValue };
    return typeof name === "string" && typeof before === "string" ? [{ index, name, before }] : [];
  });
}

/**
 * The entries in the order of the list, but for those with a `before`, which are moved to where they start before the one that they name.
 *
 * @param config whose `defaultTemplates` are what was read of `value`, one for each of its items
 */
export function orderDefaultTemplates(
  { defaultTemplates: entries, mesh }: Pick<InjectionConfig, "defaultTemplates" | "mesh">,
  value: JsonValue | undefined,
  fail: Fail,
): readonly DefaultTemplate[] {
  const written = Array.isArray(value) ? value : [];
  // An entry with a mistake was left out.
  if (written.length !== entries.length) return entries;
  const names = entries.map(defaultName);
  const wanted = written.flatMap((item, index) => {
    const before = isObject(item) ? item["before"] : undefined;
    if (before === undefined) return [];
    if (typeof before === "string" && before !== names[index] && names.includes(before)) return { index, before };
    const rule = `it must be the name of another entry${typeof before === "string" ? suggestName(before, names) : ""}`;
    return fail([index, "before"], (key) => `Cannot use config key ${key}: ${rule}`) ?? [];
  });
  // In the order in which they are merged: what is merged last starts first.
  const isListed = mesh === "none";
  const order = isListed ? [...entries.keys()].reverse() : [...entries.keys()];
  const lastOf = (name: string) => order.findLastIndex((index) => names[index] === name);
  const isUnmet = ({ index, before }: (typeof wanted)[number]) => order.indexOf(index) < lastOf(before);
  // Each round settles one entry at least, unless two of them are before each other.
  for (let round = 0; round <= wanted.length; round += 1) {
    for (const each of wanted.filter(isUnmet)) {
      order.splice(order.indexOf(each.index), 1);
      order.splice(lastOf(each.before) + 1, 0, each.index);
    }
  }
  for (const { index, before } of wanted.filter(isUnmet)) {
    fail([index, "before"], (key) => `Cannot use config key ${key}: ${before} is to come before ${names[index]} too`);
  }
  return (isListed ? order.reverse() : order).map((index) => entries[index] as DefaultTemplate);
}
