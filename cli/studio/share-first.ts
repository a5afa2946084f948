// Edits that a share of the workloads gets first: they go to a channel of their own from then on, and from there to the share.
import { entryOf, OutriggerError } from "@outrigger/base";
import { lintSource, type SourceTree } from "@outrigger/injector";
import { CANARY } from "@outrigger/studio";
import type { ActionRequest } from "../releases/action-request.ts";
import type { AskedPublication } from "./asked-publication.ts";
import type { Channels } from "./release-changes.ts";

/** The requests before and after a publication; the last is of the release that it makes. */
export interface Detour {
  readonly before: ActionRequest;
  readonly after: Extract<ActionRequest, { readonly action: "promote" }>;
}

/**
 * Returns what a publication to a share is next to the publication itself.
 *
 * @param channel where edits go now
 * @throws OutriggerError `usage` where edits go through several channels already; `config-invalid` where the tree says where they go
 */
export function shareFirst(
  { first = {}, unpin }: AskedPublication,
  { channel, channels, layers }: { channel: string; channels: Channels; layers: readonly SourceTree[] },
): Detour {
  const record = entryOf(channels, channel);
  if (record === undefined || Object.keys(channels).length > 1) {
    throw new OutriggerError(
      "usage",
      `Cannot publish to a share of ${channel}: promote from one channel to another instead`,
    );
  }
  if (lintSource(layers).publishTo !== undefined) {
    const message = `Cannot publish to a share of ${channel}: edits would go to ${CANARY} first, and publishTo in config says that they go to ${channel}; take it out`;
    throw new OutriggerError("config-invalid", message, { path: "config" });
  }
  const { release: serving, change } = record;
  return {
    before: { action: "set-channel", channel: CANARY, edits: true },
    after: {
      action: "promote",
      from: CANARY,
      to: channel,
      serving,
      ...first,
      ...(change !== undefined && { change }),
      ...(unpin === true && { unpin }),
    },
  };
}
