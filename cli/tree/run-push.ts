// A push from end to end, as `push` and `publish --dir` do it: plan, refuse or show, write, publish.
import { defined, OutriggerError, ownError, usageError } from "@outrigger/base";
import { assertApproved, heldText, treeDigest, whyEditWaits } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { describeFindings, requireNoErrors } from "../diagnose/lint-report.ts";
import { acceptedIn } from "../releases/action-request.ts";
import { type AskOptions, askOnce } from "../releases/ask-and-print.ts";
import { printEffects } from "../releases/look-first.ts";
import { previewEdit } from "../releases/preview-edit.ts";
import { findChannel } from "../releases/resolve-move.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, warn, withProgress } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import { writeBase } from "./base-file.ts";
import { type PushPlan, type PushQuestion, planPush } from "./plan-push.ts";
import { pushTree } from "./push-tree.ts";
import { shippedTree } from "./read-trees.ts";

export interface PushSettings extends AskOptions {
  readonly force?: true;
  readonly channel?: string;
  readonly unpin?: true;
  readonly advanced?: true;
  readonly publish?: true;
  /** The directory as it was written, with `publish`. */
  readonly dir?: string;
  /** The classes of change that a person has looked at, with `publish`. */
  readonly accept?: string;
}

interface PushRun extends Pick<PushQuestion, "directory" | "tree" | "isTruth"> {
  readonly settings: PushSettings;
}

type Preview = Awaited<ReturnType<typeof previewEdit>>;

/** What a push has come to, or would. */
export interface Pushed {
  /** The release that is served then, where it publishes. */
  readonly release?: string;
  readonly changed: boolean;
}

/** Throws what keeps the push from being made, after showing it. */
export async function runPush(run: PushRun, deployment: Deployment, io: Io): Promise<Pushed> {
  const { settings } = run;
  const { json, dryRun = false, force = false } = settings;
  const shipped = await shippedTree(io);
  const plan = await planPush({ ...run, deployment, shipped, force, ...defined({ sleep: io.sleep }) });
  refuseConflicts(plan, run.isTruth, deployment, io);
  io.stderr.write(printable(describeFindings(plan.findings)));
  requireNoErrors(plan.findings, "push");
  const preview = await previewEdit({ tree: plan.result, shipped }, deployment);
  const { channel: publishTo, held, warnings } = preview;
  requireChannel(settings.channel, publishTo);
  // A channel that refuses the release: then nothing is written that would wait there to be published.
  if (settings.publish === true) await requirePublishable(preview, settings, deployment);
  // Of a push that publishes, the publisher says it.
  if (settings.publish !== true || dryRun) {
    const waits = settings.publish === true || held === undefined ? [] : [held];
    for (const warning of [...waits, ...warnings]) warn(warning, io);
  }
  if (json !== true) io.stdout.write(plan.diff);
  if (!dryRun) await write(plan, run, deployment, io);
  const pushed = { tree: treeDigest(plan.result), pushed: plan.carried, kept: plan.kept, dryRun };
  const text = summary(plan, dryRun, deployment);
  if (settings.publish !== true || dryRun) {
    const isLeft = settings.publish !== true && plan.carried.length > 0 && !dryRun;
    const hint = "It is published within seconds; outrigger channel shows when, and outrigger publish why not\n";
    if (dryRun) printEffects(preview.effects, io);
    printResult(io, json, pushed, isLeft ? text + hint : text);
    if (settings.publish === true) requireAccepted(preview, settings);
    const changed = plan.carried.length > 0 || (settings.publish === true && preview.release !== preview.serving);
    return { changed, ...defined({ release: preview.release }) };
  }
  if (json !== true) io.stdout.write(text);
  const { channel, unpin, accept } = settings;
  const asked = { ...defined({ channel, unpin }), ...acceptedIn(accept) };
  const request = { action: "publish", tree: pushed.tree, ...asked } as const;
  const published = await askOnce(request, settings, deployment, io).catch((error: unknown) => {
    throw plan.carried.length === 0 ? error : onlyPushed(ownError(error), plan, deployment);
  });
  for (const warning of published.warnings) warn(warning, io);
  printResult(io, json, { ...pushed, ...published }, published.message);
  const { release, changed } = published;
  return { changed: changed || plan.carried.length > 0, ...defined({ release }) };
}

