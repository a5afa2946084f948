// Follows docs/contributing/recipes.md literally in a copy of the project: what its blocks write compiles, and what they run passes. Every
// other commit follows one recipe, and OUTRIGGER_WHOLE=1 all of them.
// OUTRIGGER_RECIPES=all leaves each part of each recipe out as well: the compiler or one of the recipe's tests must notice.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../pages/code-blocks.ts";
import { turnOf } from "../support/in-turn.ts";
import { RECIPES_AND_SITE } from "../support/out-of-turn.ts";
import { applyStep, copyProject, type Recipe, recipesOf, type Step } from "./apply-recipe.ts";

const RECIPES = recipesOf(readFileSync(join(ROOT, "docs/contributing/recipes.md"), "utf8"));
/** Recipes for which a newcomer writes to at most three files, besides tests, generated pages and the changelog. */
const SHORT = [
  "Add a helper",
  "Add a check",
  "Add an annotation",
  "Add an option",
  "Add a guardrail kind",
  "Add an error",
];

const TYPES = "npm run types";
/** What `npm run types` compiles besides is a part of the same again, for the packages that are published. */
const [PROJECT, STUDIO] = ["npx tsc -p .", "npx tsc -p studio"];

/**
 * The commands of recipes, for a copy in which all of them are followed: what writes comes first, and what several recipes run is run
 * once. Their tests run in one process, as starting one takes longer than most of them do; the pages that they write are compared
 * in a second run of those of them that write.
 */
function togetherOf(recipes: readonly Recipe[]): readonly string[] {
  const lines = recipes.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === "run" ? step.text.split("\n").filter((line) => line !== "") : [])),
  );
  const others = lines.filter((line) => !line.includes(VITEST) && line !== TYPES && line !== PROJECT);
  const [projects, tests] = [new Set<string>(), new Set<string>()];
  for (const line of lines.filter((each) => each.includes(VITEST))) {
    const [project = "", ...files] = line.slice(line.indexOf(VITEST) + VITEST.length).split(" ");
    projects.add(project);
    for (const file of files) tests.add(file);
  }
  const all = `UPDATE_GOLDEN=1 ${VITEST}${[...projects].join(" --project ")} ${[...tests].join(" ")}`;
  const again = WRITING.filter((file) => tests.has(file));
  return [...new Set(others), all, ...(again.length === 0 ? [] : [`${VITEST}unit ${again.join(" ")}`])];
}

const VITEST = "npx vitest run --project ";
/** Tests that write pages: what is written once is as it was written. */
const WRITING = [
  "lib/injector/render/describe-helpers.test.ts",
  "lib/cluster/check/checks.test.ts",
  "lib/guardrails/kinds.test.ts",
];

describe("docs/contributing/recipes.md", () => {
  it("has a recipe for each thing that is added often", () => {
    expect(RECIPES.map(({ title }) => title)).toEqual([
      "Add a helper",
      "Add a check",
      "Add an annotation",
      "Add an option",
      "Add a guardrail kind",
      "Add an error",
      "Add an Istio release",
      "Add a language",
    ]);
    expect(RECIPES_AND_SITE).toBe(2 * RECIPES.length);
  });

  it.each(RECIPES.filter(({ title }) => SHORT.includes(title)))("$title takes at most 3 files", ({ steps }) => {
    const files = steps.flatMap((step) => (step.kind === "run" || /\.test\.ts$/.test(step.file) ? [] : [step.file]));
    expect(new Set(files).size).toBeLessThanOrEqual(3);
  });
});

/** Every other commit builds the pages as a site in place of a recipe: test/support/out-of-turn.ts. */
const turn = turnOf("Recipes and the site", RECIPES_AND_SITE);
const recipes = RECIPES.filter((_, index) => turn.has(2 * index));

describe.runIf(recipes.length > 0)("recipes, followed in a copy of the project", () => {
  let copy = "";

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "outrigger-recipes-"));
    copyProject(copy);
    for (const { steps } of recipes) for (const step of steps) applyStep(copy, step);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it("pass their commands", () => {
    for (const command of togetherOf(recipes)) expect(run(copy, command)).toBe("passed");
  });

  // After the commands, as some of them write.
  it("compile", () => {
    // With one checker: each of the usual four does a part of the others' work again.
    for (const command of [`${PROJECT} --checkers 1`, STUDIO]) expect(run(copy, command)).toBe("passed");
  });
});

describe.runIf(process.env["OUTRIGGER_RECIPES"] === "all")("without one of its parts", () => {
  it.each(RECIPES.flatMap(partsOf))("%s", (_name, steps) => {
    const copy = mkdtempSync(join(tmpdir(), "outrigger-recipe-"));
    try {
      copyProject(copy);
      expect(followed(copy, steps)).not.toBe("passed");
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

/** Tests that show what the new thing does: without them, nothing is missing of it. */
const SHOWING = ["lib/template/helpers/helpers.test.ts", "cli/commands/clusters/clusters.test.ts"];
/** Recipes whose first block is an entry of a table, of which each line is needed. */
const ENTRIES = ["Add a helper", "Add an error"];

/** A recipe without each of its blocks, and without each line of an entry: what is left out, and the other steps. */
function partsOf({ title, steps }: Recipe): readonly (readonly [name: string, steps: readonly Step[]])[] {
  const blocks = steps.flatMap((step) => (step.kind === "run" ? [] : [step]));
  const withoutBlock = blocks
    .filter(({ file }) => !SHOWING.includes(file))
    .map((left) => {
      const name = `${title}: ${left.file}, block ${blocks.indexOf(left)}, is noticed`;
      return [name, steps.filter((step) => step !== left)] as const;
    });
  const [entry] = blocks;
  if (entry === undefined || !ENTRIES.includes(title)) return withoutBlock;
  const lines = entry.text.split("\n").filter((line) => /^ +\w+: .*,$/.test(line));
  const withoutLine = lines.map((line) => {
    const shorter = { ...entry, text: entry.text.replace(`${line}\n`, "") };
    return [
      `${title}: ${entry.file}, ${line.trim()} is noticed`,
      steps.map((step) => (step === entry ? shorter : step)),
    ] as const;
  });
  return [...withoutBlock, ...withoutLine];
}

/** What the first command prints that fails in a copy in which these steps are followed, or "passed". */
function followed(copy: string, steps: readonly Step[]): string {
  try {
    for (const step of steps) applyStep(copy, step);
  } catch (error) {
    return String(error);
  }
  for (const command of [TYPES, ...steps.flatMap((step) => (step.kind === "run" ? [step.text] : []))]) {
    const said = run(copy, command);
    if (said !== "passed") return said;
  }
  return "passed";
}

/** Runs commands as the page has them, without what this test's own process has of Vitest. */
function run(cwd: string, command: string): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$)/.test(name)));
  try {
    execFileSync("bash", ["-euo", "pipefail", "-c", command], { cwd, env, stdio: "pipe" });
    return "passed";
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    return `${command}\n${String(stdout)}\n${String(stderr)}`;
  }
}
