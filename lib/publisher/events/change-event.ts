// What an event says of a change: docs/events.md. What a version says once, it says for good: a field may be added, and none goes or means
// something else. No text of a template, no pod and no token is in it.
import type { ChannelMove } from "../records/channel-record.ts";
import type { Cause } from "../request/publisher-result.ts";

/** By which rules find the events: `source` and `detail-type`. The function's role (infra/roles.yml) may send no others. */
export const changeEventKind = { source: "outrigger", type: "Outrigger Change" } as const;

/** The `detail` of an event: one change of one channel or cluster. */
export interface ChangeEvent extends Cause, Partial<Pick<ChannelMove, "effects">> {
  readonly version: 1;
  /** The deployment: `/outrigger/prod`. */
  readonly deployment: string;
  /** The number of the change, in the one order of the deployment: an event that arrives twice has it twice. */
  readonly change: number;
  /** When it was made: ISO 8601, UTC. */
  readonly at: string;
  readonly action: string;
  /** What was answered to who asked: `stable serves 1f2e… now (77aa… before)`. */
  readonly message: string;
  readonly channel?: string;
  readonly cluster?: string;
  /** The release that it is about. */
  readonly release?: string;
  /** Percent of the channel's workloads that are served `release`; left out: all of them. */
  readonly share?: number;
  readonly pinned?: boolean;
  /** The channel by revision that the cluster is served from. */
  readonly revisions?: Readonly<Record<string, string>>;
}
