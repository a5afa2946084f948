// Texts that are only shown: one with marked lines, and what one became; and two that are merged by hand.

import { Chunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension, StateEffect, StateField, Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../component/controls.tsx";
import { textOf, withDraft } from "../model/drafts.ts";
import { drafts, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";
import { editable, readOnly } from "./extensions.ts";
import { yamlScope } from "./yaml-scope.ts";

/** An element that an editor fills, which is made again when one of the inputs is another one. */
function useEditor(inputs: readonly unknown[], mount: (parent: HTMLElement) => () => void) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => mount(host.current as HTMLDivElement), inputs);
  return host;
}

interface TextViewProps {
  readonly text: string;
  readonly label: string;
  /** 1-based. */
  readonly marked?: readonly number[];
  readonly extensions?: Extension;
  /** Called with the editor when it is made. What it returns ends that. */
  readonly onMount?: (view: EditorView) => () => void;
}

const NONE: readonly never[] = [];

export function TextView({ text, label, marked = NONE, extensions = NONE, onMount }: TextViewProps) {
  const view = useRef<EditorView | undefined>(undefined);
  const host = useEditor([label, extensions, onMount], (parent) => {
    const made = new EditorView({
      parent,
      state: EditorState.create({ extensions: [...readOnly(label), markedLines, extensions] }),
    });
    view.current = made;
    const unmount = onMount?.(made);
    return () => {
      unmount?.();
      made.destroy();
    };
  });
  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    const before = current.state.doc.toString();
    const changes = smallestChange(before, text);
    // A reader who edits a template wants to see what it changes.
    const isEdit = before !== "" && before !== text;
    const reveal = isEdit ? [EditorView.scrollIntoView(changes.from, { y: "nearest", yMargin: 40 })] : [];
    current.dispatch({ changes, effects: [setMarkedLines.of(marked), ...reveal] });
  }, [text, marked, label, extensions, onMount]);
  return <div class="column fill" ref={host} />;
}

/** What differs between two texts as one replacement, so that the rest stays drawn. */
function smallestChange(before: string, after: string): { from: number; to: number; insert: string } {
  let start = 0;
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/** 1-based line numbers, ascending. */
const setMarkedLines = StateEffect.define<readonly number[]>();

const mark = Decoration.line({ class: "injected-line" });

const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { effects, changes, state }) {
    const marked = effects.find((effect) => effect.is(setMarkedLines));
    if (marked === undefined) return decorations.map(changes);
    const there = marked.value.filter((number) => number <= state.doc.lines);
    return Decoration.set(there.map((number) => mark.range(state.doc.line(number).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

interface DiffViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Lines that are shown around each change, and the fewest that are folded. */
const [MARGIN, FOLDED] = [2, 4];

/** What a text became: one column, words marked, what is the same folded; and above each change, where it is. */
export function DiffView({ label, before, after }: DiffViewProps) {
  const host = useEditor([label, before, after], (parent) => {
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: MARGIN, minSize: FOLDED },
    });
    const scopes = EditorView.decorations.of(scopesOf(before, after));
    const view = new EditorView({ parent, doc: after, extensions: [...readOnly(label), merge, scopes] });
    return () => view.destroy();
  });
  return <div class="diff" ref={host} />;
}

function scopesOf(before: string, after: string): DecorationSet {
  const texts = [before, after].map((text) => text.split("\n"));
  const [old = Text.empty, now = Text.empty] = texts.map((lines) => Text.of(lines));
  let last = "";
  let free = 1;
  const widgets = Chunk.build(old, now).flatMap(({ fromA, fromB, toB, endB }) => {
    const isDeletion = fromB === toB;
    const [text, from, lines = []] = isDeletion ? [old, fromA, texts[0]] : [now, fromB, texts[1]];
    const scope = yamlScope(lines, text.lineAt(Math.min(from, text.length)).number - 1).join(" › ");
    const line = now.lineAt(Math.min(fromB, now.length)).number;
    const folded = line - MARGIN - (free === 1 ? 1 : free + MARGIN);
    const above = folded < FOLDED ? free : line - MARGIN;
    free = Math.max(free, now.lineAt(endB).number + 1);
    if (scope === "" || scope === last) return [];
    last = scope;
    return Decoration.widget({ widget: new ScopeWidget(scope), block: true, side: -1 }).range(now.line(above).from);
  });
  return Decoration.set(widgets);
}

class ScopeWidget extends WidgetType {
  readonly scope: string;

  constructor(scope: string) {
    super();
    this.scope = scope;
  }

  override eq({ scope }: ScopeWidget): boolean {
    return scope === this.scope;
  }

  override toDOM(): HTMLElement {
    const shown = document.createElement("div");
    shown.className = "scope";
    shown.textContent = this.scope;
    return shown;
  }
}

/** Two people have edited one entry: both texts next to each other. */
export function ConflictView({ path }: { readonly path: string }) {
  const mine = useRef<() => string>(() => "");
  const theirs = textOf(workspace.value.saved, path);
  const conflict = say("conflict", { path });
  const host = useEditor([path, theirs], (parent) => {
    const view = new MergeView({
      a: { doc: drafts.peek()[path]?.text ?? "", extensions: [...editable(say("conflict.mine"))] },
      b: { doc: theirs ?? "", extensions: [...readOnly(say("conflict.theirs"))] },
      parent,
      revertControls: "b-to-a",
    });
    mine.current = () => view.a.state.doc.toString();
    return () => view.destroy();
  });
  return (
    <section class="column fill conflict" aria-label={conflict}>
      <p class="banner" role="alert">
        {say("conflict.merge", { conflict })}
      </p>
      <p class="row">
        <Button onClick={() => keep(path, mine.current())} text={say("conflict.mine")} />
        <Button onClick={() => keep(path, theirs)} text={say("conflict.theirs")} />
      </p>
      <div class="fill merge" ref={host} />
    </section>
  );
}

/** The text becomes an edit of what is saved now. */
function keep(path: string, text: string | null): void {
  const { [path]: _settled, ...others } = drafts.value;
  drafts.value = withDraft(others, workspace.value.saved, path, text);
}
