// `node --import tsx test/support/out-of-turn.ts` prints what `.ci/run` leaves to other commits, a line each: files of tests, and `site`. `npm test`
// runs all files, and OUTRIGGER_WHOLE=1 leaves nothing out.
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Turn, turnOf } from "./in-turn.ts";

const FOLDER = "test/eks";

/** What guards tokens and permissions is no story. */
const EACH_COMMIT = new Set(["leaked-token", "rbac", "rotate-token", "safety-net-table", "wrong-server"]);

/** They count what code runs while V8 compiles nothing, which takes ten times as long: the same code for other pods. */
const MEASURES: readonly string[] = ["growth", "costly-annotations"].map((name) => `tools/bench/test/${name}.test.ts`);

/** Shares of what follows one of eight recipes, or builds the pages as a site. */
export const RECIPES_AND_SITE = 16;

/**
 * Returns the files of stories over the fake cluster that are not in turn. Of eight shares, two run the same quarter of the files: what a file has
 * in two shares of its own has its turn with either.
 */
export function outOfTurn({ has }: Turn): readonly string[] {
  const inTurn = [0, 1, 2, 3].map((quarter) => has(2 * quarter) || has(2 * quarter + 1));
  const folder = fileURLToPath(new URL(`../../${FOLDER}`, import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts") && !name.endsWith(".prop.test.ts"));
  return files
    .filter((name) => !EACH_COMMIT.has(basename(name, ".test.ts")))
    .toSorted()
    .filter((_, index) => inTurn[index % 4] === false)
    .map((name) => `${FOLDER}/${name}`);
}

/** Returns the measure that is not in turn. */
export function measuresOutOfTurn({ has }: Turn): readonly string[] {
  return MEASURES.filter((_, index) => !has(index));
}

/** Whether the pages are built as a site: by each commit that follows no recipe (test/recipes/recipes.test.ts). */
export function hasSite({ shares, has }: Turn): boolean {
  return Array.from({ length: shares }, (_, share) => share).some((share) => share % 2 === 1 && has(share));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Which share it is goes where no file is read from.
  console.info = console.error;
  for (const file of outOfTurn(turnOf("Stories over the fake cluster", 8))) console.log(file);
  for (const file of measuresOutOfTurn(turnOf("How much code runs", 2))) console.log(file);
  if (!hasSite(turnOf("Recipes and the site", RECIPES_AND_SITE))) console.log("site");
}
