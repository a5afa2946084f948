// What publishing a tree would come to, before it is asked for: where it goes, what it does to pods, and what of that waits for
// a person. Reads, and writes nothing.
import { compileRelease, publishChannel, type Release, type SourceTree } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { destinationOf, editsChannel, unservedWarning } from "../channel/edits-channel.ts";
import { whyEditWaits } from "../channel/why-edit-waits.ts";
import { entryOf, readRecords, type StoreAccess } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { readRelease } from "../release/release-parameters.ts";
import { treeDigest } from "../source/tree-digest.ts";
import { acceptCommand, describeEffects, judgeEdit } from "./judge-edit.ts";

/** What publishing would come to. */
export interface Preview {
  readonly channel: string;
  /** What it does to pods, one example of each class. */
  readonly effects: readonly { readonly name: string; readonly example: string }[];
  /** What of it waits for a person, in a sentence. */
  readonly held?: string;
  /** In sentences: what could not be compared, and that no cluster is served from the channel. */
  readonly warnings: readonly string[];
}

/** A tree, and the shipped one below it. */
export interface PreviewedTree {
  readonly tree: SourceTree;
  readonly shipped: SourceTree;
}

/**
 * What publishing a tree without errors would come to.
 *
 * @throws OutriggerError `config-invalid` where the tree names another channel than edits go to
 */
export async function previewPublication({ tree, shipped }: PreviewedTree, access: StoreAccess): Promise<Preview> {
  const { snapshot } = await readServed(access);
  const records = await readRecords(access);
  const layers = [shipped, tree];
  const place = access.layout.sourceParameter("config");
  const recorded = editsChannel({ ...records, snapshot });
  const { channel } = destinationOf(recorded, publishChannel(layers), { wanted: undefined, place });
  const record = entryOf(records.channels, channel);
  const after = compileRelease(layers);
  const unserved = unservedWarning(channel, records.clusters);
  const waits = record?.release === releaseDigest(after) ? undefined : whyEditWaits(channel, record, treeDigest(tree));
  const notes = [unserved, waits].filter((note) => note !== undefined);
  const digest = record?.release ?? entryOf(snapshot?.channels ?? {}, channel);
  if (digest === undefined || digest === releaseDigest(after)) return { channel, effects: [], warnings: notes };
  const before = entryOf(snapshot?.releases ?? {}, digest) ?? (await releaseOf(digest, access));
  const entries = record?.history.find((move) => move.entries !== undefined)?.entries;
  const { effects, held, warnings } = judgeEdit({ before, after, layers, entries }, record);
  const sentence = `On ${channel}, this waits for a person: ${describeEffects(held)}; publish it with "${acceptCommand(held)}"`;
  return { channel, effects, ...(held.length > 0 && { held: sentence }), warnings: [...warnings, ...notes] };
}

async function releaseOf(digest: string, { store, layout }: StoreAccess): Promise<Release> {
  return (await readRelease(store, layout, digest)).release;
}
