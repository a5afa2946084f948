// How many of the workloads get a release first, and when the others follow.

import type { Signal } from "@preact/signals";
import { plan } from "../actions/moving.ts";
import { FIRST_SHARE } from "../model/releases.ts";
import { say } from "../text/say.ts";
import { CANARY, type Move } from "../wire.ts";

const SHARES = [FIRST_SHARE, 25, 50, 100];

type Shared = Extract<Move, { readonly action: "promote" | "publish" }>;

/** Seconds. */
const BAKES = [1800, 3600, 86_400, undefined] as const;

/** @param isAll all at once is chosen twice */
export function PromotionFields({ move, isAll }: { readonly move: Shared; readonly isAll: Signal<boolean> }) {
  const { share, bake, ...whole } = move;
  const choose = (percent: number, seconds: number | undefined) => {
    isAll.value = false;
    void plan(percent === 100 ? whole : { ...whole, share: percent, ...(seconds !== undefined && { bake: seconds }) });
  };
  return (
    <div class="column">
      <Choices
        label={say("move.share")}
        of={SHARES.map((percent) => [`${percent} %`, (share ?? 100) === percent, () => choose(percent, bake)])}
      />
      {move.action === "publish" && share !== undefined && (
        <p class="banner">{say("move.share.edits", { channel: CANARY })}</p>
      )}
      {share === undefined ? (
        move.action === "promote" && (
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
        )
      ) : (
        <Choices
          label={say("move.bake")}
          of={BAKES.map((seconds) => [
            say(`bake.${seconds ?? "hand"}`),
            bake === seconds,
            () => choose(share, seconds),
          ])}
        />
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly of: readonly (readonly [text: string, isChosen: boolean, choose: () => void])[];
}

function Choices({ label, of }: ChoicesProps) {
  return (
    <fieldset class="row choices">
      <legend>{label}</legend>
      {of.map(([text, isChosen, choose]) => (
        <label key={text}>
          <input type="radio" name={label} checked={isChosen} onChange={choose} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
