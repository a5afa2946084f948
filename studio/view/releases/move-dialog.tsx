// Asks before a channel moves: with what the publisher answers that comes to, what changes in which pods, and for a message that the
// history keeps.

import { useSignal } from "@preact/signals";
import { Button, FailureText } from "../../component/controls.tsx";
import { Dialog } from "../../component/dialog.tsx";
import { type Planned, planned } from "../../model/releases.ts";
import type { Word } from "../../text/en.ts";
import { say } from "../../text/say.ts";
import type { Move, Question, ReleasesState } from "../../wire.ts";
import { PlannedImpactView } from "../impact-views.tsx";
import { WhyField } from "../why-field.tsx";

export interface MoveDialogProps {
  readonly planned: Planned;
  readonly state: ReleasesState;
  /** Another move takes the place of this one, or the same is asked again. */
  readonly onPlan: (move: Move) => void;
  readonly onMove: (question: Question, why: string) => void;
}

export function MoveDialog({
  planned: { move, question, impact, isMoved, isBusy, failure },
  ...props
}: MoveDialogProps) {
  const { state, onPlan, onMove } = props;
  const why = useSignal("");
  const close = () => {
    planned.value = undefined;
  };
  const isDanger = move.action === "rollback" || (move.action === "step-rollout" && move.direction === "back");
  const answered = question === undefined || "words" in question ? undefined : question;
  const refused = failure ?? (question !== undefined && "words" in question ? question : undefined);
  return (
    <Dialog title={titleOf(move, state.publishTo, answered?.after?.release ?? "…")} onClose={close}>
      {move.action === "promote" && move.approve !== true && (
        <PromotionFields move={move} channels={Object.keys(state.channels)} onPlan={onPlan} />
      )}
      {answered !== undefined && <Answer question={answered} />}
      {refused !== undefined && (
        <div class="banner bad" role="alert">
          <FailureText word="failed" failure={refused} />
          <PinnedWay move={move} code={refused.code} onPlan={onPlan} />
        </div>
      )}
      {isMoved === true && (
        <div class="banner" role="alert">
          <p>{say("move.moved")}</p>
          <Button onClick={() => onPlan(move)}>{say("move.review")}</Button>
        </div>
      )}
      {answered?.compare != null && <PlannedImpactView impact={impact} />}
      <WhyField why={why} />
      <p class="actions end">
        <Button onClick={close}>{say("move.cancel")}</Button>
        <Button
          tone={isDanger ? "danger" : "primary"}
          disabled={answered === undefined || isMoved === true || isBusy === true}
          onClick={() => answered !== undefined && onMove(answered, why.value)}
        >
          {nameOf(move)}
        </Button>
      </p>
    </Dialog>
  );
}

/** What exactly would be done, in the publisher's words. */
function Answer({ question: { before, after, message, warnings, held } }: { readonly question: Question }) {
  return (
    <>
      <p class="release mono">
        {before?.release ?? "–"} → {after?.release ?? "–"}
      </p>
      {[message, ...warnings].map((line) => (
        <p key={line} class="quiet" lang="en">
          {line}
        </p>
      ))}
      {held.map(({ name, example }) => (
        <p key={name} class="banner bad">
          <code>{name}</code> {example}
        </p>
      ))}
    </>
  );
}

/** A pinned channel is moved only by a person who says so. */
function PinnedWay({
  move,
  code,
  onPlan,
}: Pick<MoveDialogProps, "onPlan"> & { readonly move: Move; readonly code: string }) {
  if (code !== "channel-pinned" || !(move.action === "publish" || move.action === "promote")) return null;
  return <Button onClick={() => onPlan({ ...move, unpin: true })}>{say("move.although-pinned")}</Button>;
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

function titleOf(move: Move, publishTo: string, release: string): string {
  switch (move.action) {
    case "publish":
      return say("move.title.publish", { channel: publishTo });
    case "promote":
      return say("move.title.promote", { from: move.from, to: move.to });
    case "step-rollout":
      return say(`move.title.${move.direction}`, { channel: move.channel });
    case "rollback":
    case "pin":
      return say(`move.title.${move.action}`, { channel: move.channel, release });
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
