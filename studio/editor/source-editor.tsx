// The editor of one entry of the source tree. Each entry keeps its own history and cursor while the page is open.

import { autocompletion } from "@codemirror/autocomplete";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { TreeFinding } from "@outrigger/injector";
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { textOf } from "../model/drafts.ts";
import {
  currentText,
  edit,
  editorLine,
  findings,
  goTo,
  goToPod,
  openBranches,
  openPath,
  workspace,
  writtenLines,
} from "../model/state.ts";
import { say } from "../text/say.ts";
import { branchGutter, setBranches } from "./branch-gutter.ts";
import { callTooltip } from "./call-tooltip.ts";
import { completionsFor } from "./completions.ts";
import { definitions } from "./definitions.ts";
import { editable } from "./extensions.ts";
import { lineGutter, TextMarker } from "./line-gutter.ts";
import { isTemplate } from "./settings.ts";

export function SourceEditor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => mountEditor(host.current as HTMLDivElement), []);
  return <div class="column fill" ref={host} data-testid="editor" />;
}

/** What each entry's editor was like when another was shown: its history and cursor, also while another page is shown. */
const states = new Map<string, EditorState>();

/** The entry that is shown. */
let shown = "";

function mountEditor(parent: HTMLElement): () => void {
  shown = "";
  // With the extensions from the start: the first editor of the page makes the style element, and knows its nonce.
  const view = new EditorView({ parent, extensions: [...editable(say("editor"))], dispatchTransactions: update });
  let afterUpdate: (() => void)[] | undefined;
  // The worker is asked before the editor draws, and works meanwhile.
  function update(transactions: readonly Transaction[]): void {
    const text = transactions.some(({ docChanged }) => docChanged) && transactions.at(-1)?.newDoc.toString();
    afterUpdate = [];
    if (typeof text === "string" && text !== currentText(shown)) edit(shown, text);
    view.update(transactions);
    const changes = afterUpdate;
    afterUpdate = undefined;
    for (const change of changes) change();
  }
  // An edit may change what the editor shows besides: after the edit itself.
  const whenUpdated = (change: () => void) => (afterUpdate === undefined ? change() : afterUpdate.push(change));
  const isShownTemplate = () => isTemplate(shown);
  const create = (doc: string) =>
    EditorState.create({
      doc,
      extensions: [
        // First: Escape closes it, and the completions with it.
        callTooltip(isShownTemplate),
        ...editable(say("editor")),
        definitions(),
        autocompletion({ override: [completionsFor(() => shown)], icons: false }),
        ...(workspace.peek().cluster !== null && isShownTemplate() ? branchGutter : []),
        WRITTEN.leadingTo((lines, line) => {
          goToPod.value = lines.get(line) ?? goToPod.value;
        }),
        EditorView.updateListener.of(({ state }) => {
          editorLine.value = state.doc.lineAt(state.selection.main.head).number;
        }),
      ],
    });
  let lastMarked = "";
  const stops = [
    // Another entry, or another text for it: a discarded edit, a change on disk.
    effect(() => {
      const path = openPath.value;
      const text = currentText(path);
      if (path !== shown) {
        if (shown !== "") states.set(shown, view.state);
        shown = path;
        const kept = states.get(path);
        // An edit that was made elsewhere can be undone here.
        const { shipped, saved } = workspace.peek();
        view.setState(withText(kept ?? create(textOf(saved, path) ?? textOf(shipped, path) ?? ""), text));
        editorLine.value = view.state.doc.lineAt(view.state.selection.main.head).number;
      } else {
        whenUpdated(() => {
          if (view.state.doc.toString() !== text) view.dispatch(replacing(view.state, text));
        });
      }
    }),
    effect(() => {
      const path = openPath.value;
      const here = findings.value.filter((finding) => finding.path === path);
      const marked = JSON.stringify([path, here]);
      if (marked === lastMarked) return;
      lastMarked = marked;
      whenUpdated(() => {
        const diagnostics = here.map((finding) => diagnosticOf(finding, view.state));
        view.dispatch(setDiagnostics(view.state, diagnostics));
      });
    }),
    effect(() => {
      const place = goTo.value;
      if (place === undefined) return;
      const at = positionOf(view.state, place.line, place.column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    }),
    effect(() => {
      const branches = openBranches.value;
      whenUpdated(() => view.dispatch({ effects: setBranches.of(branches) }));
    }),
    effect(() => {
      const lines = writtenLines.value;
      whenUpdated(() => view.dispatch({ effects: WRITTEN.set.of(lines) }));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    states.set(shown, view.state);
    view.destroy();
  };
}

/** A text from elsewhere is one more change: what was done before can still be undone. */
function withText(state: EditorState, text: string): EditorState {
  if (state.doc.toString() === text) return state;
  return state.update(replacing(state, text)).state;
}

function replacing({ doc }: EditorState, insert: string): TransactionSpec {
  return { changes: { from: 0, to: doc.length, insert } };
}

function diagnosticOf({ line = 1, column = 1, severity, message }: TreeFinding, state: EditorState): Diagnostic {
  const from = positionOf(state, line, column);
  const { to } = state.doc.lineAt(from);
  return { from, to: Math.max(from, to), severity, message };
}

/** A place in a text that may have been shortened since. */
function positionOf({ doc }: EditorState, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}

const ARROW = new TextMarker("→");

/** Line of the entry → lines of the injected pod that it writes. */
const WRITTEN = lineGutter<ReadonlyMap<number, readonly number[]>>(
  "cm-written",
  new Map(),
  (lines, line) => (lines.has(line) ? ARROW : null),
  ARROW,
);
