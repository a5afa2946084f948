// `node --import tsx tools/conformance/chart-templates.ts ISTIO_GIT_DIR [DIR]`: imports the templates of each Istio release's chart as if
// they were a user's own, and prints how many cases give what that release's injector gives with them. The cases are those that
// are kept in the project, or those below DIR/<release>/cases, measured on that release.
import { join, resolve } from "node:path";
import type { SourceTree } from "@outrigger/injector";
import { loadRelease } from "@outrigger/injector";
import { ISTIO_RELEASES, type IstioRelease } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import { imageTagOf } from "../../test/reference/measured-releases.ts";
import { casesOfRelease } from "../../test/reference/release-expectations.ts";
import { setsIn, vendoredSets } from "./case-sets.ts";
import { compareObjects } from "./compare-objects.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { outcomeOfError, releaseOfCase, throughInjector } from "./entry-points.ts";
import { importChart } from "./import-chart.ts";
import { judgeCase } from "./judge-case.ts";
import { caseResult, failureLines } from "./report.ts";

const [repository, directory, only] = process.argv.slice(2);
if (repository === undefined) throw new Error("Name the git directory of a clone of istio/istio");
const shipped = await readSourceTree("templates");
let failed = 0;
console.log("| release | chart | findings | cases | equal |\n|---|---|---:|---:|---:|");
for (const release of ISTIO_RELEASES) {
  if (only === undefined || only === release) await judgeChart(release);
}
process.exitCode = failed === 0 ? 0 : 1;

async function judgeChart(release: IstioRelease): Promise<void> {
  const tag = release === "development" ? "HEAD" : imageTagOf(release);
  const { tree, findings } = importChart(repository as string, tag, shipped);
  const cases = casesFor(release);
  const lines: string[] = [];
  let passed = 0;
  for (const each of cases) {
    const differences = await judge(each, tree);
    if (differences.length === 0) passed += 1;
    else {
      const entryPoints = [{ entryPoint: "inject", differences, rows: [] }];
      lines.push(...failureLines(caseResult(each.name, entryPoints)));
    }
  }
  console.log(`| ${release} | ${tag} | ${findings.length} | ${cases.length} | ${passed} |`);
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

function casesFor(release: IstioRelease): readonly ConformanceCase[] {
  if (directory === undefined)
    return casesOfRelease(
      vendoredSets().flatMap((set) => set.cases),
      release,
    );
  const sets = setsIn(join(resolve(directory), release));
  return sets.flatMap((set) => set.cases).map((each) => ({ ...each, istio: release }));
}
