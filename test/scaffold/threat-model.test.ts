// Holds docs/threat-model.md against the tests that it calls its proof.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PAGE = readFileSync("docs/threat-model.md", "utf8");
const PROOFS = PAGE.split("\n")
  .filter((line) => line.startsWith("| ") && line.endsWith(" |"))
  .flatMap((line) => proofsIn(line.slice(0, -2).split(" | ").at(-1) as string));

interface Proof {
  readonly path: string;
  readonly names: readonly string[];
}

/** `path`: "name"; "name"; `path` … */
function proofsIn(cell: string): readonly Proof[] {
  return [...cell.matchAll(/`([\w./-]+\/[\w./-]+)`([^`]*)/g)].map(([, path = "", rest = ""]) => ({
    path,
    names: [...rest.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string),
  }));
}

describe("docs/threat-model.md", () => {
  it("has proofs", () => {
    expect(PROOFS.flatMap(({ names }) => names).length).toBeGreaterThan(30);
  });

  it.each(PROOFS)("names tests that there are: $path $names", ({ path, names }) => {
    expect(existsSync(path)).toBe(true);
    if (names.length === 0) return;
    const source = readFileSync(path, "utf8");
    for (const name of names) expect(source).toContain(name);
  });
});
