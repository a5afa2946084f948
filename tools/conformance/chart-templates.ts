// `node --import tsx tools/conformance/chart-templates.ts --help` prints the options. Imports the templates of each Istio release's chart as if
// they were a user's own, and prints how many cases give what that release's injector gives with them.
import { join, resolve } from "node:path";
import type { SourceTree } from "@outrigger/injector";
import { loadRelease } from "@outrigger/injector";
import { ISTIO_RELEASES, type IstioRelease } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import { imageTagOf } from "../../test/reference/measured-releases.ts";
import { casesOfRelease } from "../../test/reference/release-expectations.ts";
import { toolOptions } from "../support/tool-options.ts";
import { setsIn, vendoredSets } from "./case-sets.ts";
import { compareObjects } from "./compare-objects.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { outcomeOfError, releaseOfCase, throughInjector } from "./entry-points.ts";
import { importChart } from "./import-chart.ts";
import { judgeCase } from "./judge-case.ts";
import { caseResult, failureLines } from "./report.ts";

const { repository, directory, only } = toolOptions({
  command: "node --import tsx tools/conformance/chart-templates.ts",
  says: [
    "Imports the templates of each Istio release's chart, and prints how many cases give what that release's injector gives with",
    "them. Exits 1 where one does not.",
  ].join("\n"),
  arguments: {
    repository: { value: "ISTIO_GIT_DIR", says: "the git directory of a clone of istio/istio" },
    directory: {
      value: "DIR",
      optional: true,
      says: "a folder with cases, measured on each release, below DIR/RELEASE/cases; otherwise those of the project",
    },
    only: { oneOf: ISTIO_RELEASES, value: "RELEASE", optional: true, says: "only this release" },
  },
  example: "node --import tsx tools/conformance/chart-templates.ts ~/istio/.git",
});
const shipped = await readSourceTree("templates");
let failed = 0;
console.log("| release | chart | findings | cases | equal |\n|---|---|---:|---:|---:|");
for (const release of ISTIO_RELEASES) {
  if (only === undefined || only === release) await judgeChart(release);
}
process.exitCode = failed === 0 ? 0 : 1;

async function judgeChart(release: IstioRelease): Promise<void> {
  const tag = release === "development" ? "HEAD" : imageTagOf(release);
  const { tree, findings } = importChart(repository, tag, shipped);
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
