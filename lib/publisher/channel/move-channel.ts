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
  // Where a share is taken back, the channel continues serving what its pods and nets are made of.
  if (next === undefined) return decideMove(channel, wanted, request, state, dependencies);
  const isPromotion = asked.kind === "promotion";
  const move = { channel, digest: release, next };
  // Going back must not wait, neither for a person nor for this answer: who asks first is told what it does.
  const { effects, warnings } = isPromotion
    ? await judgeMove(move, state, dependencies)
    : request.dryRun === true
      ? await judgeUnheldMove(move, state, dependencies)
      : NO_EFFECTS;
  const parted = partedNets(channel, next.release, state, isPromotion && asked.isPart);
  const proposed = isPromotion ? awaitPerson(asked, effects, now) : undefined;
  const names = isPromotion && effects.length > 0 ? effects.map(({ name }) => name) : undefined;
  const made = { ...wanted, origin: next.origin, published: defined({ effects: names }) };
  const decision = proposed ?? (await decideMove(channel, made, request, state, dependencies));
  return withEffects(decision, { effects, warnings: [...parted, ...warnings] });
}
