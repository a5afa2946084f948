// Finding edits that were never published, because an event was lost or a push was broken off, and publishing them. Runs
// on a schedule; nothing depends on when.
import { defined, entryOf, ownError } from "@outrigger/base";
import { publishChannel } from "@outrigger/injector";
import { destinationOf } from "../channel/edits-channel.ts";
import { whyEditWaits } from "../channel/move-checks.ts";
import { collectGarbage } from "../commit/collect-garbage.ts";
import { type Settled, settle } from "../commit/settle.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { acceptCommand } from "../effect/say-effects.ts";
import { isHeldEdit } from "../records/channel-settings.ts";
import { findRelease, type ReleaseOrigin } from "../release/release-object.ts";
import { replicate } from "../replicate/replicate.ts";
import { nothingDone, type PublisherResult, refusalOf } from "../request/publisher-result.ts";
import { runPublisher } from "../run-publisher.ts";
import { checkManifest, isPushInProgress, treeDigest } from "./push-manifest.ts";
import { readSourceParameters, type SourceSnapshot } from "./source-parameters.ts";

export interface Reconciled {
  readonly result: PublisherResult;
  /** Milliseconds since the oldest edit that is not published and should be; 0 where all are. */
  readonly age: number;
  /** Undefined where what is served could not be compared. */
  readonly settled?: Settled;
}

/**
 * Finishes what a publisher that stopped has left, then publishes what was edited and not published, or says why that cannot be.
 *
 * | the source tree is                         | result                                 | age                 |
 * |--------------------------------------------|----------------------------------------|---------------------|
 * | what its channel was made of, and is served | nothing to do                         | 0                   |
 * | the same, and it is not served             | nothing to do: the reason              | of what is not served |
 * | another, and a person's move wins          | nothing to do: why                     | 0                   |
 * | another, and waits for a person            | nothing to do                          | 0                   |
 * | part of a push that is in progress         | nothing to do                          | of the oldest edit  |
 * | part of a push that was broken off         | `tree-half-pushed`, with who and when  | of the oldest edit  |
 * | another                                    | published                              | 0                   |
 * | another, and invalid                       | the reason                             | of the oldest edit  |
 */
export async function reconcileSource(dependencies: PublisherDependencies): Promise<Reconciled> {
  if (dependencies.primary !== undefined) {
    // A replica has no edits of its own: it takes over what its primary serves.
    const cause = { by: "the schedule", why: "a replica follows its primary" };
    const result = replicate({ action: "replicate", cause }, dependencies, { isLook: true });
    return { result: await result.catch(refusalOf), age: 0 };
  }
  let settled: Settled | undefined;
  try {
    settled = await settle(dependencies);
    // Once an hour, of the calls that come every five minutes: a deployment that nobody edits has garbage too.
    if (dependencies.now().getUTCMinutes() < 5) await collectGarbage(dependencies);
    return { ...(await reconcileTree(settled, dependencies)), settled };
  } catch (error) {
    return { result: refusalOf(error), age: await ageWithoutTree(dependencies), ...defined({ settled }) };
  }
}

async function reconcileTree({ channels, edits, age: unsettled }: Settled, dependencies: PublisherDependencies) {
  const { store, layout, now } = dependencies;
  const source = await readSourceParameters(store, layout);
  const tree = treeDigest(source.tree);
  const named = publishChannel([dependencies.shipped, source.tree]);
  const { channel } = destinationOf(edits, named, layout);
  const record = entryOf(channels, channel);
  // Read with its release, in one call: of one that is not whole the origin says nothing, and publishing writes it again.
  const origin = record === undefined ? undefined : (await findRelease(dependencies, record.release)).origin;
  const waiting = record?.proposal;
  // Of another version of Outrigger, the same tree may wait that is served.
  const isWaiting = isHeldEdit(waiting) && waiting.tree === tree;
  if (origin?.tree === tree && !isWaiting) {
    const left = unsettled === 0 ? "" : ", and what was declared is not all served yet";
    return nothing(`${channel} was made of the source tree as it is${left}`, unsettled);
  }
  const waits = whyEditWaits(channel, record, tree);
  if (waits !== undefined) return nothing(waits);
  if (isWaiting) {
    const message = `${channel} stays at ${waiting.serving}: the edit waits for a person: ${acceptCommand(waiting.held, waiting)}`;
    return { result: { ...nothingDone(message), held: waiting.held }, age: 0 };
  }
  const age = now().getTime() - oldestEdit(source, origin, now().getTime());
  if (isPushInProgress(source.manifest, tree, now().getTime())) return nothing("A push is in progress", age);
  checkManifest(source.manifest, tree, layout.sourceParameter("manifest"));
  const cause = { by: "the reconciler", why: "an edit that was not published" };
  const result = await runPublisher({ action: "publish", automatic: true, cause }, dependencies);
  return { result, age: result.ok ? 0 : age };
}

function nothing(message: string, age = 0): Reconciled {
  return { result: nothingDone(message), age };
}

/** Returns when the oldest entry was written that the release was not made of; now, where only deletions differ. */
function oldestEdit({ modified, versions }: SourceSnapshot, origin: ReleaseOrigin | undefined, now: number): number {
  const known = new Set(origin?.sources ?? []);
  const edited = Object.keys(versions).filter((path) => !known.has(`${path}@${versions[path]}`));
  return Math.min(now, ...edited.flatMap((path) => modified[path] ?? []));
}

/** Returns the age of a tree's newest entry: all that is known of a tree that cannot be read. */
async function ageWithoutTree({ store, layout, now }: PublisherDependencies): Promise<number> {
  try {
    const { lastModified } = await readSourceParameters(store, layout, { isReplaced: true });
    return lastModified === undefined ? 0 : now().getTime() - lastModified;
  } catch (error) {
    ownError(error);
    return 0;
  }
}
