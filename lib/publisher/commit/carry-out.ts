// Carrying out a request exactly once: the state, the decision, the change that it makes, and the commit. Everything that could
// refuse it comes before the first write.
import { randomUUID } from "node:crypto";
import { defined, isOwnError, OutriggerError } from "@outrigger/base";
import { BEHIND, type PublisherDependencies } from "../dependencies.ts";
import { findRequest } from "../records/change-log.ts";
import { releaseOf } from "../records/channel-record.ts";
import type { LogEntry } from "../records/log-entry.ts";
import { readState } from "../records/read-state.ts";
import { ONCE } from "../records/recent-requests.ts";
import { readRelease } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Done } from "../request/publisher-result.ts";
import { changeOf } from "./change.ts";
import { commitChange } from "./commit-change.ts";
import type { Decide, Decision } from "./decision.ts";
import { planCommit } from "./plan-commit.ts";

const TRIES = 10;

/** Errors of Parameter Store, and not of the request. */
const NOT_ANSWERED = ["store-unavailable", "store-denied", "parameter-refused"] as const;

/** Milliseconds before the first of these; each is longer than the one before. */
const PAUSE = 50;

/**
 * Decides and carries out a request.
 *
 * | it stops                          | what is served         | the same request again                     |
 * |-----------------------------------|------------------------|--------------------------------------------|
 * | before the log's entry            | as before              | is decided again                           |
 * | after it                          | as before, or the next | finds its entry, and finishes what is left |
 *
 * A request that loses its place to another publisher may be refused after its release was written. No channel names that
 * release then, and it is collected later; nothing else was written.
 *
 * @throws OutriggerError what the request is refused for
 */
export async function carryOut<Request extends PublisherRequest>(
  request: Request,
  decide: Decide<Request>,
  dependencies: PublisherDependencies,
): Promise<Done> {
  const id = request.id ?? `${ONCE}${randomUUID()}`;
  const isDry = request.dryRun === true;
  const isRepair = request.action === "repair";
  // A refusal is believed once readings have caught up: what it is refused for may be that it was made already.
  let isCertain = request.id === undefined || isDry;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const state = await readState(dependencies, { isWholeLog: isRepair });
      const made = await findRequest(id, state, dependencies);
      const decision =
        made === undefined ? await decide(request, state, dependencies) : await repeated(made, dependencies);
      const change = changeOf(decision, { id, request, state }, dependencies);
      const { change: _, newRelease, warnings = [], serving, effects, ...said } = decision;
      // As if the change were made: what is derived from it is known to fit before it is.
      const plan = await planCommit(change.next, newRelease, dependencies, isRepair);
      const committed = await commitChange({ request, change, plan, newRelease, made }, dependencies);
      if (committed !== undefined) {
        const { numbers } = isDry ? state : change.next;
        return {
          ok: true,
          ...said,
          // What a person asks before it is done.
          ...(isDry && defined({ serving, effects })),
          ...defined({ change: numbers[`channel/${said.channel}`] }),
          seq: committed.seq,
          changed: committed.changed || made !== undefined,
          warnings: [...warnings, ...committed.warnings],
          ...(committed.problems.length > 0 && { problems: committed.problems }),
        };
      }
    } catch (error) {
      if (isCertain || isOwnError(error, ...NOT_ANSWERED) || !isOwnError(error)) throw error;
      isCertain = true;
      await dependencies.sleep(BEHIND);
      continue;
    }
    await dependencies.sleep(PAUSE * 2 ** tries);
  }
  const message = `Cannot make the change: other publishers made the next one each of the ${TRIES} times that it was tried; try again`;
  throw new OutriggerError("store-unavailable", message, { path: dependencies.layout.changes });
}

/** The first answer to a request that was declared before. */
async function repeated({ change, message }: LogEntry, access: PublisherDependencies): Promise<Decision> {
  if (change.kind === "cluster") return { message };
  if ("settings" in change) {
    const { proposal } = change.settings;
    return { message, channel: change.name, ...defined({ release: proposal?.release, held: proposal?.held }) };
  }
  if (!("move" in change)) return { message, channel: change.name };
  const release = releaseOf(change.move);
  const warnings = change.move.action === "publish" ? (await readRelease(access, release)).release.warnings : [];
  return { message, channel: change.name, release, warnings };
}
