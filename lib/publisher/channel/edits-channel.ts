// Where edits go: a record of the deployment, so that no edit of the tree, and no deletion, can change it. Pure.
import type { Layout } from "@outrigger/aws";
import { channelNamePattern, OutriggerError } from "@outrigger/base";
import type { Snapshot } from "@outrigger/serving";
import type { ChannelRecord } from "../records/channel-record.ts";
import type { ChannelRecords, Records } from "../records/read-records.ts";

/** The channel that edits go to where no record of the deployment says so and the tree names none. */
export const DEFAULT_CHANNEL = "stable";

type EditsRecords = Pick<ChannelRecords, "channels" | "unreadable"> & {
  readonly snapshot?: Pick<Snapshot, "channels" | "edits"> | undefined;
};

/**
 * The channel that edits go to, as recorded: the latest that was named. Of a record that cannot be read, what is served knows it.
 *
 * @returns undefined where nothing was published yet, or by an earlier version only
 */
export function editsChannel({ channels, unreadable, snapshot }: EditsRecords): string | undefined {
  const served = snapshot?.edits ?? DEFAULT_CHANNEL;
  if (unreadable.channels.includes(served)) return served;
  const named = Object.entries(channels).flatMap(([name, { editsSince }]) =>
    editsSince === undefined ? [] : [{ name, editsSince }],
  );
  return named.sort((a, b) => (a.editsSince < b.editsSince ? 1 : -1))[0]?.name;
}

/**
 * Returns the channel that a publication of the tree goes to.
 *
 * | the request names | the record says | the tree says    | then                                        |
 * |-------------------|-----------------|------------------|---------------------------------------------|
 * | X                 | anything        | anything         | X                                           |
 * | –                 | A               | A, or nothing    | A                                           |
 * | –                 | A               | B                | refused, with the command that changes it   |
 * | –                 | –               | B                | B, from now on                              |
 * | –                 | –               | nothing          | stable, from now on                         |
 *
 * @param recorded editsChannel()
 * @param named publishTo of the tree
 * @param wanted that of the request
 * @returns `isFirst`: nothing says yet where edits go, and the record takes over what the tree says
 * @throws OutriggerError `config-invalid`
 */
export function destinationOf(
  recorded: string | undefined,
  named: string | undefined,
  { sourceParameter }: Layout,
  wanted?: string,
): { readonly channel: string; readonly isFirst: boolean } {
  if (wanted !== undefined) return { channel: wanted, isFirst: false };
  const place = sourceParameter("config");
  if (named !== undefined && !channelNamePattern.test(named)) {
    const message = `Cannot publish to channel ${JSON.stringify(named.slice(0, 80))}: a channel is named in lower-case letters, digits and dashes; fix publishTo in ${place}`;
    throw new OutriggerError("config-invalid", message, { path: place });
  }
  if (recorded === undefined) return { channel: named ?? DEFAULT_CHANNEL, isFirst: true };
  if (named === undefined || named === recorded) return { channel: recorded, isFirst: false };
  const message = `Cannot publish to channel ${named}: edits go to ${recorded}, and publishTo does not change that; take it out of ${place}, or run "outrigger channel edits ${named}"`;
  throw new OutriggerError("config-invalid", message, { path: place });
}

/** A warning where a channel reaches no pod: no revision of a cluster is served from it, though there are clusters. */
export function unservedWarning(channel: string, clusters: Records["clusters"]): string | undefined {
  const own = Object.entries(clusters).filter(([name]) => name !== CANARY);
  const isServed = own.some(([, { revisions }]) => Object.values(revisions).includes(channel));
  if (own.length === 0 || isServed) return undefined;
  return `No cluster is served from ${channel}, so no pod gets it: serve one with "outrigger clusters set NAME revision.canary=${channel}", or promote it`;
}

/**
 * Whether a channel has never been served to a pod: all that it had is the release that the deployment published of no tree, and no
 * cluster is registered on any channel.
 *
 * @param clusters every list of them that is known
 */
export function isUnserved(
  record: Partial<Pick<ChannelRecord, "history" | "share">>,
  clusters: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const { history: [first, ...others] = [], share } = record;
  const isOfNoTree = first?.action === "publish" && first.entries === 0;
  const isOnly = others.length === 0 && share === undefined;
  return isOfNoTree && isOnly && clusters.every((known) => Object.keys(known).every((name) => name === CANARY));
}

/** The deployment's own caller, which injects no pod: each deployment has one of its own. */
export const CANARY = "canary";
