// The table that the API server's own policy plugin is held against (`npm run test:admission`, where Go is installed). Making it checks the
// audit's definition on every pod, injected or not.

import { DECISION_ROWS, OTHER_REASONS } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { safetyNetTables } from "./safety-net-table.ts";

describe("safetyNetTables()", () => {
  it("has every combination, with pods that are rejected and pods that are not", async () => {
    const cases = (await safetyNetTables()).flatMap((table) => table.cases);
    const rejected = cases.filter(({ isRejected }) => isRejected).length;
    expect([cases.length, rejected]).toEqual([14_802, 4452]);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  it("has a pod for every row of decide(): a row that the net does not know would reject its pods", async () => {
    const reasons = (await safetyNetTables()).flatMap((table) => table.cases).map(({ reason }) => reason);
    // The selectors of the bindings leave system namespaces out, as those of the webhooks do: selectors.prop.test.ts.
    const rows = [...OTHER_REASONS, ...Object.keys(DECISION_ROWS)].filter((row) => row !== "system-namespace");
    expect([...new Set<string>(reasons)].sort()).toEqual(rows.sort());
  });
});
