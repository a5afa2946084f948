// What publishing a tree would come to, before it is asked for: where it goes, what it does to pods, and what of that waits for
// a person. Reads, and writes nothing.
import { defined } from "@outrigger/base";
import { compileRelease, publishChannel, type Release, type SourceTree } from "@outrigger/injector";
import { releaseDigest, type Snapshot } from "@outrigger/serving";
import { destinationOf, editsChannel, unservedWarning } from "../channel/edits-channel.ts";
import { whyApprovalKeeps, whyEditWaits } from "../channel/why-edit-waits.ts";
import { entryOf, type Records, readChannels, type StoreAccess } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { parseOrigin, readRelease } from "../release/release-parameters.ts";
import { treeDigest } from "../source/tree-digest.ts";
import type { Effect } from "./effects.ts";
import { acceptCommand, describeEffects, judgeEdit } from "./judge-edit.ts";

/** What publishing would come to. */
export interface Preview {
  readonly channel: string;
  /** What it does to pods, one example of each class. */
  readonly effects: readonly Effect[];
  /** What of it waits for a person, in a sentence. */
  readonly held?: string;
  /** Why the channel stays as it is unless a person publishes, in a sentence. */
  readonly stays?: string;
  /** In sentences: what could not be compared, and that no cluster is served from the channel. */
  readonly warnings: readonly string[];
}

/** A tree, and the shipped one below it. */
export interface PreviewedTree {
  readonly tree: SourceTree;
  readonly shipped: SourceTree;
}

/** What a deployment has and serves. */
export interface Seen extends Pick<Records, "channels" | "unreadable"> {
  readonly snapshot: Snapshot | undefined;
}

/**
 * What publishing a tree without errors would come to.
 *
 * @throws OutriggerError `config-invalid` where the tree names another channel than edits go to
 */
export async function previewPublication(trees: PreviewedTree, access: StoreAccess): Promise<Preview> {
  return previewOn(await readSeen(access), trees, access);
}

/** Clusters are those that are served: an editor may not read their records. */
export async function readSeen(access: StoreAccess): Promise<Seen> {
  const { snapshot } = await readServed(access);
  return { ...(await readChannels(access)), snapshot };
}

/** The same, where it is known what is served. */
export async function previewOn(seen: Seen, { tree, shipped }: PreviewedTree, access: StoreAccess): Promise<Preview> {
  const { snapshot } = seen;
  const layers = [shipped, tree];
  const place = access.layout.sourceParameter("config");
  const { channel } = destinationOf(editsChannel(seen), publishChannel(layers), { wanted: undefined, place });
  const record = entryOf(seen.channels, channel);
  const after = compileRelease(layers);
  const next = releaseDigest(after);
  const unserved = unservedWarning(channel, snapshot?.clusters ?? {});
  const waits = record?.release === next ? undefined : whyEditWaits(channel, record, treeDigest(tree));
  const stays = waits ?? whyApprovalKeeps(channel, record, next);
  const notes = [unserved, stays].filter((note) => note !== undefined);
  const digest = record?.release ?? entryOf(snapshot?.channels ?? {}, channel);
  if (digest === undefined || digest === next) return { channel, effects: [], ...defined({ stays }), warnings: notes };
  const before = entryOf(snapshot?.releases ?? {}, digest) ?? (await releaseOf(digest, access));
  const entries = record?.history.find((move) => move.entries !== undefined)?.entries;
  const edit = { before, after, layers, entries, shipped: await shippedOf(digest, access) };
  const { effects, held, warnings } = judgeEdit(edit, record);
  const sentence = `On ${channel}, this waits for a person: ${describeEffects(held)}; publish it with "${acceptCommand(held)}"`;
  return {
    channel,
    effects,
    ...defined({ held: held.length > 0 ? sentence : undefined, stays }),
    warnings: [...warnings, ...notes],
  };
}

async function releaseOf(digest: string, { store, layout }: StoreAccess): Promise<Release> {
  return (await readRelease(store, layout, digest)).release;
}

/** Which shipped tree a release was made with. */
async function shippedOf(digest: string, { store, layout }: StoreAccess): Promise<string | undefined> {
  const [origin] = await store.getParameters([layout.releaseOrigin(digest)]);
  return parseOrigin(origin)?.shipped;
}