/** Refuses a dry run as the publisher would refuse the run. The command that is printed accepts this and nothing else. */
function requireAccepted(
  { channel, release, serving, heldEffects = [] }: Preview,
  { dir, accept, ifServing }: PushSettings,
): void {
  const accepted = acceptedIn(accept);
  if (ifServing !== undefined && serving?.startsWith(ifServing) !== true) {
    const message = `Cannot publish to ${channel}: it serves ${serving ?? "nothing"}, and not ${ifServing}; look at "outrigger channel ${channel}" and ask again`;
    throw new OutriggerError("channel-moved", message, { path: channel });
  }
  if (accepted.release !== undefined && release !== undefined && release !== accepted.release) {
    const message = `Cannot publish to ${channel}: this tree makes release ${release}, and ${accepted.release} was accepted; look at "outrigger diff ${channel} ${dir}" again`;
    throw new OutriggerError("tree-changed", message, { path: channel });
  }
  const held = heldEffects.filter(({ name }) => accepted.accept?.includes(name) !== true);
  if (held.length === 0) return;
  const seen = { from: dir, command: `publish --dir ${dir}`, ...defined({ release, serving }) };
  const message = `Cannot publish to ${channel}: it would do what a person has to accept: ${heldText(channel, held, defined(seen))}`;
  throw new OutriggerError("edit-held", message, { path: channel });
}

/** What was written before the publisher refused the tree, or did not answer. */
function onlyPushed(cause: OutriggerError, { carried }: PushPlan, { target }: Deployment): OutriggerError {
  const { code, message, path } = cause;
  const what = `${countOf(carried)} ${carried.length === 1 ? "was" : "were"} written to ${target.layout.source} before (${carried.join(", ")})`;
  const waits = code === "edit-held" ? " and waits there: what is served is as before" : "";
  return new OutriggerError(code, `${message}; ${what}${waits}`, { ...defined({ path }), cause });
}

function refuseConflicts({ conflicts, diff }: PushPlan, isTruth: boolean, { target }: Deployment, io: Io): void {
  if (conflicts.length === 0) return;
  io.stderr.write(diff);
  const since = isTruth ? "since the last push" : "since you pulled";
  const message = `Cannot push ${conflicts.join(", ")}: changed in ${target.layout.source} ${since}, as shown above; take it over (outrigger pull), or overwrite it with --force`;
  throw new OutriggerError("tree-changed", message);
}

/** A push for another channel would put the edit on both. */
function requireChannel(channel: string | undefined, publishTo: string): void {
  if (channel === undefined || channel === publishTo) return;
  const message = `Cannot push to channel ${channel} alone: every edit is published to ${publishTo} by itself; send edits to it with "outrigger channel edits ${channel}"`;
  throw usageError(message);
}

async function requirePublishable(
  { channel, release }: Preview,
  { unpin }: PushSettings,
  deployment: Deployment,
): Promise<void> {
  const record = await findChannel(deployment, channel);
  if (record !== undefined && release !== undefined) assertApproved(channel, record, release);
  const waits = whyEditWaits(channel, record && { ...record, pinned: record.pinned && unpin !== true });
  if (waits === undefined) return;
  const way = record?.pinned === true ? ", and --unpin publishes this one" : "";
  throw new OutriggerError("channel-pinned", `Cannot push: ${waits}${way}`, { path: channel });
}

async function write(plan: PushPlan, { directory, isTruth, settings }: PushRun, deployment: Deployment, io: Io) {
  let { manifestVersion } = plan;
  if (plan.carried.length > 0 || plan.isHalfPushed) {
    const { message: why, advanced } = settings;
    const { result: tree, carried: paths, stored: there } = plan;
    const push = { tree, paths, there, by: await deployment.caller() };
    const asked = defined({ why, advanced, manifestVersion, sleep: io.sleep });
    manifestVersion = await withProgress(io, (report) => pushTree(deployment, { ...push, ...asked, report }));
  }
  const written = writeBase(directory, deployment, plan.base, manifestVersion);
  // A checkout of a pipeline may be read-only: nobody pushes from it again.
  await (isTruth ? written.catch(() => {}) : written);
}

function summary({ carried, kept, size = "" }: PushPlan, dryRun: boolean, { target }: Deployment): string {
  const { source } = target.layout;
  const count = countOf(carried);
  const left =
    kept.length === 0 ? "" : `Left as others have edited it there: ${kept.join(", ")} (outrigger pull has it)\n`;
  if (carried.length === 0) return `${left}Nothing to push: ${source} has it all\n`;
  return `${left}${dryRun ? "Would push" : "Pushed"} ${count} to ${source}\n${size}`;
}

/** `2 changes` */
function countOf({ length }: readonly string[]): string {
  return `${length} ${length === 1 ? "change" : "changes"}`;
}
