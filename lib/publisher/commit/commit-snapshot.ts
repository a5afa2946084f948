// The commit: the one order of writes in which a reader finds a whole snapshot at every moment, and a crash between any
// two of them is repaired by doing it again.
import { fitsParameter, partsOf, recordText } from "@outrigger/aws";
import { entryOf, isOwnError, OutriggerError, ownError, readUntil, unlessOwnError } from "@outrigger/base";
import { type Head, parseHead } from "@outrigger/serving";
import { type PublisherDependencies, patienceOf } from "../dependencies.ts";
import { FOLDERS } from "../records/read-records.ts";
import { readServed, type Served } from "../records/read-served.ts";
import { readState, type State } from "../records/read-state.ts";
import { errorOf, type PublisherError } from "../request/publisher-result.ts";
import { type Plan, planCommit, type Whole } from "./plan-commit.ts";

const TRIES = 5;

/**
 * Makes what is served what the plan says: the snapshot's object, then `serve/head`, then the mirror, then the bucket's head.
 *
 * | it stops after     | readers find                                                       |
 * |--------------------|--------------------------------------------------------------------|
 * | the object         | what was served before                                             |
 * | the head           | the new snapshot, in a second call: the mirror is old              |
 * | part of the mirror | the same: the mirror's parts are of different snapshots            |
 * | the mirror         | the new one; those who cannot read Parameter Store the one before it |
 *
 * Parameter Store has no compare-and-set. But a write returns the version it made: one that is not the
 * next one shows that another writer came in between, and then everything is derived again from the records, which hold both.
 *
 * @param collectEvery milliseconds from one collection of garbage to the next
 * @returns `seq`: of what is served now, 0 where nothing is; `collects`: whether it is time to collect garbage
 * @throws OutriggerError `store-unavailable` where others never stop committing
 */
export async function commitSnapshot(
  plan: Plan,
  state: State,
  collectEvery: number,
  dependencies: PublisherDependencies,
) {
  let current: { readonly plan: Plan; readonly state: State } = { plan, state };
  for (let tries = 0; tries < TRIES; tries++) {
    const { next, problems } = current.plan;
    if (next === undefined) {
      const { isRepaired, refused } = await repairParts(current.state, dependencies);
      const all = [...problems, ...refused];
      return { seq: current.state.head?.seq ?? 0, changed: tries > 0 || isRepaired, problems: all, collects: false };
    }
    await putSnapshot(next, dependencies);
    const { headVersion, collected, mirrorVersions, bucketHead } = current.state;
    const now = dependencies.now().getTime();
    const collects = now - collected > collectEvery;
    const { bucket } = dependencies;
    const head = { ...next.head, bucket, version: headVersion + 1, collected: collects ? now : collected };
    const version = await putHead(head, dependencies);
    if (version === head.version) {
      const refused = await unlessRefused(putMirror(next, mirrorVersions, dependencies));
      await putBucketHead(next.head, bucketHead.tag, dependencies);
      return { seq: next.head.seq, changed: true, problems: [...problems, ...refused], collects };
    }
    // Readings may be behind writes.
    const isCurrent = (state: State) => state.headVersion >= version;
    const fresh = await readUntil(() => readState(dependencies), isCurrent, patienceOf(dependencies));
    current = { state: fresh, plan: await planCommit(fresh, undefined, dependencies) };
  }
  const { head } = dependencies.layout;
  const message = `Cannot commit: others committed each of the ${TRIES} times that it was tried; try again`;
  throw new OutriggerError("store-unavailable", message, { path: head });
}

/** Writes again what is missing or damaged of a snapshot that is itself right: its object, the mirror, the bucket's head. */
async function repairParts(served: Served, dependencies: PublisherDependencies) {
  const { head, text, bucketHead } = served;
  if (head === undefined || text === undefined || !isHalfWritten(served)) return { isRepaired: false, refused: [] };
  const whole = { head, text, parts: partsOf(text, head.digest, head.parts, dependencies.bucket) };
  if (!served.isKept) await putSnapshot(whole, dependencies, true);
  if (bucketHead.head?.digest !== head.digest) await putBucketHead(head, bucketHead.tag, dependencies);
  if (served.isMirrored) return { isRepaired: true, refused: [] };
  const refused = await unlessRefused(putMirror(whole, served.mirrorVersions, dependencies));
  return { isRepaired: refused.length === 0, refused };
}

/**
 * Returns the error if Parameter Store refuses a write that others need not wait for: the snapshot itself is read in
 * place of the mirror.
 */
