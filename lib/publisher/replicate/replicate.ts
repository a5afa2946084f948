// Making a replica serve what another deployment, its primary, serves: the same releases under the same channels, to the
// same clusters with the same tokens. It reads the primary and writes here: nobody can hand it a release.
import { MAX_PARTS, MAX_VALUE, readRecord, recordText } from "@outrigger/aws";
import {
  defined,
  entryOf,
  type JsonValue,
  jsonEqual,
  OutriggerError,
  objectOf,
  ownError,
  readUntil,
  unlessOwnError,
} from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import { carryOut } from "../commit/carry-out.ts";
import { AT_WORK, isReadLately, type PublisherDependencies, patienceOf } from "../dependencies.ts";
import { readRecords } from "../records/read-records.ts";
import { headOf, readServed } from "../records/read-served.ts";
import { readState, type State } from "../records/read-state.ts";
import { isReleaseKept, readRelease, writeRelease } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import {
  type DatedCause,
  nothingDone,
  type PublisherError,
  type PublisherResult,
} from "../request/publisher-result.ts";
import { isSameMove, markOf, marksOf, type Primary, planReplication } from "./plan-replication.ts";

type Replica = PublisherDependencies & { readonly primary: NonNullable<PublisherDependencies["primary"]> };
type Request = PublisherRequest & { readonly action: "replicate" };

/**
 * Brings this deployment to what its primary has, one record after the other: each change is served as a whole, as any other
 * is. Stopped anywhere, it continues from there when it runs again. Nothing is removed that it has not brought.
 *
 * @param isLook whether nothing is read but the heads where neither has committed since all was taken over, for a day at most
 * @throws OutriggerError `usage` where the deployment has no primary; `store-unavailable` or `store-denied` where the primary
 * cannot be read, and then nothing has changed; `release-unsupported` for a release of another version of Outrigger
 */
export async function replicate(
  request: Request,
  dependencies: PublisherDependencies,
  { isLook = false }: { readonly isLook?: boolean } = {},
): Promise<PublisherResult> {
  const { primary, layout } = dependencies;
  if (primary === undefined) {
    const message =
      "Cannot replicate: this deployment follows no other; set replicaOf to the primary's Region and deploy";
    throw new OutriggerError("usage", message, { path: layout.prefix });
  }
  const isDry = request.dryRun === true;
  const replica = { ...dependencies, primary };
  if (request.copy !== undefined) return copyOne(request.copy, replica, isDry);
  const { head, marks, followed, parts } = await readMarks(dependencies);
  const [found] = await primary.store.getParameters([primary.layout.head]);
  const primaryHead = headOf(found);
  if (isLook && isYoung(followed, [primaryHead?.seq, head?.seq], dependencies.now()))
    return { ...nothingDone(messageOf([], primary.name, false)), seq: head?.seq ?? 0 };
  const there = await readPrimarySince(request.until, replica);
  const own = await readState(dependencies);
  const { steps, diverged } = planReplication(there, own, marks, { force: request.force === true });
  const brought = new Set([...marksOf(own).filter((mark) => marks.has(mark)), ...marksOf(there)]);
  const isNew = brought.size !== marks.size || [...brought].some((mark) => !marks.has(mark));
  // Before the first change, so that a crash leaves no record that would never be removed.
  if (!isDry && isNew) await writeMarks(brought, undefined, parts, dependencies);
  const warnings: string[] = [];
  const problems: PublisherError[] = [];
  let seq = own.head?.seq ?? 0;
  let isFinished = false;
  // The last one makes no change: it finishes what a call that was stopped has left.
  for (const step of isDry ? [] : [...steps, undefined]) {
    const change = step?.change;
    const move = change !== undefined && "move" in change ? change.move : undefined;
    // What a move names comes before anything names it.
    if (move !== undefined) {
      const named = new Set([move.release, move.share?.release ?? move.release]);
      for (const digest of named) await copyRelease(digest, move, replica);
    }
    // Another call may have made the move meanwhile. Of other changes, those that are made already change nothing.
    const isMade = ({ channels }: State) =>
      move !== undefined && isSameMove(entryOf(channels, change?.name ?? "")?.history[0], move);
    const decide = (_: Request, state: State) => ({
      change: isMade(state) ? undefined : change,
      message: step?.message ?? "",
    });
    // Not the request's ID: that names one change, and these are several.
    const result = await carryOut({ action: "replicate", cause: request.cause }, decide, dependencies);
    seq = result.seq;
    isFinished ||= result.changed;
    warnings.push(...result.warnings);
    problems.push(...(result.problems ?? []));
  }
  const done = steps.map(({ message }) => message);
  const moved = diverged.map((message) => ({ code: "channel-moved", message, path: layout.channels }) as const);
  const isWhole = !isDry && moved.length + problems.length === 0;
  const seqs = [primaryHead?.seq, seq];
  const now = dependencies.now();
  // Of a commit that is younger, the records may have been read as they were before it.
  const isOld = primaryHead !== undefined && now.getTime() - primaryHead.seq > AT_WORK;
  if (isWhole && isOld && !isYoung(followed, seqs, now)) {
    // What was removed is forgotten: registered again, it is not the primary's.
    for (const { change } of steps) if ("record" in change && change.record === null) brought.delete(markOf(change));
    await writeMarks(brought, { seqs, at: now.toISOString() }, parts, dependencies).catch(ownError);
  }
  return {
    ok: true,
    message: messageOf(done, primary.name, isDry),
    seq,
    changed: isFinished || (isDry && done.length > 0),
    warnings: [...new Set(warnings)],
    ...(problems.length + moved.length === 0 ? {} : { problems: [...problems, ...moved] }),
  };
}

