import { expect, it } from "vitest";
import { effectGroups } from "./effect-groups.ts";
import type { PodEffect } from "./pod-effect.ts";

const changed = (after: string): PodEffect => ({
  effect: "changes",
  containers: [],
  changes: [{ field: "labels[of]", after }],
});

it("effectGroups() counts effects together that differ in the pods' own names alone, the gravest first", () => {
  const found = effectGroups<{ readonly of: string; pods: number }>();
  const add = (name: string, pods: number, effect: PodEffect) =>
    found.membersOf(effect, { metadata: { name, namespace: "shop" } }).set(name, { of: name, pods });
  add("cart", 1, changed("cart.shop"));
  add("web", 3, changed("web.shop"));
  add("other", 9, changed("fixed"));
  add("bad", 1, { effect: "refused", containers: [], why: "bad has no port", changes: [] });
  expect(
    found
      .groups()
      .map(({ effect, why, pods, workloads, changes }) => [effect, why, pods, workloads.map(({ of }) => of), changes]),
  ).toEqual([
    ["refused", "bad has no port", 1, ["bad"], []],
    ["changes", undefined, 9, ["other"], [{ field: "labels[of]", after: "fixed" }]],
    ["changes", undefined, 4, ["web", "cart"], [{ field: "labels[of]", after: "<pod>.<namespace>" }]],
  ]);
});
