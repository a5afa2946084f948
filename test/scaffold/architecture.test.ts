// The packages on docs/contributing/architecture.md are those of the package.json files. `UPDATE_GOLDEN=1` writes the table and the graph again;
// then `node --import tsx scripts/site/draw-diagrams.ts` draws the picture.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Package, PURE, readPackages } from "./packages.ts";
import { packageGraph } from "./refuse-imports.ts";

const PAGE = "docs/contributing/architecture.md";
const packages = readPackages();
const graph = packageGraph(packages);
const short = (name: string) => name.replace("@outrigger/", "");

/** Everything that a package reaches, itself left out. */
function reached(name: string): ReadonlySet<string> {
  const direct = graph.get(name) ?? [];
  return new Set(direct.flatMap((one) => [one, ...reached(one)]));
}

/** The packages, those that use most first: an arrow points down. */
const ordered = packages.toSorted(
  (a, b) => reached(b.name).size - reached(a.name).size || a.name.localeCompare(b.name),
);

function table(): string {
  const rows = ordered.map(({ folder }) => {
    const { description } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `| [${folder}](../../${folder}/README.md) | ${description} |`;
  });
  return ["| package | what it does |", "|---|---|", ...rows].join("\n");
}

/** Draws the packages without arrows that follow from others, such as to what a dependency depends on. */
function drawing(): string {
  const arrows = ordered.flatMap(({ name }) => {
    const direct = graph.get(name) ?? [];
    const indirect = new Set(direct.flatMap((one) => [...reached(one)]));
    return direct
      .filter((one) => !indirect.has(one))
      .sort()
      .map((one) => `  ${short(name)} --> ${short(one)}`);
  });
  const pure = ordered.filter(isPure).map(({ name }) => short(name));
  return [
    "```mermaid",
    "flowchart TD",
    ...arrows,
    `  classDef pure stroke-width:3px`,
    `  class ${pure.join(",")} pure`,
    "```",
  ].join("\n");
}

const isPure = ({ folder }: Package) => PURE.includes(folder.replace("lib/", ""));

describe("docs/contributing/architecture.md", () => {
  const written = (text: string) =>
    text
      .replace(/\| package \| what it does \|\n(?:\|.*\n)+/, () => `${table()}\n`)
      .replace(/```mermaid\nflowchart TD\n {2}cli [\s\S]*?\n```/, () => drawing());

  it("shows the packages and what they use as package.json declares it", () => {
    const text = readFileSync(PAGE, "utf8");
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, written(text));
    const shown = readFileSync(PAGE, "utf8");
    expect(shown).toContain(table());
    expect(shown).toContain(drawing());
  });

  it("names the pure packages that Biome keeps from the platform", () => {
    const { overrides } = JSON.parse(readFileSync("biome.json", "utf8"));
    const rule = overrides.find(({ linter }: { readonly linter: object }) =>
      JSON.stringify(linter).includes("noRestrictedGlobals"),
    );
    const folders = rule.includes.filter((one: string) => one.startsWith("lib/"));
    expect(folders.toSorted()).toEqual(PURE.map((name) => `lib/${name}/**`).toSorted());
  });
});
