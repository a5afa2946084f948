// While a call is written: its arguments above it, the one that is written in bold, with what it means. Escape closes it.

import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { BLOCKS, describeCallable, HELPERS } from "./callables.ts";
import { openCall } from "./open-call.ts";

/** Characters before the cursor that are looked at: longer tags have no tooltip. */
export const LONGEST_TAG = 2000;

const close = StateEffect.define<null>();

/** @param isTemplate whether the text has tags */
export function callTooltip(isTemplate: () => boolean): Extension {
  const field = StateField.define<Tooltip | null>({
    create: () => null,
    update(shown, transaction) {
      const { state, docChanged, selection, effects } = transaction;
      if (effects.some((effect) => effect.is(close))) return null;
      const isTyped = docChanged && (transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
      if (isTyped || (shown !== null && (docChanged || selection !== undefined))) {
        return isTemplate() ? tooltipAt(state) : null;
      }
      return shown;
    },
    provide: (value) => showTooltip.from(value),
  });
  // Before the keys of the editor: Escape closes this first.
  const closing = Prec.highest(
    keymap.of([
      {
        key: "Escape",
        run(view) {
          if (view.state.field(field) === null) return false;
          view.dispatch({ effects: close.of(null) });
          // What completes a name closes as well.
          return false;
        },
      },
    ]),
  );
  return [field, closing];
}

function tooltipAt(state: EditorState): Tooltip | null {
  const { head, empty } = state.selection.main;
  if (!empty) return null;
  const first = Math.max(0, head - LONGEST_TAG);
  const call = openCall(state.sliceDoc(first, head));
  if (call === undefined || call.argument < 0) return null;
  const { name, sigil, argument } = call;
  const callable = (sigil === "#" ? BLOCKS : HELPERS).get(name);
  if (callable === undefined || callable.args.length === 0) return null;
  return { pos: first + call.from, above: true, create: () => ({ dom: describeCallable(name, callable, argument) }) };
}
