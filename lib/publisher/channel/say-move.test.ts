import { describe, expect, it } from "vitest";
import { serveText } from "./say-move.ts";

const share = (percent: number) => ({ release: "new", percent });
const old = { release: "old" };

describe("serveText()", () => {
  it.each<[wanted: object, before: object | undefined, tense: "now" | "would" | "already", text: string]>([
    [{ release: "new" }, { release: "new" }, "already", "stable serves new, as before"],
    [{ release: "new" }, old, "now", "stable serves new now (old before)"],
    [{ release: "new" }, old, "would", "stable would serve new (old before)"],
    [{ release: "new" }, undefined, "now", "stable serves new now (a new channel)"],
    [{ release: "new" }, undefined, "would", "stable would serve new (a new channel)"],
    [old, { ...old, share: share(5) }, "now", "stable serves old to all workloads; new is taken back from 5 %"],
    [old, { ...old, share: share(5) }, "would", "stable would serve old to all workloads; new is taken back from 5 %"],
    [{ ...old, share: share(5) }, old, "now", "stable serves new to 5 % of the workloads, and old to the others"],
    [
      { ...old, share: share(5) },
      old,
      "would",
      "stable would serve new to 5 % of the workloads, and old to the others",
    ],
    [
      { ...old, share: share(5) },
      { ...old, share: share(5) },
      "already",
      "stable serves new to 5 % of the workloads, and old to the others, as before",
    ],
    [
      { ...old, share: share(100) },
      old,
      "now",
      "stable serves new to all workloads, and can still go back to old by itself",
    ],
  ])("%# is what the channel serves, and what before", (wanted, before, tense, text) => {
    expect(serveText("stable", before as never, { action: "promote", ...wanted } as never, tense)).toBe(text);
  });

  it("says how a rollback goes back further than the share that it takes back", () => {
    const before = { ...old, share: share(5) };
    const text = serveText("stable", before, { action: "rollback", ...old }, "now");
    expect(text).toMatch(/from 5 % \(to go back further, run "outrigger rollback stable" again\)$/);
  });
});
