// `outrigger restore`: puts back what was deleted below a deployment's prefix, as far as anything still tells it.
import type { Command } from "commander";
import { OutriggerError } from "../../lib/errors.ts";
import { lintTree } from "../../lib/release/lint-tree.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import { readSourceTree } from "../../lib/store/directory-store.ts";
import type { Cause, PublisherRequest } from "../../lib/store/publisher-request.ts";
import { readSourceParameters } from "../../lib/store/source-parameters.ts";
import { type AskSettings, type Wish, withAskOptions } from "../ask-and-print.ts";
import { type AwsOptions, withAwsOptions } from "../aws-options.ts";
import { causeOf, type Deployment, openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { describeFindings, requireNoErrors } from "../lint-report.ts";
import { printResult, progressOf } from "../print.ts";
import { printable } from "../printable.ts";
import { findReference } from "../reference.ts";
import { planRestore, type RestorePlan, requireEmpty } from "../tree/plan-restore.ts";
import { pushTree } from "../tree/push-tree.ts";
import { directoryOf, shippedTree } from "../tree/read-trees.ts";
import { settingsTree } from "../tree/settings-tree.ts";
import { withStored } from "../tree/stored-text.ts";
import { pathsOf } from "../tree/three-way.ts";

interface RestoreOptions extends AwsOptions, AskSettings {
  readonly from?: string;
  readonly force?: true;
}

const NOTES = `
What can be put back, and from what:
  source/     from a directory, wholly; from a release (--from), wholly as long as Parameter Store keeps the versions
              that it was made of, and otherwise its config, mesh config, values and namespaces, but no templates
  channels/   from what is served: a channel goes back to its release, or is published anew where that is gone
  clusters/   from what is served, their tokens included; where nothing is served any more, register them again
  serve/      from all of these
Nothing that is there is overwritten, except source/ with --force. Without a directory and --from, source/ is left alone.

Examples:
  outrigger restore my-templates --dry-run
  outrigger restore --from 1f2e3d4c5b6a`;

export function addRestoreCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("restore")))
    .description("put back what was deleted of a deployment's parameters")
    .argument("[dir]", "the directory of the source tree")
    .option("--from <release>", "a release or channel to take the source tree from")
    .option("--force", "replace a source tree that is there")
    .addHelpText("after", NOTES)
    .action((directory: string | undefined, options: RestoreOptions) => runRestore(directory, options, io));
}

interface Step {
  readonly what: string;
  readonly wishes: readonly Wish[];
}

async function runRestore(directory: string | undefined, options: RestoreOptions, io: Io): Promise<void> {
  if (directory !== undefined && options.from !== undefined) {
    throw new OutriggerError("usage", "Cannot restore from a directory and --from at once: leave one of them out");
  }
  const deployment = await openDeployment(options, io);
  const plan = await planRestore(deployment);
  const found = await findTree(directory, options, deployment, io);
  const { store, target } = deployment;
  const there = (await readSourceParameters(store, target.layout)).tree;
  if (found !== undefined && options.force !== true) requireEmpty(there, found.tree, target.layout.source);
  const steps = stepsOf(plan, found !== undefined);
  const lines = [
    ...(found === undefined ? [] : [found.what]),
    ...steps.map(({ what }) => what),
    ...warningsOf(plan, found),
  ];
  if (options.json !== true) for (const line of lines) io.stdout.write(printable(`${line}\n`));
  if (options.dryRun !== true) await perform({ found, there, steps, message: options.message }, deployment, io);
  const isDry = options.dryRun === true;
  printResult(io, options.json, { steps: lines, dryRun: isDry }, isDry ? "Nothing was written (dry run)" : "Restored");
}

interface FoundTree {
  readonly tree: SourceTree;
  readonly what: string;
  readonly lost: readonly string[];
}

async function findTree(
  directory: string | undefined,
  { from }: RestoreOptions,
  deployment: Deployment,
  io: Io,
): Promise<FoundTree | undefined> {
  if (directory !== undefined) {
    const tree = await readSourceTree(directoryOf(directory, io));
    return checked({ tree, what: `source/: ${count(tree)} from ${directory}`, lost: [] }, io);
  }
  if (from === undefined) return undefined;
  const { digest, release, tree } = await findReference(from, async () => deployment, io);
  if (tree !== undefined) {
    return checked(
      { tree, what: `source/: ${count(tree)}, the versions that release ${digest} was made of`, lost: [] },
      io,
    );
  }
  const settings = settingsTree(release, await shippedTree(io), "stable");
  return checked({ ...settings, what: `source/: the settings of release ${digest}` }, io);
}

async function checked(found: FoundTree, io: Io): Promise<FoundTree> {
  const findings = withStored(lintTree([await shippedTree(io), found.tree]).findings, found.tree);
  io.stderr.write(printable(describeFindings(findings)));
  requireNoErrors(findings, "restore");
  return found;
}

/** Channels before the clusters that are served from them. A tree that is put back is published last. */
function stepsOf({ channels, clusters }: RestorePlan, hasTree: boolean): readonly Step[] {
  return [
    ...channels.map(
      ({ channel, release, isKept }): Step =>
        isKept
          ? {
              what: `channels/${channel}: back to release ${release}`,
              wishes: [
                { action: "pin", channel, release },
                { action: "unpin", channel },
              ],
            }
          : {
              what: `channels/${channel}: its release ${release} is gone: published anew`,
              wishes: [{ action: "publish", channel }],
            },
    ),
    ...clusters.map(({ cluster, record }): Step => {
      const tokens = record.tokens.length === 1 ? "its token" : `its ${record.tokens.length} tokens`;
      return {
        what: `clusters/${cluster}: as it is served, with ${tokens}`,
        wishes: [{ action: "put-cluster", cluster, record }],
      };
    }),
    ...(hasTree
      ? [{ what: "serve/: published", wishes: [{ action: "publish" } as const] }]
      : [{ what: "serve/: derived again", wishes: [{ action: "mend" } as const] }]),
  ];
}

function warningsOf({ isBlind }: RestorePlan, found: FoundTree | undefined): readonly string[] {
  const lost = found?.lost ?? [];
  return [
    ...(lost.length === 0
      ? []
      : [`Cannot be put back from a release: ${lost.join(", ")}; take them from where you keep them, and push`]),
    ...(isBlind
      ? [
          "Nothing is served that tells which clusters there were: register each again (outrigger register --cluster NAME)",
        ]
      : []),
  ];
}

interface Work {
  readonly found: FoundTree | undefined;
  readonly there: SourceTree;
  readonly steps: readonly Step[];
  readonly message: string | undefined;
}

async function perform({ found, there, steps, message }: Work, deployment: Deployment, io: Io): Promise<void> {
  const cause: Cause = await causeOf(deployment, message ?? "restored");
  const progress = progressOf(io);
  try {
    if (found !== undefined) {
      const paths = pathsOf(found.tree, there).filter((path) => found.tree[path] !== there[path]);
      await pushTree(deployment, { tree: found.tree, paths, ...cause, now: () => new Date(), report: progress.at });
    }
    for (const { what, wishes } of steps) {
      progress.at(what);
      for (const wish of wishes) await deployment.askPublisher({ ...wish, cause } as PublisherRequest);
    }
  } finally {
    progress.done();
  }
}

function count(tree: SourceTree): string {
  const entries = Object.keys(tree).length;
  return `${entries} ${entries === 1 ? "entry" : "entries"}`;
}
