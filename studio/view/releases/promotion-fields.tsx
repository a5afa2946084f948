// Where a promotion goes, and to how many workloads first.

import { say } from "../../text/say.ts";
import type { Move } from "../../wire.ts";

type Promotion = Extract<Move, { readonly action: "promote" }>;

export interface PromotionFieldsProps {
  readonly move: Promotion;
  readonly channels: readonly string[];
  readonly onPlan: (move: Move) => void;
}

const SHARES = [5, 10, 25, 50];

/** Seconds. */
const BAKES = [1800, 3600, 86_400];

export function PromotionFields({ move, channels, onPlan }: PromotionFieldsProps) {
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
