import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inTurn, type Turn, turnOf } from "../support/in-turn.ts";
import { outOfTurn } from "../support/out-of-turn.ts";

/** The stories that are run and skipped, in a turn. */
function storiesOf(turn: Turn) {
  const [run, skipped]: [string[], string[]] = [[], []];
  const register = Object.assign((name: string) => void run.push(name), {
    skip: (name: string) => void skipped.push(name),
  });
  const itInTurn = inTurn(register, turn);
  for (const name of ["a", "b", "c", "d", "e"]) itInTurn(name, async () => {});
  return { run, skipped };
}

describe("inTurn()", () => {
  const turns = ["a1b2c3d0", "a1b2c3d1", "a1b2c3d2"].map((commit) => turnOf("Stories", 3, false, commit));

  it("runs every third story, and reports the others as skipped", () => {
    const first = turns.find(({ has }) => has(0));
    expect(first && storiesOf(first)).toEqual({ run: ["a", "d"], skipped: ["b", "c", "e"] });
  });

  it("runs each story at some commits, and at each commit the same ones", () => {
    expect(turns.flatMap((turn) => storiesOf(turn).run).toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("runs all of them with OUTRIGGER_WHOLE=1", () => {
    expect(storiesOf(turnOf("Stories", 3, true))).toEqual({ run: ["a", "b", "c", "d", "e"], skipped: [] });
  });
});

describe("outOfTurn()", () => {
  const [first = [], same, second = [], other] = [0, 1, 2, 3].map((share) =>
    outOfTurn({ shares: 4, has: (index) => index === share }),
  );

  it("leaves each story to other shares, one of them even and one odd", () => {
    expect([same, other]).toEqual([first, second]);
    expect(Math.abs(first.length - second.length)).toBeLessThanOrEqual(1);
    expect(first.filter((file) => second.includes(file))).toEqual([]);
    const stories = readdirSync("test/eks").filter((name) => name.endsWith(".test.ts"));
    expect(first.length + second.length).toBeGreaterThan(stories.length / 2);
  });

  it("leaves no guard of tokens or permissions to another share, and with OUTRIGGER_WHOLE=1 nothing", () => {
    for (const guard of ["rbac", "leaked-token", "rotate-token"])
      expect([...first, ...second]).not.toContain(`test/eks/${guard}.test.ts`);
    expect(outOfTurn(turnOf("Stories", 4, true))).toEqual([]);
  });
});
