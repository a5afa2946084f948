// From what a template names to what that is: a partial to its entry, a value to the entry that sets it. F12 or a click with Ctrl leads
// there, the pointer shows it, Shift+F12 finds where else it is named, F2 renames it.

import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, type Tooltip } from "@codemirror/view";
import { describeValue } from "../model/origin.ts";
import { currentText, type Named, openAt, openPath, paths, sought, templateNames } from "../model/state.ts";
import type { KnownValue } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { element, linkButton, tooltip } from "./element.ts";
import { type Setting, settingAt, valueSetting } from "./settings.ts";
import { namedAt, PARTIALS, type Placed, placesOf } from "./symbols.ts";

export function definitions(): Extension {
  const atCursor = (act: (named: Named) => boolean) => (view: EditorView) => {
    const named = symbolAt(view.state, view.state.selection.main.head);
    return named !== undefined && act(named);
  };
  return [
    Prec.high(
      keymap.of([
        { key: "F12", run: atCursor(showDefinition) },
        { key: "Shift-F12", run: atCursor((named) => find(named)) },
        { key: "F2", run: atCursor((named) => find(named, true)) },
      ]),
    ),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        const at = event.ctrlKey || event.metaKey ? view.posAtCoords(event) : null;
        const named = at === null ? undefined : symbolAt(view.state, at);
        return named !== undefined && showDefinition(named);
      },
    }),
    hoverTooltip(({ state }, at) => tooltipOf(state, at)),
  ];
}

/** What a template names there, or a values entry sets. */
function symbolAt({ doc }: EditorState, at: number): Placed | undefined {
  const { text, from, number } = doc.lineAt(at);
  const path = openPath.peek();
  const set = templateNames.peek().values.find((value) => value.path === path && value.line === number);
  const named =
    set === undefined
      ? namedAt(text, at - from)
      : { ...set, kind: "value" as const, from: text.search(/\S/), to: text.length };
  return named && { kind: named.kind, name: named.name, from: from + named.from, to: from + named.to };
}

function showDefinition({ kind, name }: Named): boolean {
  if (kind === "partial") {
    if (!paths.value.includes(PARTIALS + name)) return false;
    openAt({ path: PARTIALS + name });
    return true;
  }
  // Until it is known which entry sets it, the last one that writes it.
  const place = valuesOf(name)[0] ?? placesOf({ kind, name }).findLast(({ path }) => path.startsWith("values/"));
  if (place !== undefined) openAt(place);
  return place !== undefined;
}

/** The value, or those in the map of that name. */
function valuesOf(name: string): readonly KnownValue[] {
  return templateNames.peek().values.filter((value) => value.name === name || value.name.startsWith(`${name}.`));
}

/** Shows where it is named, in the list of files. */
function find({ kind, name }: Named, isRenamed = false): boolean {
  sought.value = { kind, name };
  requestAnimationFrame(() => {
    if (isRenamed) document.querySelector<HTMLInputElement>(".usages input")?.select();
    else document.querySelector<HTMLElement>(".usages .found")?.focus();
  });
  return true;
}

const MOST_LINES = 8;

function tooltipOf(state: EditorState, at: number): Tooltip | null {
  const named = symbolAt(state, at);
  const written = settingAt(openPath.peek(), state.doc.toString(), at);
  const setting = written ?? (named?.kind === "value" ? valueSetting(named.name) : undefined);
  const meaning = setting === undefined ? [] : meaningOf(setting);
  const from = named?.from ?? written?.from;
  const definition = named === undefined ? [] : definitionOf(named);
  if (from === undefined || definition.length + meaning.length === 0) return null;
  return { pos: from, end: named?.to ?? at, above: true, create: () => ({ dom: tooltip(...definition, ...meaning) }) };
}

/** What a setting takes, and does. */
function meaningOf({ use, about }: Setting): readonly Node[] {
  const takes = use === undefined ? [] : [element("p", say("field.takes", { use }))];
  return [...takes, ...(about === undefined ? [] : [element("p", about)])];
}

function definitionOf(named: Named): readonly Node[] {
  const values = named.kind === "value" ? valuesOf(named.name) : [];
  const lines =
    named.kind === "partial"
      ? currentText(PARTIALS + named.name).split("\n")
      : values.map(({ name, text }) => (name === named.name ? text : `${name.slice(named.name.length + 1)}: ${text}`));
  const [origin] = values;
  if (lines.join("") === "") return [];
  const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "…"] : lines;
  const place = origin === undefined ? PARTIALS + named.name : describeValue(origin);
  const usages = linkButton(say("usages.find"), () => find(named));
  return [element("pre", shown.join("\n")), element("p", place), usages];
}
