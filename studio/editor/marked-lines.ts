// Marks whole lines: those of an injected pod that the injection wrote.

import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** 1-based line numbers, ascending. */
export const setMarkedLines = StateEffect.define<readonly number[]>();

const mark = Decoration.line({ class: "injected-line" });

export const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { effects, changes, state }) {
    for (const effect of effects) {
      if (!effect.is(setMarkedLines)) continue;
      const builder = new RangeSetBuilder<Decoration>();
      for (const number of effect.value) {
        if (number > state.doc.lines) break;
        const { from } = state.doc.line(number);
        builder.add(from, from, mark);
      }
      return builder.finish();
    }
    return decorations.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
