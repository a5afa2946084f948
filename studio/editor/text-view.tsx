// A text that is only shown, with marked lines.

import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { readOnly } from "./extensions.ts";

export interface TextViewProps {
  readonly text: string;
  readonly label: string;
  /** 1-based. */
  readonly marked?: readonly number[];
  /** Extensions that this text has and others do not. */
  readonly extensions?: Extension;
  /** Called with the editor when it is made. What it returns ends that. */
  readonly onMount?: (view: EditorView) => () => void;
}

const NONE: readonly number[] = [];

export function TextView({ text, label, marked = NONE, extensions = [], onMount }: TextViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  useEffect(() => {
    const made = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({ extensions: [...readOnly(label), markedLines, extensions] }),
    });
    view.current = made;
    const unmount = onMount?.(made);
    return () => {
      unmount?.();
      made.destroy();
    };
  }, [label, extensions, onMount]);
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