function unlessRefused(write: Promise<unknown>): Promise<readonly PublisherError[]> {
  const refused = (error: unknown) => [errorOf(ownError(error, "parameter-refused"))];
  return write.then(() => [], refused);
}

/** Whether something of a snapshot that is served is missing or damaged and can be written again. */
export function isHalfWritten({ head, text, isKept, isMirrored, bucketHead }: Served): boolean {
  if (head === undefined || text === undefined) return false;
  return !isKept || !isMirrored || bucketHead.head?.digest !== head.digest;
}

/** Writes a snapshot's object. Only the same one is ever written under its digest; only a repair overwrites. */
async function putSnapshot(
  { head, text }: Whole,
  { store, layout }: PublisherDependencies,
  overwrites = false,
): Promise<void> {
  await store.objects.putObject({ key: layout.snapshot(head.digest), text, ...(!overwrites && { replaces: null }) });
}

/**
 * Writes the bucket's head, which follows `serve/head`. Where another publisher has written it meanwhile, that one's stays if it is
 * later.
 *
 * @param tag of the writing that was read; null where there was none
 */
async function putBucketHead(
  { digest, parts, seq }: Head,
  tag: string | null,
  { store, layout }: PublisherDependencies,
) {
  const { objects } = store;
  let replaces = tag;
  for (let tries = 0; tries < TRIES; tries++) {
    const text = recordText({ digest, parts, seq });
    if (await objects.putObject({ key: layout.bucketHead, text, replaces })) return;
    const there = await objects.getObject(layout.bucketHead);
    const head = there && unlessOwnError(() => parseHead(there.text, layout.bucketHead));
    if (head !== undefined && head.seq >= seq) return;
    replaces = there?.tag ?? null;
  }
}

/** The head says which version it is meant to be: any other version was written past another publisher, which may have crashed. */
async function putHead(
  head: Head & { readonly bucket: string; readonly version: number; readonly collected: number },
  { store, layout, tier }: PublisherDependencies,
): Promise<number> {
  const value = recordText(head);
  // Every container reads it every few seconds, and AWS charges for reads of advanced parameters.
  const least = fitsParameter(value, "Standard") ? "Standard" : tier;
  const put = () => store.putParameter({ name: layout.head, value, overwrite: true, tier: least });
  try {
    return await put();
  } catch (error) {
    // Where nothing is served yet, what refuses a first version is a parameter of another type.
    if (head.version !== 1 || !isOwnError(error, "parameter-refused")) throw error;
    await store.deleteParameters([layout.head]);
    return await put();
  }
}

/**
 * Writes the mirror. A write that makes another version than the next one shows that another publisher writes it too: then
 * it is read, once readings have caught up, and whatever the head names is written.
 */
async function putMirror(whole: Whole, versions: readonly number[], dependencies: PublisherDependencies) {
  const { store, layout, tier } = dependencies;
  let wanted = whole;
  let expected = versions;
  for (let tries = 0; tries < TRIES; tries++) {
    const written: number[] = [];
    for (const [index, value] of wanted.parts.entries()) {
      const name = layout.mirrorPart(index);
      written.push(await store.putParameter({ name, value, overwrite: true, tier }));
    }
    if (written.every((version, index) => version === (expected[index] ?? 0) + 1)) return;
    const { seq } = wanted.head;
    const isCurrent = ({ mirrorVersions: there, head }: Served) =>
      written.every((version, index) => (there[index] ?? 0) >= version) && (head?.seq ?? 0) >= seq;
    const now = await readUntil(() => readServed(dependencies), isCurrent, patienceOf(dependencies));
    const { head, text, isMirrored } = now;
    if (head === undefined || text === undefined || isMirrored) return;
    wanted = { head, text, parts: partsOf(text, head.digest, head.parts, dependencies.bucket) };
    expected = now.mirrorVersions;
  }
}

/**
 * Writes the records that are behind the log, each as its last change left it. One that Parameter Store refuses stays behind:
 * the log holds it, it is served, and it keeps back no other change.
 *
 * @returns what was refused
 */
export async function writeRecords(state: State, { store, layout, tier }: PublisherDependencies) {
  const refused: PublisherError[] = [];
  const last = new Map(state.behind.map((entry) => [`${entry.change.kind}/${entry.change.name}`, entry]));
  for (const { change, number } of last.values()) {
    const { kind, name } = change;
    const parameter = layout[kind](name);
    const record = entryOf<object>(state[FOLDERS[kind]], name);
    if (record === undefined) await store.deleteParameters([parameter]);
    else {
      const value = recordText({ ...record, change: number });
      refused.push(...(await unlessRefused(store.putParameter({ name: parameter, value, overwrite: true, tier }))));
    }
  }
  return refused;
}
