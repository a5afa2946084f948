// `node --import tsx test/support/out-of-turn.ts` prints the files of stories over the fake cluster that a commit leaves to others, a line each.
// `.ci/run` leaves them out; `npm test` runs all, and so does OUTRIGGER_WHOLE=1.
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Turn, turnOf } from "./in-turn.ts";

const FOLDER = "test/eks";

/** What guards tokens and permissions is no story. */
const EACH_COMMIT = new Set(["leaked-token", "rbac", "rotate-token", "safety-net-table", "wrong-server"]);

/**
 * Returns the files of stories that are not in turn. Of four shares, two run one half of the files: what a file has in two shares of its
 * own has its turn with either.
 */
export function outOfTurn({ has }: Turn): readonly string[] {
  const inTurn = [has(0) || has(1), has(2) || has(3)];
  const folder = fileURLToPath(new URL(`../../${FOLDER}`, import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts") && !name.endsWith(".prop.test.ts"));
  return files
    .filter((name) => !EACH_COMMIT.has(basename(name, ".test.ts")))
    .toSorted()
    .filter((_, index) => inTurn[index % 2] === false)
    .map((name) => `${FOLDER}/${name}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Which share it is goes where no file is read from.
  console.info = console.error;
  for (const file of outOfTurn(turnOf("Stories over the fake cluster", 4))) console.log(file);
}
