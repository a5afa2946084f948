// `node --import tsx tools/conformance/chart-templates.ts ISTIO_GIT_DIR [DIR]`: imports the templates of each Istio release's chart as if
// they were a user's own, and prints how many cases give what that release's injector gives with them. The cases are those that
// are kept in the project, or those below DIR/<release>/cases, measured on that release.
import { join, resolve } from "node:path";
import type { SourceTree } from "@outrigger/injector";
import { loadRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { casesOfRelease } from "../../test/reference/release-expectations.ts";
import { setsIn, vendoredSets } from "./case-sets.ts";
import { compareObjects } from "./compare-objects.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { outcomeOfError, releaseOfCase, throughInjector } from "./entry-points.ts";
import { importChart } from "./import-chart.ts";
import { judgeCase } from "./judge-case.ts";
import { caseResult, failureLines } from "./report.ts";

/** Release → the tag whose chart is imported. */
const TAGS = {
  "1.28": "1.28.10",
  "1.29": "1.29.6",
  "1.30": "1.30.3",
  "1.31": "1.31.0-rc.0",
  development: "HEAD",
} as const;
type Release = keyof typeof TAGS;

const [repository, directory, only] = process.argv.slice(2);
if (repository === undefined) throw new Error("Name the git directory of a clone of istio/istio");
const shipped = await readSourceTree("templates");
let failed = 0;
console.log("| release | chart | findings | cases | equal |\n|---|---|---:|---:|---:|");
for (const release of Object.keys(TAGS) as readonly Release[]) {
  if (only === undefined || only === release) await judgeChart(release);
}
process.exitCode = failed === 0 ? 0 : 1;

async function judgeChart(release: Release): Promise<void> {
  const { tree, findings } = importChart(repository as string, TAGS[release], shipped);
  const cases = casesFor(release);
  const lines: string[] = [];
  let passed = 0;
  for (const each of cases) {
    const differences = await judge(each, tree);
    if (differences.length === 0) passed += 1;
    else {
      const entryPoints = [{ entryPoint: "inject", differences }];
      lines.push(...failureLines(caseResult(each.name, entryPoints)));
    }
  }
  console.log(`| ${release} | ${TAGS[release]} | ${findings.length} | ${cases.length} | ${passed} |`);
  for (const line of [...findings, ...lines.slice(0, 40)]) console.log(line);
  failed += findings.length + cases.length - passed;
}

async function judge(conformanceCase: ConformanceCase, tree: SourceTree): Promise<readonly string[]> {
  const { expect: _, ...input } = conformanceCase;
  try {
    const outcome = await throughInjector(input, loadRelease(releaseOfCase(tree, input)));
    return judgeCase(conformanceCase, outcome, compareObjects);
  } catch (error) {
    return judgeCase(conformanceCase, outcomeOfError(error), compareObjects);
  }
}

function casesFor(release: Release): readonly ConformanceCase[] {
  if (directory === undefined)
    return casesOfRelease(
      vendoredSets().flatMap((set) => set.cases),
      release,
    );
  const sets = setsIn(join(resolve(directory), release));
  return sets.flatMap((set) => set.cases).map((each) => ({ ...each, istio: release }));
}
