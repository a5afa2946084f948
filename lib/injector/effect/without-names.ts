// When two workloads change in the same way: their changes are equal but for their own names, which many values contain. Pure.
import type { PodEffect } from "./pod-effect.ts";

/** The names of a pod by which its values may differ from those of another workload. */
interface OwnNames {
  readonly pod: string;
  readonly controller: string;
  readonly workload: string;
  readonly namespace: string;
}

/**
 * Returns an effect with placeholders instead of the names of its workload: `<workload>.<namespace>.svc`.
 *
 * @example
 * ```ts
 * withoutNames({ effect: "changes", containers: [], changes: [{ field: "labels[of]", after: "cart.shop" }] }, { pod: "", controller: "cart-5d8f", workload: "cart", namespace: "shop" }).changes // => [{ field: "labels[of]", after: "<workload>.<namespace>" }]
 * ```
 */
export function withoutNames(effect: PodEffect, names: OwnNames): PodEffect {
  const known = Object.entries(names)
    .filter(([, name]) => name !== "")
    .toSorted(([, a], [, b]) => b.length - a.length);
  if (known.length === 0) return effect;
  const pattern = new RegExp(
    `(?<![A-Za-z0-9])(?:${known.map(([, name]) => escaped(name)).join("|")})(?![A-Za-z0-9])`,
    "g",
  );
  // Of equal names, the first counts: a bare pod is its own workload.
  const placeholder = (name: string) => `<${known.find(([, one]) => one === name)?.[0]}>`;
  const replaced = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(pattern, placeholder);
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [replaced(key), replaced(part)]));
  };
  const { why, changes } = effect;
  const general = changes.map(({ field, ...values }) => ({
    ...(replaced(values) as typeof values),
    field: field.replace(pattern, placeholder),
  }));
  return { ...effect, changes: general, ...(why !== undefined && { why: why.replace(pattern, placeholder) }) };
}

function escaped(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "\\$&");
}
