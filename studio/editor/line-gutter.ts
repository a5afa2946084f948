// Marks next to lines, which lead somewhere: by a click, or by F12 in the line.

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, keymap } from "@codemirror/view";
import { element } from "./element.ts";

/**
 * @param markerAt what is shown next to a line, 1-based
 * @param widest how much space there is
 */
export function lineGutter<Marks>(
  name: string,
  none: Marks,
  markerAt: (marks: Marks, line: number) => GutterMarker | null,
  widest: GutterMarker,
) {
  const set = StateEffect.define<Marks>();
  const marks = StateField.define<Marks>({
    create: () => none,
    update: (value, { effects }) => effects.findLast((effect) => effect.is(set))?.value ?? value,
  });
  /** @param follow called with the number of the chosen line, 1-based */
  const leadingTo = (follow: (marks: Marks, line: number) => void): Extension => {
    const followAt = ({ state }: EditorView, position: number) => {
      follow(state.field(marks), state.doc.lineAt(position).number);
      return true;
    };
    return [
      marks,
      gutter({
        class: name,
        lineMarker: ({ state }, { from }) => markerAt(state.field(marks), state.doc.lineAt(from).number),
        lineMarkerChange: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(set))),
        initialSpacer: () => widest,
        domEventHandlers: { click: (view, { from }) => followAt(view, from) },
      }),
      keymap.of([{ key: "F12", run: (view) => followAt(view, view.state.selection.main.head) }]),
    ];
  };
  return { set, marks, leadingTo };
}

export class TextMarker extends GutterMarker {
  readonly #text: string;
  readonly #className: string;

  constructor(text: string, className = "") {
    super();
    this.#text = text;
    this.#className = className;
  }

  override eq(other: TextMarker): boolean {
    return other.#text === this.#text && other.#className === this.#className;
  }

  override toDOM(): Node {
    return Object.assign(element("span", this.#text), { className: this.#className });
  }
}
