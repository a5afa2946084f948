// Next to the lines of a template that write lines of the previewed pod, an arrow that leads there.

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, keymap } from "@codemirror/view";

/** Line of the entry → lines of the injected pod. */
export type WrittenLines = ReadonlyMap<number, readonly number[]>;

export const setWritten = StateEffect.define<WrittenLines>();

const written = StateField.define<WrittenLines>({
  create: () => new Map(),
  update: (value, { effects }) => effects.findLast((effect) => effect.is(setWritten))?.value ?? value,
});

/** @param show called with the lines of the pod that the chosen line writes: a click on its arrow, or F12 */
export function writtenGutter(show: (lines: readonly number[]) => void): Extension {
  const showAt = ({ state }: EditorView, position: number) => {
    show(state.field(written).get(state.doc.lineAt(position).number) ?? []);
    return true;
  };
  return [
    written,
    gutter({
      class: "cm-written",
      lineMarker: ({ state }, { from }) => (state.field(written).has(state.doc.lineAt(from).number) ? ARROW : null),
      lineMarkerChange: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(setWritten))),
      initialSpacer: () => ARROW,
      domEventHandlers: { click: (view, { from }) => showAt(view, from) },
    }),
    keymap.of([{ key: "F12", run: (view) => showAt(view, view.state.selection.main.head) }]),
  ];
}

const ARROW = new (class extends GutterMarker {
  override toDOM(): Node {
    return document.createTextNode("→");
  }
})();
