// Istio's measured behaviour, case by case, through `injectPod`. The other doors: `npm run conformance`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import { readSourceTree } from "../../lib/store/directory-store.ts";
import type { ConformanceCase } from "../support/conformance-case.ts";
import { releaseOfCase, throughInjectPod } from "../support/conformance-doors.ts";
import { type Compare, judgeCase } from "../support/judge-case.ts";

const directory = resolve(process.env["OUTRIGGER_CONFORMANCE"] ?? "../shared/conformance");
const isThere = existsSync(join(directory, "cases"));
const folders = isThere ? readdirSync(join(directory, "cases")) : [];

// Where the data are not at hand there is nothing to compare with: the name of the suite says what to do about it.
describe.skipIf(!isThere)(`injectPod() (cases in ${directory}, or set OUTRIGGER_CONFORMANCE)`, () => {
  let shipped: SourceTree;
  let compare: Compare;

  beforeAll(async () => {
    shipped = await readSourceTree("templates");
    compare = (await import(pathToFileURL(join(directory, "compare.mjs")).href)).differences;
  });

  it("finds cases", () => {
    expect(folders.length).toBeGreaterThan(0);
  });

  describe.each(folders)("%s", (folder) => {
    it.each(readdirSync(join(directory, "cases", folder)))("gives what the reference gives in %s", async (file) => {
      const conformanceCase = readCase(join(directory, "cases", folder, file));
      const { expect: _, ...input } = conformanceCase;
      const outcome = await throughInjectPod(input, releaseOfCase(shipped, input));
      expect(judgeCase(conformanceCase, outcome, compare)).toEqual([]);
    });
  });
});

function readCase(file: string): ConformanceCase {
  return JSON.parse(readFileSync(file, "utf8")) as ConformanceCase;
}
