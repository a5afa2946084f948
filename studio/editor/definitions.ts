// From what a template names to where that is defined: a partial to its entry, a value to the entry that sets it. F12, or a click with
// Ctrl.

import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { currentText, goTo, openPath, openValue, paths, valued } from "../model/state.ts";

/** Shows what is named at the cursor; false where nothing is. */
export function definitions(): Extension {
  return [
    Prec.high(keymap.of([{ key: "F12", run: ({ state }) => showDefinition(state, state.selection.main.head) }])),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        const at = event.ctrlKey || event.metaKey ? view.posAtCoords(event) : null;
        return at !== null && showDefinition(view.state, at);
      },
    }),
  ];
}

function showDefinition(state: EditorState, at: number): boolean {
  const { text, from } = state.doc.lineAt(at);
  const named = [...text.matchAll(/(\{\{~?>\s*)([\w.-]+)|\bvalues\.([\w.]+)/g)].find(
    ({ index, 0: whole }) => from + index <= at && at <= from + index + whole.length,
  );
  const [, , partial, value] = named ?? [];
  if (partial !== undefined) return show(`partials/${partial}`, 1);
  return value !== undefined && showValue(value);
}

function showValue(name: string): boolean {
  // What the previewed pod depends on is known; of other values, an entry that writes the key.
  const origin = valued.value?.lines.flatMap(([, origins]) => origins).find((one) => one.name === name);
  if (origin !== undefined) {
    openValue(origin);
    return true;
  }
  const key = new RegExp(`^\\s*${name.split(".").at(-1)}:`);
  const layers = paths.value.filter((path) => path.startsWith("values/")).toReversed();
  for (const path of layers) {
    const line = currentText(path)
      .split("\n")
      .findIndex((text) => key.test(text));
    if (line >= 0) return show(path, line + 1);
  }
  return false;
}

function show(path: string, line: number): boolean {
  if (!paths.value.includes(path)) return false;
  openPath.value = path;
  goTo.value = { line, column: 1 };
  return true;
}
