// `outrigger lint`: everything that is wrong with a tree, each with its place.
import type { Command } from "commander";
import { OutriggerError } from "../../lib/errors.ts";
import { lintTree } from "../../lib/release/lint-tree.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import { releaseDigest } from "../../lib/serve/release-digest.ts";
import { readSourceTree } from "../../lib/source/source-directory.ts";
import { readSourceParameters } from "../../lib/source/source-parameters.ts";
import { type AwsOptions, withAwsOptions } from "../aws-options.ts";
import { openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { describeFindings, requireNoErrors } from "../lint-report.ts";
import { printResult } from "../print.ts";
import { directoryOf, shippedTree } from "../tree/read-trees.ts";
import { withStored } from "../tree/stored-text.ts";

interface LintOptions extends AwsOptions {
  readonly store?: true;
  readonly strict?: true;
  readonly json?: true;
}

const NOTES = `
Findings are printed as file:line:column: severity: message. Errors keep a tree from being published, warnings do not.
Exits 1 if there are errors, and with --strict if there are warnings.

Examples:
  outrigger lint my-templates
  outrigger lint --store --deployment prod`;

export function addLintCommand(program: Command, io: Io): void {
  withAwsOptions(program.command("lint"))
    .description("find everything that is wrong with a source tree")
    .argument("[dir]", "the directory of the source tree (default: the current one)")
    .option("--store", "lint what stands in Parameter Store instead")
    .option("--strict", "count warnings as errors")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", NOTES)
    .action((directory: string | undefined, options: LintOptions) => runLint(directory, options, io));
}

async function runLint(directory: string | undefined, options: LintOptions, io: Io): Promise<void> {
  if (options.store === true && directory !== undefined) {
    throw new OutriggerError("usage", "Cannot lint a directory and --store at once: leave one of them out");
  }
  const [tree, shipped] = await Promise.all([readTree(directory, options, io), shippedTree(io)]);
  const { findings: found, release } = lintTree([shipped, tree]);
  const findings = withStored(found, tree);
  const good =
    release === undefined || found.length < findings.length
      ? ""
      : `No errors: it compiles to release ${releaseDigest(release)}`;
  printResult(io, options.json, { findings }, describeFindings(findings) + good);
  requireNoErrors(findings, "publish");
  if (options.strict === true && findings.length > 0) {
    throw new OutriggerError("tree-invalid", "Cannot pass: there are warnings, and --strict counts them");
  }
}

async function readTree(directory: string | undefined, options: LintOptions, io: Io): Promise<SourceTree> {
  if (options.store !== true) return readSourceTree(directoryOf(directory, io));
  const { store, target } = await openDeployment(options, io);
  return (await readSourceParameters(store, target.layout)).tree;
}
