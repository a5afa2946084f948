// A move of a channel as a question to the publisher, and its confirmation by the same digests: the page has no rule of its own
// about releases.

import { createHash } from "node:crypto";
import { defined, OutriggerError } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import type { ActionRequest } from "../releases/action-request.ts";
import { askOnce } from "../releases/ask-and-print.ts";
import { readChannels } from "../releases/read-records.ts";
import { resolveMove } from "../releases/resolve-move.ts";
import type { Io } from "../terminal/io.ts";
import { namedRelease } from "./releases-state.ts";
import type { StudioReleases } from "./studio-workspace.ts";

/** So many questions stay open: each tab has one at a time. */
const MOST = 100;

export function moves(deployment: Deployment, io: Io): Pick<StudioReleases, "ask" | "confirm"> {
  const asked = new Map<string, ActionRequest>();
  return {
    async ask(move) {
      const resolved = await resolveMove(move, {}, deployment);
      const answer = await askOnce(resolved, { dryRun: true, isResolved: true }, deployment, io);
      const channel = answer.channel ?? "";
      const channels = await readChannels(deployment, io);
      const record = channels[channel];
      // Which channel and release a publication comes to, its answer says.
      const exact =
        resolved.action === "publish"
          ? { ...resolved, channel, serving: record?.release ?? null, ...defined({ release: answer.release }) }
          : resolved;
      const { message, warnings } = answer;
      const held = exact.action === "publish" && exact.accept !== undefined ? record?.proposal?.held : undefined;
      const { before, after } = servedBy(exact, record);
      const named = (release: string | null) => (release === null ? null : namedRelease(release, channels));
      const question = {
        channel,
        before: named(before),
        after: named(after),
        compare:
          before === null || after === null || before === after
            ? null
            : { before, after: exact.action === "publish" ? "source" : after },
        message,
        warnings,
        held: held ?? [],
      };
      const id = createHash("sha256")
        .update(JSON.stringify([exact, question]))
        .digest("hex");
      asked.delete(id);
      asked.set(id, exact);
      for (const oldest of [...asked.keys()].slice(0, -MOST)) asked.delete(oldest);
      return { id, ...question };
    },
    async confirm(id, message) {
      const request = asked.get(id);
      if (request === undefined) {
        throw new OutriggerError(
          "channel-moved",
          "The studio was started again since you looked: review the move again",
        );
      }
      const answer = await askOnce(request, { message, isResolved: true }, deployment, io);
      asked.delete(id);
      return { message: answer.message, warnings: answer.warnings };
    },
  };
}

/** What the workloads that the move is about are served before and after. */
function servedBy(
  request: ActionRequest,
  record: ChannelRecord | undefined,
): { readonly before: string | null; readonly after: string | null } {
  const { release = null, share } = record ?? {};
  switch (request.action) {
    case "publish":
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
