// Asks before a channel moves: with what changes for the sample pods, and for a message that the history keeps.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { planned, plannedImpact } from "../model/releases.ts";
import { say } from "../text/say.ts";
import type { Move } from "../wire.ts";
import { ImpactViews } from "./impact-views.tsx";

export function MoveDialog({
  move,
  onMove,
}: {
  readonly move: Move;
  readonly onMove: (move: Move, why: string) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const why = useSignal("");
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    planned.value = undefined;
  };
  const impact = plannedImpact.value;
  return (
    <dialog ref={dialog} aria-labelledby="move-title" onClose={close}>
      <h2 id="move-title">{titleOf(move)}</h2>
      {move.action !== "unpin" &&
        (typeof impact === "string" ? <p class="warning">{impact}</p> : <ImpactViews {...impact} />)}
      <label>
        {say("move.why")}
        <textarea
          maxLength={500}
          value={why.value}
          onInput={({ currentTarget }) => {
            why.value = currentTarget.value;
          }}
        />
      </label>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => onMove(move, why.value)}>
          {say("move.confirm")}
        </button>
        <button type="button" onClick={close}>
          {say("move.cancel")}
        </button>
      </p>
    </dialog>
  );
}

function titleOf(move: Move): string {
  switch (move.action) {
    case "publish":
      return say("move.publish");
    case "promote":
      return say("move.title.promote", { from: move.from, to: move.to });
    case "rollback":
      return say("move.title.rollback", { channel: move.channel, release: move.release });
    case "pin":
      return say("move.title.pin", { channel: move.channel, release: move.release });
    case "unpin":
      return say("move.title.unpin", { channel: move.channel });
  }
}
