// A push from end to end, as `push` and `publish --dir` do it: plan, refuse or show, write, publish.
import { defined, OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { treeDigest, whyEditWaits } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { describeFindings, requireNoErrors } from "../diagnose/lint-report.ts";
import { acceptedIn } from "../releases/action-request.ts";
import { askOnce } from "../releases/ask-and-print.ts";
import { previewEdit } from "../releases/preview-edit.ts";
import { findChannel } from "../releases/resolve-move.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, progressOf } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import { writeBase } from "./base-file.ts";
import { type PushPlan, planPush } from "./plan-push.ts";
import { pushTree } from "./push-tree.ts";
import { shippedTree } from "./read-trees.ts";

export interface PushSettings {
  readonly force?: true;
  readonly dryRun?: true;
  readonly publish?: true;
  readonly unpin?: true;
  readonly advanced?: true;
  readonly ifServing?: string;
  readonly channel?: string;
  /** With publish: what a person has looked at. */
  readonly accept?: string;
  readonly message?: string;
  readonly json?: true;
}

export interface PushRun {
  /** Absolute. */
  readonly directory: string;
  /** What the directory holds. */
  readonly tree: SourceTree;
  readonly settings: PushSettings;
  /** The directory is the only truth: see planPush. */
  readonly isTruth: boolean;
}

/** Throws what keeps the push from being made, after showing it. */
export async function runPush(run: PushRun, deployment: Deployment, io: Io): Promise<void> {
  const { settings, isTruth } = run;
  const { json, dryRun = false, force = false } = settings;
  const { directory, tree } = run;
  const shipped = await shippedTree(io);
  const plan = await planPush({
    deployment,
    directory,
    tree,
    shipped,
    force,
    isTruth,
    ...defined({ sleep: io.sleep }),
  });
  refuseConflicts(plan, { ...run, deployment }, io);
  io.stderr.write(printable(describeFindings(plan.findings)));
  requireNoErrors(plan.findings, "push");
  const { channel: publishTo, held, warnings } = await previewEdit({ tree: plan.result, shipped }, deployment);
  requireChannel(settings.channel, publishTo);
  // A channel that refuses the release: then nothing is written that would wait there to be published.
  if (settings.publish === true) await requirePublishable(publishTo, settings, deployment);
  // Of a push that publishes, the publisher says it.
  if (settings.publish !== true || dryRun) {
    for (const warning of [...(held === undefined ? [] : [held]), ...warnings])
      io.stderr.write(printable(`Warning: ${warning}\n`));
  }
  if (json !== true) io.stdout.write(plan.diff);
  if (!dryRun) await write(plan, { directory, deployment, isTruth, settings }, io);
  const pushed = { tree: treeDigest(plan.result), pushed: plan.carried, kept: plan.kept, dryRun };
  const text = summary(plan, dryRun, deployment);
  if (settings.publish !== true || dryRun) {
    printResult(io, json, pushed, settings.publish === true || plan.carried.length === 0 ? text : text + hint(dryRun));
    return;
  }
  if (json !== true) io.stdout.write(text);
  const { channel, unpin, accept } = settings;
  const request = {
    action: "publish",
    tree: pushed.tree,
    ...defined({ channel, unpin }),
    ...acceptedIn(accept),
  } as const;
  const published = await askOnce(request, settings, deployment, io);
  for (const warning of published.warnings) io.stderr.write(printable(`Warning: ${warning}\n`));
  printResult(io, json, { ...pushed, ...published }, published.message);
}

function refuseConflicts(
  { conflicts, diff }: PushPlan,
  { isTruth, deployment }: Pick<PushRun, "isTruth"> & { readonly deployment: Deployment },
  io: Io,
): void {
  if (conflicts.length === 0) return;
  io.stderr.write(diff);
  const since = isTruth ? "since the last push" : "since you pulled";
  throw new OutriggerError(
    "tree-changed",
    `Cannot push ${conflicts.join(", ")}: changed in ${deployment.target.layout.source} ${since}, as shown above; take it over (outrigger pull), or overwrite it with --force`,
  );
}

/** A push for another channel would put the edit on both. */
function requireChannel(channel: string | undefined, publishTo: string): void {
  if (channel === undefined || channel === publishTo) return;
  throw new OutriggerError(
    "usage",
    `Cannot push to channel ${channel} alone: every edit is published to ${publishTo} by itself; send edits to it with "outrigger channel edits ${channel}"`,
  );
}

async function requirePublishable(channel: string, { unpin }: PushSettings, deployment: Deployment): Promise<void> {
  const record = await findChannel(deployment, channel);
  const waits = whyEditWaits(channel, record && { ...record, pinned: record.pinned && unpin !== true });
  if (waits === undefined) return;
  const way = record?.pinned === true ? ", and --unpin publishes this one" : "";
  throw new OutriggerError("channel-pinned", `Cannot push: ${waits}${way}`, { path: channel });
}

interface Destination {
  readonly directory: string;
  readonly deployment: Deployment;
  readonly isTruth: boolean;
  readonly settings: PushSettings;
}

async function write(plan: PushPlan, { directory, deployment, isTruth, settings }: Destination, io: Io): Promise<void> {
  let { manifestVersion } = plan;
  if (plan.carried.length > 0 || plan.isHalfPushed) {
    const progress = progressOf(io);
    try {
      const by = await deployment.caller();
      manifestVersion = await pushTree(deployment, {
        tree: plan.result,
        paths: plan.carried,
        by,
        there: plan.stored,
        ...defined({
          why: settings.message,
          advanced: settings.advanced,
          manifestVersion: plan.manifestVersion,
          sleep: io.sleep,
        }),
        now: () => new Date(),
        report: progress.at,
      });
    } finally {
      progress.done();
    }
  }
  const written = writeBase(directory, deployment, plan.base, manifestVersion);
  // A checkout of a pipeline may be read-only: nobody pushes from it again.
  await (isTruth ? written.catch(() => {}) : written);
}

function summary({ carried, kept, size = "" }: PushPlan, dryRun: boolean, { target }: Deployment): string {
  const { source } = target.layout;
  const count = `${carried.length} ${carried.length === 1 ? "change" : "changes"}`;
  const left =
    kept.length === 0 ? "" : `Left as others have edited it there: ${kept.join(", ")} (outrigger pull has it)\n`;
  if (carried.length === 0) return `${left}Nothing to push: ${source} has it all\n`;
  return `${left}${dryRun ? "Would push" : "Pushed"} ${count} to ${source}\n${size}`;
}

function hint(dryRun: boolean): string {
  return dryRun ? "" : "It is published within seconds; outrigger channel shows when, and outrigger publish why not\n";
}
