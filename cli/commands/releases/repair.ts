// `outrigger repair`: restores what was deleted below a deployment's prefix, as far as it is still known; in a replica, takes
// over at once what the primary serves.
import { defined, ownError, usageError } from "@outrigger/base";
import type { Published } from "@outrigger/cluster";
import { lintSource, type SourceTree } from "@outrigger/injector";
import { type PublisherRequest, readSourceParameters, readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import { causeOf, type Deployment, openDeployment } from "../../connect/deployment.ts";
import { describeFindings, requireNoErrors } from "../../diagnose/lint-report.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { findReference } from "../../options/reference.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import { askAndPrint, askOptions } from "../../releases/ask-and-print.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, warn, withProgress } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { planRestore, type RestoreStep, requireEmpty, restoreSteps, restoreWarnings } from "../../tree/plan-restore.ts";
import { pushTree } from "../../tree/push-tree.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";
import { changedPaths } from "../../tree/three-way.ts";
import { settingsTree } from "../../tree/tree-of-release.ts";

const NOTES = `
What can be put back, and from what:
  source/     from a directory, wholly; from a release (--from), wholly as long as Parameter Store keeps the versions
              that it was made of, and otherwise its config, mesh config, values and namespaces, but no templates
  releases/   from what is served; what was served before and is gone is named
  channels/   from what is served: a channel goes back to its release
  clusters/   from what is served, their tokens included; where nothing is served any more, register them again
  serve/      from all of these; so does what was written half, or changed by hand
  canary/     a new token, where it or its record is gone
Nothing that is there and sound is overwritten, except source/ with --force. Without a directory and --from, source/ is
left alone. Where nothing is damaged, nothing is done: it may be run whenever something looks wrong.

With --replica, a deployment that is a replica serves at once what its primary does. Name the replica, by --deployment and --region.
It follows the deployment that its setting replicaOf names: releases, channels with their history, and clusters with their tokens. It
does so every minute by itself; run this after a publication, a registration or a rotation that must not wait. A channel that was
moved in the replica itself, for example by a rollback while the primary was down, is left as it is, and reported; --force takes over
what the primary has.

Examples:
  outrigger repair
  outrigger repair my-templates --dry-run
  outrigger repair --from 1f2e3d4c5b6a
  outrigger repair --replica --region eu-central-1 --dry-run`;

const REPAIR_OPTIONS = optionTable({
  ...askOptions,
  from: { argument: "<release>", about: "a release or channel to take the source tree from" },
  replica: { about: "serve in a replica what its primary serves, at once" },
  force: { about: "replace a source tree that is there; with --replica: take over channels that were moved in it" },
  advanced: sharedOptions.advanced,
});

type RepairOptions = OptionsOf<typeof REPAIR_OPTIONS>;

export function addRepairCommand(program: Command, io: Io): void {
  takes(program.command("repair"), REPAIR_OPTIONS)
    .description("put back what was deleted or damaged of a deployment's parameters, or what a replica lacks")
    .argument("[dir]", "the directory of the source tree")
    .addHelpText("after", NOTES)
    .action((directory, options) =>
      options.replica === true ? replicate(directory, options, io) : restore(directory, options, io),
    );
}

async function replicate(directory: string | undefined, options: RepairOptions, io: Io): Promise<void> {
  const { from, advanced, force } = options;
  if ([directory, from, advanced].some((given) => given !== undefined)) {
    throw usageError("Cannot use --replica with a directory, --from or --advanced: its primary has the tree");
  }
  const deployment = await openDeployment(options, io, { mayBeNew: true });
  await askAndPrint({ action: "replicate", ...defined({ force }) }, options, deployment, io);
}

async function restore(directory: string | undefined, options: RepairOptions, io: Io): Promise<void> {
  if (directory !== undefined && options.from !== undefined) {
    throw usageError("Cannot restore from a directory and --from at once: leave one of them out");
  }
  if (directory === undefined && options.from === undefined && options.force === true) {
    throw usageError("Cannot use --force without a directory or --from: there is no tree to put back");
  }
  const isDry = options.dryRun === true;
  const deployment = await openDeployment(options, io, { mayBeNew: true });
  const plan = await planRestore(deployment);
  // Before all else: channels go back to releases that are kept, and a tree may be taken from one.
  if (plan.releases.length > 0 && !isDry) {
    const cause = await causeOf(deployment, options.message ?? "restored");
    await deployment.askPublisher({ action: "repair", cause });
  }
  const found = await findTree(directory, options.from, deployment, io);
  if (found !== undefined) {
    const { findings } = lintSource([await shippedTree(io), found.tree]);
    io.stderr.write(printable(describeFindings(findings)));
    requireNoErrors(findings, "restore");
  }
  const { store, target } = deployment;
  // What is wrong with a tree that is left alone is no reason not to repair the rest.
  const there =
    found === undefined
      ? {}
      : (await readSourceParameters(store, target.layout, { isReplaced: options.force === true })).tree;
  if (found !== undefined && options.force !== true) requireEmpty(there, found.tree, target.layout.source);
  const steps = restoreSteps(plan, found !== undefined);
  const lines = [...(found === undefined ? [] : [found.what]), ...steps.map(({ what }) => what)];
  const lost = restoreWarnings(plan, found);
  if (options.json !== true) for (const line of [...lines, ...lost]) io.stdout.write(printable(`${line}\n`));
  const answers = await perform(found, there, steps, options, deployment, io);
  const warnings = answers.flatMap((answer) => answer.warnings);
  const { message, changed = false, problems = [] } = answers.at(-1) ?? {};
  for (const text of [...warnings, ...problems.map((problem) => problem.message)]) warn(text, io);
  const isChanged = changed || lines.length > 0;
  const value = { steps: [...lines, ...lost], dryRun: isDry, changed: isChanged, message, warnings, problems };
  const end = isDry ? "Nothing was written (dry run)" : endOf(isChanged, problems.length > 0);
  printResult(io, options.json, value, message === undefined ? end : `${message}\n${end}`);
}

function endOf(isChanged: boolean, isDamaged: boolean): string {
  if (isDamaged)
    return isChanged ? "Restored, but for what is named above" : "Nothing could be restored of what is named above";
  return isChanged ? "Restored" : "There was nothing to restore";
}

type FoundTree = Awaited<ReturnType<typeof findTree>>;

async function findTree(directory: string | undefined, from: string | undefined, deployment: Deployment, io: Io) {
  if (directory !== undefined) {
    const tree = await readSourceTree(directoryOf(directory, io));
    return { tree, what: `source/: ${count(tree)} from ${directory}`, lost: [] };
  }
  if (from === undefined) return undefined;
  const { digest, release, tree } = await findReference(from, async () => deployment, io);
  if (tree === undefined) {
    return { ...settingsTree(release, await shippedTree(io)), what: `source/: the settings of release ${digest}` };
  }
  return { tree, what: `source/: ${count(tree)}, the versions that release ${digest} was made of`, lost: [] };
}

/** The publisher's answer, or what is said of a part that waits. */
type Answer = Pick<Published, "warnings"> & Partial<Published>;

/** The last answer is that of repairing: what is served is derived from all that was put back before it. */
async function perform(
  found: FoundTree,
  there: SourceTree,
  steps: readonly RestoreStep[],
  { message = "restored", dryRun: isDry, advanced }: RepairOptions,
  deployment: Deployment,
  io: Io,
): Promise<readonly Answer[]> {
  const cause = await causeOf(deployment, message);
  const isRepairOnly = found === undefined && steps.length === 0;
  // Of a repair that comes after other steps, nothing can be said before these are done.
  if (isDry) return isRepairOnly ? [await deployment.askPublisher({ action: "repair", cause, dryRun: true })] : [];
  return withProgress(io, async (report) => {
    if (found !== undefined) {
      const { tree } = found;
      await pushTree(deployment, {
        tree,
        there,
        paths: changedPaths(tree, there),
        ...defined({ advanced }),
        ...cause,
        report,
      });
    }
    const answers: Answer[] = [];
    for (const request of [...steps.flatMap(({ requests }) => requests), { action: "repair" } as const]) {
      report(`Waiting for ${deployment.target.publisher}`);
      const asked = deployment.askPublisher({ ...request, cause } as PublisherRequest);
      answers.push(await asked.catch(waitsForPerson));
    }
    return answers;
  });
}

/**
 * Returns the result for a part that a person has to accept by name. It is put back and waits, and keeps back nothing
 * else of a restoration.
 */
function waitsForPerson(error: unknown): Answer {
  const { message } = ownError(error, "edit-held");
  return { warnings: [message] };
}

function count(tree: SourceTree): string {
  const entries = Object.keys(tree).length;
  return `${entries} ${entries === 1 ? "entry" : "entries"}`;
}
