// What moves a channel without compiling anything: promote, to all workloads, to a share of them or as a proposal that another
// person approves; rollback, pin and unpin.
import { defined } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { judgeMove, judgeUnheldMove, NO_EFFECTS } from "../effect/judge-move.ts";
import { withEffects } from "../effect/say-effects.ts";
import type { State } from "../records/read-state.ts";
import { askedMove, type Move } from "./asked-move.ts";
import { assertMovable } from "./assert-movable.ts";
import { awaitPerson } from "./await-person.ts";
import { decideMove } from "./decide-move.ts";
import { partedNets } from "./parted-nets.ts";

/**
 * Moves a channel to a release that is there already: what is asked, what speaks against it, what it does to pods, whether that waits for
 * a person, and the change.
 *
 * @throws OutriggerError `channel-unknown`, `channel-moved`, `channel-pinned`, `edit-held`, `usage`, `release-unknown`,
 * `release-unsupported` or `store-corrupt`
 */
export async function moveChannel(asking: Move, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  const now = dependencies.now();
  const asked = askedMove(asking, state, now);
  const next = await assertMovable(asked, dependencies);
  const { request, channel, release, wanted } = asked;
  // Where a share is taken back, the channel continues serving what its nets are made of.
  const isPart = asked.kind === "promotion" && wanted.share !== undefined;
  const parted = next === undefined ? [] : partedNets(channel, next, state, isPart);
  if (asked.kind === "return") {
    // Going back must not wait, neither for a person nor for this answer: who asks first is told what it does.
    const isLooking = request.dryRun === true;
    const judged = isLooking ? await judgeUnheldMove(channel, release, state, dependencies) : NO_EFFECTS;
    const made = await decideMove(channel, wanted, request, state, dependencies);
    return withEffects({ ...made, warnings: parted }, judged);
  }
  if (asked.request.share === 0) return decideMove(channel, wanted, request, state, dependencies);
  const { effects, warnings } = await judgeMove(channel, release, state, dependencies);
  const judged = { effects, warnings: [...parted, ...warnings] };
  const proposed = awaitPerson(asked, judged.effects, now);
  if (proposed !== undefined) return withEffects(proposed, judged);
  const names = judged.effects.map(({ name }) => name);
  const published = defined({ effects: names.length === 0 ? undefined : names });
  const made = await decideMove(channel, { ...wanted, published }, request, state, dependencies);
  return withEffects(made, judged);
}
