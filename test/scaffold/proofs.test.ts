// Holds the pages that name tests as their proof against those tests: the last cell of each row of a table.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Proof {
  readonly path: string;
  readonly names: readonly string[];
}

/** `path`: "name"; "the beginning of a name …"; `path` … */
function proofsIn(cell: string): readonly Proof[] {
  return [...cell.matchAll(/`([\w./-]+\/[\w./-]+)`([^`]*)/g)].map(([, path = "", rest = ""]) => ({
    path,
    names: [...rest.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string),
  }));
}

function proofsOf(page: string): readonly Proof[] {
  return readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.endsWith(" |"))
    .flatMap((line) => proofsIn(line.slice(0, -2).split(" | ").at(-1) as string));
}

describe.each([
  ["docs/contributing/threat-model.md", 30],
  ["docs/contributing/faults.md", 28],
])("%s", (page, least) => {
  const proofs = proofsOf(page);

  it("has proofs", () => {
    expect(proofs.flatMap(({ names }) => names).length).toBeGreaterThan(least);
  });

  it.each(proofs)("names tests that exist: $path $names", ({ path, names }) => {
    expect(existsSync(path)).toBe(true);
    if (names.length === 0) return;
    const source = readFileSync(path, "utf8");
    for (const name of names) {
      const [beginning = "", ...others] = name.split(" …");
      const found = source.split(beginning).length - 1;
      expect(found, name).toBeGreaterThan(0);
      if (others.length > 0) expect(found, `tests that begin so: ${name}`).toBe(1);
    }
  });
});
