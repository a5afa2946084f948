// `outrigger lint`: everything that is wrong with a tree, each with its position.

import { defined, OutriggerError } from "@outrigger/base";
import { type Guardrails, guardRelease, parseGuardrails } from "@outrigger/guardrails";
import type { Release, SourceTree, TreeFinding } from "@outrigger/injector";
import { lintTree } from "@outrigger/injector";
import { readSettledSource, readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import { type Command, InvalidArgumentError, Option } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { githubFindings, sarifFindings } from "../../diagnose/finding-formats.ts";
import { describeFindings, requireNoErrors } from "../../diagnose/lint-report.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import { previewEdit } from "../../releases/preview-edit.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";
import { withStored } from "../../tree/stored-text.ts";
import { describeSize, type TreeSize, treeSize } from "../../tree/tree-size.ts";

interface LintOptions extends AwsOptions {
  readonly store?: true;
  readonly strict?: true;
  readonly guardrails?: Guardrails;
  readonly json?: true;
  readonly format: Format;
}

type Format = "text" | "json" | "github" | "sarif";

const FORMATS: readonly Format[] = ["text", "json", "github", "sarif"];

const NOTES = `
Findings are printed as file:line:column: severity: message. Errors keep a tree from being published, warnings do not.
Exits 1 if there are errors. With --strict every warning is an error. Without errors, it prints how much of what parameters
hold is used and free (docs/publishing.md#how-much-fits). --format github annotates a GitHub Actions run,
--format sarif is for code scanning. With --deployment, it also compares what pods get there, and warns of what would wait for a
person (outrigger channel holds). --guardrails takes the deployment's setting (docs/guardrails.md): baseline,image:registry.example/*

Examples:
  outrigger lint my-templates
  outrigger lint my-templates --strict --format github
  outrigger lint my-templates --deployment prod
  outrigger lint my-templates --guardrails baseline
  outrigger lint --store --deployment prod`;

export function addLintCommand(program: Command, io: Io): void {
  withAwsOptions(program.command("lint"))
    .description("find everything that is wrong with a source tree")
    .argument("[dir]", "the directory of the source tree (default: the current one)")
    .option("--store", "lint the tree in Parameter Store instead")
    .option("--strict", "report warnings as errors")
    .option("--guardrails <text>", "also find what a deployment with these would refuse: baseline", guardrailsOption)
    .addOption(new Option("--format <format>", "how findings are printed").choices(FORMATS).default("text"))
    .option("--json", "the same as --format json")
    .addHelpText("after", NOTES)
    .action((directory: string | undefined, options: LintOptions) => runLint(directory, options, io));
}

async function runLint(directory: string | undefined, options: LintOptions, io: Io): Promise<void> {
  if (options.store === true && directory !== undefined) {
    throw new OutriggerError("usage", "Cannot lint a directory and --store at once: leave one of them out");
  }
  const [tree, shipped] = await Promise.all([readTree(directory, options, io), shippedTree(io)]);
  const { findings: found, release } = lintTree([shipped, tree]);
  const guarded = release && options.guardrails ? guardFindings(options.guardrails, release, [shipped, tree]) : [];
  const effects = release === undefined ? [] : await effectFindings({ tree, shipped }, options, io);
  const graded = [...emptyFinding(tree, directory), ...withStored(found, tree), ...guarded, ...effects];
  const findings = options.strict === true ? graded.map(asError) : graded;
  const isGood = release !== undefined && Object.keys(tree).length > 0 && !findings.some(isError);
  const size = release === undefined ? undefined : treeSize(release, tree);
  const good = isGood ? `No errors: it compiles to release ${releaseDigest(release)}\n` : "";
  const sizes = size === undefined || good === "" ? "" : describeSize(size, tree);
  printFindings({ findings, ...defined({ size }) }, `${good}${sizes}`, directory ?? ".", options, io);
  requireNoErrors(findings, graded.some(isError) ? "pass" : "pass with --strict");
}

/** What is not set is left out. */
function guardrailsOption(text: string): Guardrails {
  if (text !== "") return parseGuardrails(text);
  throw new InvalidArgumentError("Name a level: off, privileged, baseline or restricted.");
}

function guardFindings(
  guardrails: Guardrails,
  release: Release,
  layers: readonly SourceTree[],
): readonly TreeFinding[] {
  return guardRelease(guardrails, release, layers).map((finding) => ({ severity: "error", ...finding }));
}

function isError({ severity }: TreeFinding): boolean {
  return severity === "error";
}

function asError(finding: TreeFinding): TreeFinding {
  return { ...finding, severity: "error" };
}

interface Found {
  readonly findings: readonly TreeFinding[];
  readonly size?: TreeSize;
}

function printFindings(found: Found, good: string, directory: string, { format, json }: LintOptions, io: Io): void {
  const { findings } = found;
  if (format === "github") io.stdout.write(printable(githubFindings(findings, directory)));
  else if (format === "sarif") io.stdout.write(sarifFindings(findings, directory, io.version));
  else printResult(io, json ?? (format === "json" || undefined), found, describeFindings(findings) + good);
}

/** A directory without a tree compiles to the shipped templates: probably it is the wrong one. */
function emptyFinding(tree: SourceTree, directory: string | undefined): readonly TreeFinding[] {
  if (Object.keys(tree).length > 0) return [];
  const subject = directory === undefined ? "the source tree" : directory;
  const message = `${subject} is empty, so the shipped templates apply unchanged: "outrigger pull" fills it, and templates/NAME.hbs or values/10-mine.yaml start it`;
  return [{ severity: "warning", path: "", message }];
}

/** Where a deployment is named: what the tree would do to its pods that a person has to accept. */
async function effectFindings(
  trees: Parameters<typeof previewEdit>[0],
  options: LintOptions,
  io: Io,
): Promise<readonly TreeFinding[]> {
  if (options.store !== true && options.deployment === undefined) return [];
  try {
    const { held } = await previewEdit(trees, await openDeployment(options, io));
    return held === undefined ? [] : [{ severity: "warning", path: "", message: held }];
  } catch (error) {
    if (!(error instanceof OutriggerError) || error.code !== "config-invalid") throw error;
    return [{ severity: "error", path: "config", message: error.message }];
  }
}

async function readTree(directory: string | undefined, options: LintOptions, io: Io): Promise<SourceTree> {
  if (options.store !== true) return readSourceTree(directoryOf(directory, io));
  const { store, target } = await openDeployment(options, io);
  return (await readSettledSource(store, target.layout)).tree;
}
