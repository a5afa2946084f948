import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inTurn, type Turn, turnOf } from "../support/in-turn.ts";
import { hasSite, measuresOutOfTurn, outOfTurn, RECIPES_AND_SITE } from "../support/out-of-turn.ts";

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
  const left = Array.from({ length: 8 }, (_, share) => outOfTurn({ shares: 8, has: (index) => index === share }));

  it("runs each story at two shares, one of them even and one odd", () => {
    const stories = [...new Set(left.flat())];
    for (const story of stories) {
      const shares = left.flatMap((files, share) => (files.includes(story) ? [] : [share]));
      expect([story, shares.length, shares.map((share) => share % 2)]).toEqual([story, 2, [0, 1]]);
    }
    const files = readdirSync("test/eks").filter((name) => name.endsWith(".test.ts"));
    expect(stories.length).toBeGreaterThan(files.length / 2);
    const lengths = left.map(({ length }) => length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
  });

  it("leaves no guard of tokens or permissions to another share, and with OUTRIGGER_WHOLE=1 nothing", () => {
    for (const guard of ["rbac", "leaked-token", "rotate-token"])
      expect(left.flat()).not.toContain(`test/eks/${guard}.test.ts`);
    expect(outOfTurn(turnOf("Stories", 8, true))).toEqual([]);
  });
});

describe("vitest --exclude", () => {
  it("leaves out the files of others, which are in a project with a list of its own", () => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
    const words = ["list", "--filesOnly", "--project", "unit", "--exclude", "test/eks/rings.test.ts", "test/eks/r"];
    const argv = ["node_modules/vitest/vitest.mjs", ...words];
    const listed = execFileSync(process.execPath, argv, { env, encoding: "utf8", stdio: "pipe" });
    expect(listed).toContain("test/eks/rbac.test.ts");
    expect(listed).not.toContain("test/eks/rings.test.ts");
  });
});

describe("measuresOutOfTurn()", () => {
  it("leaves each measure to the other share, and with OUTRIGGER_WHOLE=1 none", () => {
    const left = [0, 1].map((share) => measuresOutOfTurn({ shares: 2, has: (index) => index === share }));
    expect(left.map(({ length }) => length)).toEqual([1, 1]);
    expect(new Set(left.flat()).size).toBe(2);
    for (const file of left.flat()) expect(existsSync(file)).toBe(true);
    expect(measuresOutOfTurn(turnOf("Measures", 2, true))).toEqual([]);
  });
});

describe("hasSite()", () => {
  it("builds the site at every other share, and with OUTRIGGER_WHOLE=1", () => {
    const shares = Array.from({ length: RECIPES_AND_SITE }, (_, share) => share);
    const sites = shares.filter((share) => hasSite({ shares: RECIPES_AND_SITE, has: (index) => index === share }));
    expect(sites).toEqual(shares.filter((share) => share % 2 === 1));
    expect(hasSite(turnOf("Recipes and the site", RECIPES_AND_SITE, true))).toBe(true);
  });
});
