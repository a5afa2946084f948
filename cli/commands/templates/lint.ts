// `outrigger lint`: everything that is wrong with a tree, each with its position.
import { defined, once, usageError } from "@outrigger/base";
import { type Guardrails, parseGuardrails } from "@outrigger/guardrails";
import { lintSource, type Release, type SourceTree, type TreeFinding } from "@outrigger/injector";
import { listEnvironments, readEnvironment, readSettledSource, readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import { type Command, InvalidArgumentError } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { atEditedFiles, ofEnvironments } from "../../diagnose/environment-findings.ts";
import { githubFindings, sarifFindings, withFiles } from "../../diagnose/finding-formats.ts";
import {
  type DeploymentFindings,
  describeChanges,
  guardFindings,
  type LintedTree,
  lintDeployment,
} from "../../diagnose/lint-deployment.ts";
import { describeFindings, requireNoErrors } from "../../diagnose/lint-report.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { chooseEnvironment, environmentOptions } from "../../tree/environment.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";
import { describeSize, treeSize } from "../../tree/tree-size.ts";

const FORMATS = ["text", "json", "yaml", "github", "sarif"] as const;

const NOTES = `
Findings are printed as file:line:column: severity: message. Errors keep a tree from being published, warnings do not.
Exits 1 if there are errors. With --strict every warning is an error. Without errors, it prints how much of what parameters
hold is used and free (docs/releases.md#how-much-fits). -o github annotates a GitHub Actions run,
-o sarif is for code scanning. With --deployment, it also compares what pods get there, prints the classes of change, warns of
what would wait for a person (outrigger channel holds), and finds what that deployment's guardrails would refuse (docs/guardrails.md).
--guardrails gives them without a deployment: baseline,image:registry.example/*

A tree with environments (environments/NAME) is linted with each of them, or with the one that the deployment is for.

Examples:
  outrigger lint my-templates
  outrigger lint my-templates --strict -o github
  outrigger lint my-templates --deployment prod
  outrigger lint my-templates --guardrails baseline
  outrigger lint source --deployment prod`;

const LINT_OPTIONS = optionTable({
  ...deploymentOptions,
  env: { ...environmentOptions.env, about: "lay this environment of the tree over it (default: each of them)" },
  strict: { about: "report warnings as errors" },
  guardrails: {
    argument: "<text>",
    about: "find what a deployment with these would refuse: baseline",
    parse: guardrailsOption,
  },
  json: { about: "the same as -o json" },
  output: { short: "-o", argument: "<format>", about: "how findings are printed", choices: FORMATS },
});

type LintOptions = OptionsOf<typeof LINT_OPTIONS>;

export function addLintCommand(program: Command, io: Io): void {
  takes(program.command("lint"), LINT_OPTIONS)
    .description("find everything that is wrong with a source tree")
    .argument("[dir]", "the source tree's directory (default: the current one), or source: what Parameter Store holds")
    .addHelpText("after", NOTES)
    .action((directory, options) => runLint(directory, options, io));
}

interface Linted {
  readonly tree: SourceTree;
  readonly findings: readonly TreeFinding[];
  readonly release?: Release;
  readonly effects?: DeploymentFindings["effects"];
}

async function runLint(asked: string | undefined, options: LintOptions, io: Io): Promise<void> {
  // A folder of that name is `./source`.
  const isStored = asked === "source";
  if (isStored && options.env !== undefined) {
    throw usageError("Cannot use --env with source: what Parameter Store holds is of one environment already");
  }
  const directory = isStored ? undefined : asked;
  const connect = once(() => openDeployment(options, io));
  const isDeployed = isStored || options.deployment !== undefined;
  const shipped = await shippedTree(io);
  const lint = async (tree: SourceTree): Promise<Linted> => {
    const { findings, release } = lintSource([shipped, tree]);
    const empty = emptyFinding(tree, directory);
    if (release === undefined) return { tree, findings: [...empty, ...findings] };
    const judged = await judge({ tree, shipped, release }, options.guardrails, isDeployed ? connect : undefined);
    const all = [...empty, ...findings, ...judged.findings];
    return { tree, findings: all, ...defined({ release, effects: judged.effects }) };
  };
  const linted = isStored
    ? new Map([["", await lint(await storedTree(connect))]])
    : await lintDirectory(directoryOf(asked, io), options, isDeployed ? connect : undefined, lint);
  report(linted, directory ?? ".", options, io);
}

/** Lints the environments of a directory: the one that is named or that the deployment is for, or all. A tree without any is linted as it is. */
async function lintDirectory(
  directory: string,
  { env }: LintOptions,
  connect: (() => Promise<Deployment>) | undefined,
  lint: (tree: SourceTree) => Promise<Linted>,
): Promise<ReadonlyMap<string, Linted>> {
  const known = await listEnvironments(directory);
  const below = await readSourceTree(directory);
  if (env === undefined && known.length === 0) return new Map([["", await lint(below)]]);
  const own =
    connect === undefined || env !== undefined ? env : await chooseEnvironment(directory, below, env, await connect());
  const linted = new Map<string, Linted>();
  for (const name of own === undefined ? known : [own]) {
    const { tree, over } = await readEnvironment(directory, name, below);
    const found = await lint(tree);
    linted.set(name, { ...found, findings: atEditedFiles(found.findings, { name, tree, below, over }) });
  }
  return linted;
}

function report(linted: ReadonlyMap<string, Linted>, place: string, options: LintOptions, io: Io): void {
  const graded = ofEnvironments(new Map([...linted].map(([name, { findings }]) => [name, findings])));
  const findings = options.strict === true ? graded.map((one) => ({ ...one, severity: "error" }) as const) : graded;
  const all = [...linted].map(([name, { tree, release, effects }]) => {
    const isGood = release !== undefined && Object.keys(tree).length > 0 && !findings.some(isError);
    const size = release === undefined ? undefined : treeSize(release, tree);
    const what = name === "" ? "it" : `environment ${name}`;
    const good = isGood ? `No errors: ${what} compiles to release ${releaseDigest(release)}\n` : "";
    const changes = effects === undefined ? "" : `${describeChanges(effects)}\n`;
    return {
      name,
      text: `${good}${isGood && size ? describeSize(size, tree) : ""}`,
      changes,
      ...defined({ size, effects }),
    };
  });
  const changes = all.map((one) => one.changes).join("");
  if (options.output === "github") {
    const notice = changes === "" ? "" : `::notice::${changes}`;
    io.stdout.write(printable(`${githubFindings(findings, place)}${notice}`));
  } else if (options.output === "sarif") io.stdout.write(sarifFindings(findings, place, io.version));
  else {
    const [only] = all;
    const { size, effects } = all.length === 1 && only !== undefined ? only : {};
    const found = { findings: withFiles(findings, place), ...defined({ size, effects }) };
    const texts = all.map(({ text }) => text).join("");
    printResult(io, options.json, found, `${describeFindings(findings)}${texts}${changes}`);
  }
  requireNoErrors(findings, graded.some(isError) ? "pass" : "pass with --strict");
}

function guardrailsOption(text: string): Guardrails {
  if (text !== "") return parseGuardrails(text);
  throw new InvalidArgumentError("Name a level: off, privileged, baseline or restricted.");
}

function isError({ severity }: TreeFinding): boolean {
  return severity === "error";
}

async function judge(
  linted: LintedTree,
  guardrails: Guardrails | undefined,
  connect: (() => Promise<Deployment>) | undefined,
): Promise<DeploymentFindings> {
  const guarded = guardrails === undefined ? [] : guardFindings(guardrails, linted);
  if (connect === undefined) return { findings: guarded };
  const { findings, ...rest } = await lintDeployment(linted, await connect(), guardrails);
  return { findings: [...guarded, ...findings], ...rest };
}

/** A directory without a tree compiles to the shipped templates: probably it is the wrong one. */
function emptyFinding(tree: SourceTree, directory: string | undefined): readonly TreeFinding[] {
  if (Object.keys(tree).length > 0) return [];
  const message = `${directory ?? "the source tree"} is empty, so the shipped templates apply unchanged: "outrigger pull" fills it, and templates/NAME.hbs or values/10-mine.yaml start it`;
  return [{ severity: "warning", path: "", message }];
}

async function storedTree(connect: () => Promise<Deployment>): Promise<SourceTree> {
  const { store, target } = await connect();
  return (await readSettledSource(store, target.layout)).tree;
}
