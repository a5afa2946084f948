// Why something is done: kept in the history.

import type { Signal } from "@preact/signals";
import { say } from "../text/say.ts";

export function WhyField({ why }: { readonly why: Signal<string> }) {
  return (
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
  );
}
