// How many of the workloads get a promoted release first, and when the others follow.

import type { Signal } from "@preact/signals";
import { FIRST_SHARE } from "../model/releases.ts";
import { say } from "../text/say.ts";
import type { Move } from "../wire.ts";

interface PromotionFieldsProps {
  readonly move: Extract<Move, { readonly action: "promote" }>;
  /** All at once is chosen twice. */
  readonly isAll: Signal<boolean>;
  readonly onPlan: (move: Move) => void;
}

const SHARES = [FIRST_SHARE, 25, 50, 100];

/** Seconds. */
const BAKES = [
  [1800, "bake.1800"],
  [3600, "bake.3600"],
  [86_400, "bake.86400"],
  [undefined, "bake.hand"],
] as const;

export function PromotionFields({ move, isAll, onPlan }: PromotionFieldsProps) {
  const { share, bake, ...whole } = move;
  const choose = (percent: number) => {
    isAll.value = false;
    onPlan(percent === 100 ? whole : { ...whole, share: percent, ...(bake !== undefined && { bake }) });
  };
  return (
    <div class="row fields">
      <fieldset class="choices">
        <legend>{say("move.share")}</legend>
        {SHARES.map((percent) => (
          <label key={percent}>
            <input type="radio" name="share" checked={(share ?? 100) === percent} onChange={() => choose(percent)} />
            {percent} %
          </label>
        ))}
      </fieldset>
      {share === undefined ? (
        <label class="row end">
          <input
            type="checkbox"
            checked={isAll.value}
            onChange={({ currentTarget }) => {
              isAll.value = currentTarget.checked;
            }}
          />
          {say("move.share.all")}
        </label>
      ) : (
        <fieldset class="choices">
          <legend>{say("move.bake")}</legend>
          {BAKES.map(([seconds, word]) => (
            <label key={word}>
              <input
                type="radio"
                name="bake"
                checked={bake === seconds}
                onChange={() => onPlan({ ...whole, share, ...(seconds !== undefined && { bake: seconds }) })}
              />
              {say(word)}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}
