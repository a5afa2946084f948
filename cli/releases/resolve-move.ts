// Saying exactly what a move of a channel means: from which release to which, as the person who asks sees it. A move
// whose beginning no longer holds is refused by the publisher, and one that is sent twice is made once.
import { defined } from "@outrigger/base";
import { type ChannelRecord, readChannelRecord, rollbackTarget } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import type { ReplicaName } from "../options/names.ts";
import type { ActionRequest } from "./action-request.ts";

export interface MoveOptions {
  /** The number of releases that a rollback goes back; left out: one, or a share that is served. */
  readonly steps?: number;
  /** The release that the channel must serve, in place of the one that it is found to serve. */
  readonly ifServing?: string;
  /** The request says all of that already: it is sent as it is. */
  readonly isResolved?: true;
  /** Deployments in other Regions that serve it too. */
  readonly replicas?: readonly ReplicaName[];
}

/**
 * The request with the release that it moves to and the one that it moves from. A channel that cannot be read is left to the
 * publisher to refuse.
 *
 * @throws OutriggerError `release-unknown` where the history does not go back so far
 */
export async function resolveMove(
  request: ActionRequest,
  options: MoveOptions,
  deployment: Deployment,
): Promise<ActionRequest> {
  const { ifServing, steps, isResolved } = options;
  if (isResolved === true) return request;
  // The channel that edits go to: which one it is, the publisher knows.
  if (request.action === "publish" && request.channel === undefined)
    return { ...request, ...defined({ serving: ifServing }) };
  if (!("channel" in request || request.action === "promote")) return request;
  const channel = request.action === "promote" ? request.to : request.channel;
  const record = channel === undefined ? undefined : await findChannel(deployment, channel);
  const serving = ifServing ?? record?.release;
  const change = record?.change;
  switch (request.action) {
    case "promote": {
      // What another person asked for is approved as it was asked for.
      if (request.approve === true) return { ...request, ...defined({ release: record?.proposal?.release, change }) };
      const from = await findChannel(deployment, request.from);
      return {
        ...request,
        ...defined({ release: request.release ?? from?.release, change }),
        serving: serving ?? null,
      };
    }
    case "rollback": {
      if (record === undefined) return request;
      // Both ends are named, and a rollout that goes on meanwhile keeps nobody from going back.
      const release = request.release ?? rollbackTarget(channel ?? "", record, steps);
      return { ...request, serving: serving ?? null, release };
    }
    case "pin":
      return { ...request, ...defined({ serving, release: request.release ?? record?.release, change }) };
    case "step-rollout":
      return { ...request, ...defined({ seen: seenOf(record) }) };
    case "unpin":
    case "remove-channel":
      return { ...request, ...defined({ serving, change }) };
    case "set-channel":
      return { ...request, ...defined({ change }) };
    case "publish":
      // The edit's own call may publish the same tree first; what is unpinned is the pin that was seen.
      return { ...request, ...defined({ serving, change: request.unpin === true ? change : undefined }) };
    default:
      return request;
  }
}

/** The share of a channel and the change that wrote it, by which a step is refused once anything newer is there. */
export function seenOf({ share, change }: Partial<ChannelRecord> = {}) {
  return share && { ...share, ...defined({ change }) };
}

/** The record of a channel, or undefined where there is none that can be read. */
export async function findChannel({ store, target }: Deployment, channel: string): Promise<ChannelRecord | undefined> {
  const place = target.layout.channel(channel);
  const [parameter] = await store.getParameters([place]);
  try {
    return parameter === undefined ? undefined : readChannelRecord(parameter);
  } catch {
    return undefined;
  }
}