/** Copies a release before the primary serves it, so that taking it over later is one commit. */
async function copyOne(digest: string, replica: Replica, isDry: boolean): Promise<PublisherResult> {
  const origin = { by: "replicate", why: "", at: replica.now().toISOString() };
  const missingOf = (error: unknown) => ownError(error, "release-unknown", "store-corrupt");
  const copy = () => copyRelease(digest, origin, replica).then(() => undefined, missingOf);
  const missing = isDry ? undefined : await readUntil(copy, (error) => error === undefined, patienceOf(replica));
  if (missing !== undefined) throw missing;
  const message = `Release ${digest} of ${replica.primary.name} is kept here, and is served when the primary serves it`;
  return { ...nothingDone(message), release: digest };
}

/**
 * @throws OutriggerError `store-unavailable` where the primary does not show within three seconds what it is said to serve
 */
async function readPrimarySince(until: Request["until"], replica: Replica): Promise<Primary> {
  const { primary } = replica;
  const key = `channel/${until?.channel}`;
  // A record that a person wrote is newer than any change that was asked for.
  const isSeen = ({ numbers }: Primary) =>
    until === undefined || (Object.hasOwn(numbers, key) && (numbers[key] ?? until.change) >= until.change);
  const there = await readUntil(() => readPrimary(primary), isSeen, patienceOf(replica));
  if (until === undefined || isSeen(there)) return there;
  const message = `Cannot replicate ${until.channel}: ${primary.name} does not show change ${until.change} of it; run "outrigger repair --replica" again`;
  throw new OutriggerError("store-unavailable", message, { path: primary.layout.channel(until.channel) });
}

async function readPrimary(primary: Replica["primary"]): Promise<Primary> {
  const records = await readRecords(primary);
  const { snapshot: served } = await readServed(primary);
  if (Object.keys(records.channels).length > 0) return { ...records, served };
  // An empty primary is a question, and no reason to remove anything.
  const { layout, name } = primary;
  const message = `Cannot replicate ${layout.prefix} of ${name}: it has no channels; deploy and publish there first`;
  throw new OutriggerError("channel-unknown", message, { path: layout.channels });
}

/**
 * A release is checked by its digest, and that this version can serve it.
 *
 * @param cause what is recorded of a release whose origin cannot be read
 */
async function copyRelease(digest: string, { by, why, at }: DatedCause, replica: Replica): Promise<void> {
  if (await isReleaseKept(replica, digest)) return;
  const { release, origin } = await readRelease(replica.primary, digest);
  (replica.load ?? loadRelease)(release);
  await writeRelease(release, digest, origin ?? { by, why, at, tree: "" }, replica);
}

/** Returns the parameters that hold the marks of replicated records: what was registered here by itself is not the primary's to remove. */
function marksNames(prefix: string): readonly string[] {
  return Array.from({ length: MAX_PARTS }, (_, index) => `${prefix}/serve/replicated${index === 0 ? "" : `-${index}`}`);
}

/** The numbers of the commits that both served when all was taken over; `at` is the time in ISO 8601, UTC. */
type Followed = { readonly seqs: readonly (number | undefined)[]; readonly at: string };

async function readMarks({ store, layout }: PublisherDependencies) {
  const names = marksNames(layout.prefix);
  const found = await store.getParameters([layout.head, ...names]);
  const parts = found.filter(({ name }) => name !== layout.head);
  const first = parts.find(({ name }) => name === names[0]);
  const { followed } = objectOf(first && unlessOwnError(() => readRecord(first)));
  const marks = new Set(parts.flatMap(({ value }) => value.match(/\b[0-9a-f]{8}\b/g) ?? []));
  return { head: headOf(found.find(({ name }) => name === layout.head)), marks, followed, parts: parts.length };
}

/** Whether nothing was committed since, and that for a day at most. */
function isYoung(followed: JsonValue | undefined, seqs: Followed["seqs"], now: Date): boolean {
  const { seqs: known, at } = objectOf(followed);
  return jsonEqual(known ?? null, seqs) && isReadLately(at, now);
}

/** @param before the number of parts that exist */
async function writeMarks(
  brought: ReadonlySet<string>,
  followed: Followed | undefined,
  before: number,
  { store, layout, tier }: PublisherDependencies,
): Promise<void> {
  const names = marksNames(layout.prefix);
  const size = Math.floor((MAX_VALUE[tier] - RECORD) / MARK);
  const marks = [...brought].sort();
  if (marks.length > size * MAX_PARTS) {
    const message = `Cannot replicate ${marks.length} records: what was brought is remembered of ${size * MAX_PARTS} on the ${tier} tier`;
    throw new OutriggerError("store-full", message, { path: layout.clusters });
  }
  const count = Math.max(1, Math.ceil(marks.length / size));
  for (const [index, name] of names.slice(0, count).entries()) {
    const own = marks.slice(index * size, (index + 1) * size).join(" ");
    const value = recordText({ marks: own, ...(index === 0 && defined({ followed })) });
    await store.putParameter({ name, value, overwrite: true, tier });
  }
  if (count < before) await store.deleteParameters(names.slice(count));
}

/** Characters of a mark with a space, and of what is around them. */
const MARK = 9;
const RECORD = 200;

function messageOf(done: readonly string[], primary: string, isDry: boolean): string {
  if (done.length === 0) return `This deployment serves what ${primary} serves`;
  const shown = done.slice(0, 5).join("; ");
  const more = done.length > 5 ? `; and ${done.length - 5} more` : "";
  return `${isDry ? `Would take over from ${primary}` : `Taken over from ${primary}`}: ${shown}${more}`;
}
