// Telling whether the source tree is what its channel was made of.
import { defined, OutriggerError } from "@outrigger/base";
import { publishChannel } from "@outrigger/injector";
import type { ChannelRecord } from "@outrigger/publisher";
import { readRelease, readSettledSource, treeDigest } from "@outrigger/publisher";
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
    const publishTo = publishChannel([shipped, tree]);
    const record = Object.hasOwn(channels, publishTo) ? channels[publishTo] : undefined;
    if (record === undefined) return undefined;
    const { origin } = await readRelease(store, layout, record.release);
    if (origin === undefined || origin.tree === treeDigest(tree)) return undefined;
    const why = record.pinned ? `${publishTo} is pinned` : 'outrigger publish says why, or "outrigger lint --store"';
    return `Source differs: ${layout.source} is not what ${publishTo} was made of (${why})`;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return `Source differs: ${error.message}`;
  }
}
