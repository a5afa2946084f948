// Telling whether the source tree is what its channel was made of.
import { defined, ownError } from "@outrigger/base";
import { publishChannel } from "@outrigger/injector";
import {
  type ChannelRecord,
  editsChannel,
  heldText,
  readRelease,
  readSettledSource,
  treeDigest,
  whyEditWaits,
} from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { shippedTree } from "../tree/read-trees.ts";

/** One sentence where the source tree differs from what is served of it, or cannot be read; otherwise undefined. */
export async function sourceDifference(
  channels: Readonly<Record<string, ChannelRecord>>,
  { store, target }: Deployment,
  io: Io,
): Promise<string | undefined> {
  const { layout } = target;
  try {
    const { tree } = await readSettledSource(store, layout, defined({ sleep: io.sleep }));
    const shipped = await shippedTree(io);
    const named = publishChannel([shipped, tree]);
    const edits = editsChannel({ channels, unreadable: { channels: [], clusters: [] } });
    const publishTo = edits ?? named ?? "stable";
    if (named !== undefined && named !== publishTo) {
      return `Source differs: it names publishTo: ${named}, and edits go to ${publishTo}: take it out of ${layout.sourceParameter("config")}, or run "outrigger channel edits ${named}"`;
    }
    const record = Object.hasOwn(channels, publishTo) ? channels[publishTo] : undefined;
    if (record === undefined) return undefined;
    // Of another version of Outrigger, the same tree may wait that is served.
    if (record.proposal?.tree === treeDigest(tree)) return `Source differs: ${heldEdit(publishTo, record)}`;
    const { origin } = await readRelease({ store, layout }, record.release);
    if (origin === undefined || origin.tree === treeDigest(tree)) return undefined;
    const waits = whyEditWaits(publishTo, record, treeDigest(tree));
    const why = waits ?? 'outrigger publish says why, or "outrigger lint source"';
    return `Source differs: ${layout.source} is not what ${publishTo} was made of (${why})`;
  } catch (error) {
    return `Source differs: ${ownError(error).message}`;
  }
}

/** The edit that waits for a person on a channel, in a sentence; undefined where none does. */
export function heldEdit(channel: string, { proposal }: Pick<ChannelRecord, "proposal">): string | undefined {
  if (proposal?.held === undefined) return undefined;
  const { held, by, at } = proposal;
  return `an edit by ${by} at ${at} waits for a person on ${channel}: ${heldText(channel, held, proposal)}, or revert it`;
}
