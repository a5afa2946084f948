import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTable } from "./read-table.ts";

interface Row {
  readonly name: string;
  readonly size: "small" | "large";
  readonly findings?: readonly string[];
}

describe("readTable()", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-tables-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const written = (text: string) => {
    const file = join(folder, "table.yaml");
    writeFileSync(file, text);
    return file;
  };
  const rows = (text: string) =>
    readTable<readonly Row[]>(written(text), { name: "text", size: ["small", "large"], findings: "list?" });
  const texts = (text: string) => readTable<Readonly<Record<string, string>>>(written(text), "text");

  it("gives rows that have what they need", () => {
    expect(rows("- {name: a, size: small}\n- {name: b, size: large, findings: []}\n")).toEqual([
      { name: "a", size: "small" },
      { name: "b", size: "large", findings: [] },
    ]);
    expect(texts("a: b\n")).toEqual({ a: "b" });
  });

  it.each([
    ["[]", "it has no rows"],
    ["text", "it has no rows"],
    ["- a", "0 must be an object"],
    ["- {name: a}", "0.size must be one of: small, large"],
    ["- {name: a, size: middle}", "0.size must be one of: small, large"],
    ["- {size: small}", "0.name must be a text"],
    ["- {name: 1, size: small}", "0.name must be a text"],
    ["- {name: a, size: small}\n- {name: b, size: small, findings: c}", "1.findings must be a list"],
    ["- {name: a, size: small, finding: [c]}", "0 has a field that no row has: finding"],
  ])("refuses %j: %s", (text, why) => {
    expect(() => rows(text)).toThrow(`Cannot read ${join(folder, "table.yaml")}: ${why}`);
  });

  it.each([
    ["{}", "it has no rows"],
    ["a: 1", "a must be a text"],
    ["a:", "a must be a text"],
  ])("refuses %j as texts: %s", (text, why) => {
    expect(() => texts(text)).toThrow(`Cannot read ${join(folder, "table.yaml")}: ${why}`);
  });
});
