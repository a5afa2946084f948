// What a move changes for the workloads that it is about: what they are served before and after, as the page compares it. Pure.
import type { ChannelRecord } from "@outrigger/publisher";
import type { Question } from "@outrigger/studio";
import type { ActionRequest } from "../releases/action-request.ts";
import type { Channels } from "./release-changes.ts";
import { namedRelease } from "./releases-state.ts";

interface ServedPair {
  readonly before: string | null;
  readonly after: string | null;
  /** The name of the release that comes after, where it is not stored yet. */
  readonly name?: string;
}

export function comparison(
  { before, after, name }: ServedPair,
  channels: Channels,
): Pick<Question, "before" | "after" | "compare"> {
  const named = (release: string | null) => (release === null ? null : namedRelease(release, channels));
  const next = before === after ? null : (name ?? after);
  const compare = before === null || next === null ? null : { before, after: next };
  return { before: named(before), after: named(after), compare };
}

/** Returns the releases that the workloads of the move are served before and after. */
export function servedBy(request: ActionRequest, record: ChannelRecord | undefined): ServedPair {
  const { release = null, share } = record ?? {};
  switch (request.action) {
    case "promote":
    case "pin":
      return { before: release, after: request.release ?? release };
    case "rollback":
      return { before: share?.release ?? release, after: request.release ?? release };
    case "step-rollout": {
      const other = request.seen?.release ?? release;
      return request.direction === "next" ? { before: release, after: other } : { before: other, after: release };
    }
    default:
      return { before: release, after: release };
  }
}
