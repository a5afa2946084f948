// The table that the API server's own policy plugin is held against (`npm run test:admission`, where Go is installed). Making it checks the
// audit's definition on every pod, injected or not.

import { describe, expect, it } from "vitest";
import { safetyNetTables } from "./safety-net-table.ts";

describe("safetyNetTables()", () => {
  it("has every combination, with pods that are rejected and pods that are not", async () => {
    const cases = (await safetyNetTables()).flatMap((table) => table.cases);
    const rejected = cases.filter(({ isRejected }) => isRejected).length;
    expect([cases.length, rejected]).toEqual([8500, 2500]);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });
});
