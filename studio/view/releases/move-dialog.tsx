// Asks before a channel moves: with what changes in which pods, and for a message that the history keeps.

import { useSignal } from "@preact/signals";
import { Button } from "../../component/controls.tsx";
import { Dialog } from "../../component/dialog.tsx";
import { planned, plannedImpact } from "../../model/releases.ts";
import type { Word } from "../../text/en.ts";
import { say } from "../../text/say.ts";
import type { Move, ReleasesState } from "../../wire.ts";
import { PlannedImpactView } from "../impact-views.tsx";

export interface MoveDialogProps {
  readonly move: Move;
  readonly state: ReleasesState;
  /** Another move takes the place of this one: its effect is measured anew. */
  readonly onPlan: (move: Move) => void;
  readonly onMove: (move: Move, why: string) => void;
}

export function MoveDialog({ move, state, onPlan, onMove }: MoveDialogProps) {
  const why = useSignal("");
  const close = () => {
    planned.value = undefined;
  };
  const impact = plannedImpact.value;
  const isDanger = move.action === "rollback" || (move.action === "step-rollout" && move.direction === "back");
  return (
    <Dialog title={titleOf(move, state.publishTo)} onClose={close}>
      {move.action === "promote" && move.approve !== true && (
        <PromotionFields move={move} channels={Object.keys(state.channels)} onPlan={onPlan} />
      )}
      {unpins(move, state) && <p class="banner">{say("move.unpins", { channel: channelOf(move, state) })}</p>}
      {move.action !== "unpin" && <PlannedImpactView impact={impact} />}
      <label class="field">
        {say("move.why")}
        <textarea
          maxLength={500}
          value={why.value}
          onInput={({ currentTarget }) => {
            why.value = currentTarget.value;
          }}
        />
      </label>
      <p class="actions end">
        <Button onClick={close}>{say("move.cancel")}</Button>
        <Button
          tone={isDanger ? "danger" : "primary"}
          onClick={() => onMove(unpins(move, state) ? ({ ...move, unpin: true } as Move) : move, why.value)}
        >
          {nameOf(move)}
        </Button>
      </p>
    </Dialog>
  );
}

/** A pinned channel is moved only by a person: the dialog says that it is pinned. */
function unpins(move: Move, state: ReleasesState): boolean {
  const moves = move.action === "publish" || (move.action === "promote" && move.approve !== true);
  return moves && state.channels[channelOf(move, state)]?.pinned === true;
}

function channelOf(move: Move, { publishTo }: ReleasesState): string {
  return move.action === "publish" ? publishTo : move.action === "promote" ? move.to : move.channel;
}

/** As on the button that leads here: its three dots say that a question follows. */
function nameOf(move: Move): string {
  return say(wordOf(move)).replace("…", "");
}

function wordOf(move: Move): Word {
  switch (move.action) {
    case "publish":
      return move.accept === undefined ? "move.publish" : "move.accept";
    case "promote":
      return move.approve === true ? "move.approve" : "move.promote";
    case "step-rollout":
      return `move.${move.direction}`;
    default:
      return `move.${move.action}`;
  }
}

function titleOf(move: Move, publishTo: string): string {
  switch (move.action) {
    case "publish":
      return say("move.title.publish", { channel: publishTo });
    case "promote":
      return say("move.title.promote", { from: move.from, to: move.to });
    case "step-rollout":
      return say(`move.title.${move.direction}`, { channel: move.channel });
    case "rollback":
      return say("move.title.rollback", { channel: move.channel, release: move.release });
    case "pin":
      return say("move.title.pin", { channel: move.channel, release: move.release });
    case "unpin":
      return say("move.title.unpin", { channel: move.channel });
  }
}

type Promotion = Extract<Move, { readonly action: "promote" }>;

interface PromotionFieldsProps {
  readonly move: Promotion;
  readonly channels: readonly string[];
  readonly onPlan: (move: Move) => void;
}

const SHARES = [5, 10, 25, 50];

/** Seconds. */
const BAKES = [1800, 3600, 86_400];

function PromotionFields({ move, channels, onPlan }: PromotionFieldsProps) {
  const { share, bake, ...whole } = move;
  return (
    <div class="actions">
      <label class="field">
        {say("move.target")}
        <select value={move.to} onChange={({ currentTarget }) => onPlan({ ...move, to: currentTarget.value })}>
          {channels
            .filter((name) => name !== move.from)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </label>
      <label class="field">
        {say("move.share")}
        <select
          value={share ?? ""}
          onChange={({ currentTarget }) =>
            onPlan(currentTarget.value === "" ? whole : { ...whole, share: Number(currentTarget.value) })
          }
        >
          <option value="">{say("move.share.all")}</option>
          {SHARES.map((percent) => (
            <option key={percent} value={percent}>
              {percent} %
            </option>
          ))}
        </select>
      </label>
      {share !== undefined && (
        <label class="field">
          {say("move.bake")}
          <select
            value={bake ?? ""}
            onChange={({ currentTarget }) => {
              const { value } = currentTarget;
              onPlan(value === "" ? { ...whole, share } : { ...whole, share, bake: Number(value) });
            }}
          >
            <option value="">{say("move.bake.person")}</option>
            {BAKES.map((seconds) => (
              <option key={seconds} value={seconds}>
                {say("move.bake.after", { minutes: seconds / 60 })}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
