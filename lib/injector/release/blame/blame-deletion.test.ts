import type { FieldPath, JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { InjectedFault } from "../samples/check-injected.ts";
import { blameDeletions } from "./blame-deletion.ts";
import type { Rendering } from "./blame-field.ts";

const rendering = (name: string, overlay: JsonObject) => ({ name, overlay }) as unknown as Rendering;
const fault = (key: string, from: Rendering | undefined, steps: FieldPath): InjectedFault => ({
  from,
  steps,
  code: "invalid",
  reason: `${key} is wrong`,
  key,
});

const DELETING = rendering("deleting", { spec: { volumes: null, containers: [{ name: "a", image: "a" }] } });
const AT = ["spec", "volumes"];

describe("blameDeletions()", () => {
  it("blames the deletion without which the faults do not occur, and counts the others", () => {
    const other = rendering("other", { spec: { containers: [] } });
    const faults = [fault("one", other, ["spec", "containers", 0]), fault("two", undefined, AT)];
    expect(blameDeletions(faults, [DELETING, other], () => [])).toEqual([
      {
        from: DELETING,
        steps: AT,
        reason: "one is wrong (and 1 more)",
        deletes: "spec.volumes",
        code: "invalid",
        key: "one",
      },
    ]);
  });

  it("says what is left too, where the deletion is to blame for a part", () => {
    const [mine, left] = [fault("one", undefined, AT), fault("two", undefined, AT)];
    const found = blameDeletions([mine, left], [DELETING], () => [left]);
    expect(found).toEqual([{ ...mine, from: DELETING, deletes: "spec.volumes" }, left]);
  });

  it("tries the overlay without the deletion, and nothing else", () => {
    const tried: unknown[] = [];
    blameDeletions([fault("one", undefined, [])], [DELETING], (...overlay) => {
      tried.push(overlay);
      return undefined;
    });
    expect(tried).toEqual([["deleting", { spec: { containers: [{ name: "a", image: "a" }] } }]]);
  });

  it.each([
    ["occurs without the deletion as well", fault("one", undefined, AT), [fault("one", undefined, AT)]],
    ["cannot be tried without it", fault("one", undefined, AT), undefined],
    ["is of the deletion itself", fault("one", DELETING, AT), []],
    ["is of what is below it", fault("one", DELETING, [...AT, 0]), []],
  ])("leaves a fault as it is that %s", (_what, one, without) => {
    expect(blameDeletions([one], [DELETING], () => without)).toEqual([one]);
  });

  it.each([
    ["another place of the same overlay", fault("one", DELETING, ["spec", "containers", 0, "image"])],
    ["the mapping that the deletion is in", fault("one", DELETING, ["spec"])],
    ["the same place of another overlay", fault("one", rendering("other", DELETING.overlay), AT)],
  ])("blames the deletion for a fault of %s", (_what, one) => {
    expect(blameDeletions([one], [DELETING], () => [])).toMatchObject([{ from: DELETING, deletes: "spec.volumes" }]);
  });
});
