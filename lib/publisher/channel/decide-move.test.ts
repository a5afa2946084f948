import { describe, expect, it } from "vitest";
import { serveText } from "./decide-move.ts";

const share = (percent: number) => ({ release: "new", percent });
const old = { release: "old" };

describe("serveText()", () => {
  it.each<[wanted: object, before: object | undefined, dryRun: boolean | undefined, text: string]>([
    [{ release: "new" }, { release: "new" }, undefined, "stable serves new, as before"],
    [{ release: "new" }, old, false, "stable serves new now (old before)"],
    [{ release: "new" }, old, true, "stable would serve new (old before)"],
    [{ release: "new" }, undefined, false, "stable serves new now (a new channel)"],
    [{ release: "new" }, undefined, true, "stable would serve new (a new channel)"],
    [old, { ...old, share: share(5) }, false, "stable serves old to all workloads; new is taken back from 5 %"],
    [old, { ...old, share: share(5) }, true, "stable would serve old to all workloads; new is taken back from 5 %"],
    [{ ...old, share: share(5) }, old, false, "stable serves new to 5 % of the workloads, and old to the others"],
    [{ ...old, share: share(5) }, old, true, "stable would serve new to 5 % of the workloads, and old to the others"],
    [
      { ...old, share: share(5) },
      { ...old, share: share(5) },
      undefined,
      "stable serves new to 5 % of the workloads, and old to the others, as before",
    ],
    [
      { ...old, share: share(100) },
      old,
      false,
      "stable serves new to all workloads, and can still go back to old by itself",
    ],
  ])("%# is what the channel serves, and what before", (wanted, before, dryRun, text) => {
    expect(serveText("stable", before as never, { action: "promote", ...wanted } as never, dryRun)).toBe(text);
  });

  it("says how a rollback goes back further than the share that it takes back", () => {
    const before = { ...old, share: share(5) };
    const text = serveText("stable", before, { action: "rollback", ...old }, false);
    expect(text).toMatch(/from 5 % \(to go back further, run "outrigger rollback stable" again\)$/);
  });
});
