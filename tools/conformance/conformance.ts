// Runs conformance cases at every entry point that they are meant for. `npm run conformance -- --help` lists the options.
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Release, SourceTree } from "@outrigger/injector";
import { ISTIO_RELEASES } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import type { Handler } from "../../functions/inject/api-gateway.ts";
import { builtFunction } from "../../scripts/build/built.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { casesOfRelease } from "../../test/reference/release-expectations.ts";
import { toolOptions } from "../support/tool-options.ts";
import { differenceSets, setsIn, vendoredSets } from "./case-sets.ts";
import { byDefault, caseVerdict } from "./case-verdict.ts";
import { openCli } from "./cli-entry-point.ts";
import { type ConformanceCase, treeOfCase } from "./conformance-case.ts";
import {
  type CaseInput,
  type CaseOutcome,
  type EntryPoint,
  type EntryPointOutcome,
  outcomeOfError,
  releaseOfCase,
  throughHandler,
  throughInjectPod,
} from "./entry-points.ts";
import { type CaseResult, failureLines, summarize, summaryLines } from "./report.ts";

/** `default` is `injectPod` as configured by default, and goes with `inject`. */
const ENTRY_POINTS = ["inject", "default", "lambda", "cli"] as const;

const options = toolOptions({
  command: "npm run conformance --",
  says: [
    "Runs the conformance cases below DIR/cases, or without DIR those that are kept in the project. A case passes when it passes at",
    "all its entry points, or when a row of docs/reference/differences.json explains the difference. Exits 1 where a case fails.",
  ].join("\n"),
  arguments: {
    directory: {
      value: "DIR",
      optional: true,
      says: "a folder with cases; left out, those that are kept in the project",
    },
  },
  options: {
    only: {
      type: "string",
      value: "PATTERN",
      says: "only cases whose name has this part, or matches this regular expression",
    },
    entry: {
      type: "string",
      oneOf: ENTRY_POINTS,
      several: true,
      value: "NAMES",
      says: `only these entry points, separated by commas: ${ENTRY_POINTS.join(", ")}`,
    },
    istio: {
      type: "string",
      oneOf: ISTIO_RELEASES,
      value: "RELEASE",
      says: `the Istio release that is injected; cases below DIR must be measured on it: ${ISTIO_RELEASES.join(", ")}`,
    },
    templates: {
      type: "string",
      value: "TREE",
      says: "a source tree whose templates and partials replace the shipped ones, but not at the CLI, which has its own",
    },
    json: { type: "boolean", says: "print the results as JSON" },
  },
  example: "npm run conformance -- --istio 1.30 --entry inject",
});
const directory = options.directory === undefined ? undefined : resolve(options.directory);

/** The number of releases that are kept: each is a megabyte. */
const KEPT = 50;

process.exitCode = await run();

async function run(): Promise<number> {
  const sets = directory === undefined ? [...vendoredSets(), ...differenceSets()] : setsIn(directory);
  const cases = ofRelease(sets.flatMap((set) => set.cases).filter(({ name }) => isWanted(name)));
  const entryPoints = await openEntryPoints();
  const results: CaseResult[] = [];
  for (const conformanceCase of cases) {
    const outcomes = await entryPoints.outcomes(conformanceCase);
    const result = caseVerdict(conformanceCase, outcomes, await entryPoints.throughDefault(conformanceCase));
    results.push(result);
    if (!options.json) for (const line of failureLines(result)) console.log(line);
  }
  entryPoints.close();
  const summary = summarize(results);
  if (options.json) {
    const source = directory === undefined ? "test/reference" : relative(process.cwd(), directory);
    console.log(JSON.stringify({ directory: source, ...summary, results }, null, 1));
  } else {
    for (const line of summaryLines(summary)) console.log(line);
  }
  return results.length > 0 && summary.failed === 0 ? 0 : 1;
}

/** Cases below a folder of their own expect what is written there, whatever the release. */
function ofRelease(cases: readonly ConformanceCase[]): readonly ConformanceCase[] {
  const { istio } = options;
  if (istio === undefined) return cases;
  return directory === undefined ? casesOfRelease(cases, istio) : cases.map((each) => ({ ...each, istio }));
}

/** A pattern is a part of the name, or a regular expression for it. */
function isWanted(name: string): boolean {
  return options.only === undefined || name.includes(options.only) || new RegExp(options.only).test(name);
}

async function openEntryPoints() {
  const hasTemplates = options.templates !== undefined;
  const isOpen = (name: (typeof ENTRY_POINTS)[number]) =>
    (options.entry === undefined || options.entry.includes(name)) && !(hasTemplates && name === "cli");
  const own = await readSourceTree(join(projectRoot, "templates"));
  const shipped = hasTemplates ? withTemplatesOf(own, await readSourceTree(resolve(options.templates ?? ""))) : own;
  const lambda = isOpen("lambda") ? throughHandler((await importHandlerBundle()).createHandler) : undefined;
  const cli = isOpen("cli") ? await openCli() : undefined;
  /** Cases with the same configuration share its release, and follow each other closely. */
  const releases = new Map<string, ReturnType<typeof compile>>();
  const releaseOf = (input: CaseInput) => {
    const configuration = JSON.stringify(treeOfCase(input));
    const release = releases.get(configuration) ?? compile(() => releaseOfCase(shipped, input));
    if (releases.size >= KEPT) releases.clear();
    releases.set(configuration, release);
    return release;
  };
  return {
    /**
     * Injects a case with `injectPod` as it is configured by default. Returns undefined if the entry point is not
     * wanted.
     */
    async throughDefault({ expect: _, ...input }: ConformanceCase): Promise<CaseOutcome | undefined> {
      const release = releaseOf(input);
      if (!(isOpen("inject") || isOpen("default")) || "failure" in release) return undefined;
      return throughInjectPod(input, byDefault(release.value));
    },
    async outcomes({ expect: _, ...input }: ConformanceCase): Promise<readonly EntryPointOutcome[]> {
      const release = releaseOf(input);
      const through = async (entryPoint: string, run: EntryPoint): Promise<EntryPointOutcome> => ({
        entryPoint,
        outcome: "failure" in release ? release.failure : await run(input, release.value),
      });
      return [
        ...(isOpen("inject") ? [await through("inject", throughInjectPod)] : []),
        ...(lambda === undefined ? [] : [await through("lambda", lambda)]),
        ...(cli === undefined || input.door !== "kube-inject" ? [] : await cli.run(input, treeOfCase(input))),
      ];
    },
    close: () => cli?.close(),
  };
}

/** The tree with another's templates and partials instead of its own. */
function withTemplatesOf(tree: SourceTree, other: SourceTree): SourceTree {
  const isTemplate = (path: string) => path.startsWith("templates/") || path.startsWith("partials/");
  return Object.fromEntries([
    ...Object.entries(tree).filter(([path]) => !isTemplate(path) && !path.startsWith("releases/")),
    ...Object.entries(other).filter(([path]) => isTemplate(path)),
  ]);
}

type CreateHandler = (options: { readonly release: Release; readonly write: (line: string) => void }) => Handler;

/** The very bundle that is deployed: that of dist/ where all is built, or else one in a place of its own, as other checks build dist/ meanwhile. */
async function importHandlerBundle(): Promise<{ readonly createHandler: CreateHandler }> {
  const file = await builtFunction("inject", "dist/.conformance/index.cjs");
  return import(pathToFileURL(join(projectRoot, file)).href);
}

function compile(make: () => Release) {
  try {
    return { value: make() };
  } catch (error) {
    return { failure: outcomeOfError(error) };
  }
}
