// The injected pod: what the injection wrote is marked, and each line leads to what wrote it.

import { EditorView, hoverTooltip } from "@codemirror/view";
import { effect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Button } from "../component/controls.tsx";
import { describeOrigin, describeValue, shortOrigin } from "../model/origin.ts";
import { goToPod, openAt, podLine, traced, valuesAt } from "../model/state.ts";
import { addedLines } from "../preview/added-lines.ts";
import type { LineOrigin } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { linkButton, tooltip } from "./element.ts";
import { lineGutter, TextMarker } from "./line-gutter.ts";
import { TextView } from "./text-views.tsx";

export function PodView({ text, before }: { readonly text: string; readonly before: string }) {
  const added = useMemo(() => addedLines(before, text), [before, text]);
  return (
    <>
      <TextView label={say("view.pod")} text={text} marked={added} extensions={EXTENSIONS} onMount={mount} />
      <CursorOrigin />
    </>
  );
}

/** The origin of the cursor's line, for those who use no mouse. */
function CursorOrigin() {
  const number = podLine.value;
  const origin = traced.value?.origins[number - 1];
  if (origin === undefined) return null;
  const text = `${say("line", { line: number })}: ${describeOrigin(origin)}`;
  return (
    <p class="line-origin" data-testid="line-origin">
      {origin.kind === "template" ? <Button tone="link" onClick={() => openAt(origin)} text={text} /> : text}
      {valuesAt(traced.value?.text ?? "", number)
        .slice(0, MOST_VALUES)
        .map((value) => (
          <Button key={value.name} tone="link" onClick={() => openAt(value)} text={describeValue(value)} />
        ))}
    </p>
  );
}

const MOST_VALUES = 3;

/** A gutter with the origin of each line. A click in the gutter or the tooltip, and F12 in the text, open the origin. */
const ORIGINS = lineGutter<readonly LineOrigin[]>(
  "cm-origins",
  [],
  (origins, line) => {
    const origin = origins[line - 1];
    if (origin === undefined || origin.kind === "pod") return null;
    return new TextMarker(shortOrigin(origin), origin.kind === "step" ? "origin-step" : "");
  },
  new TextMarker("proxy-container:00"),
);

function aboutOrigin(origin: LineOrigin): HTMLElement {
  const text = describeOrigin(origin);
  return tooltip(origin.kind === "template" ? linkButton(text, () => openAt(origin)) : text);
}

const EXTENSIONS = [
  ORIGINS.leadingTo((origins, line) => {
    const origin = origins[line - 1];
    if (origin?.kind === "template") openAt(origin);
  }),
  hoverTooltip(({ state }, position) => {
    const { from, number } = state.doc.lineAt(position);
    const origin = state.field(ORIGINS.marks)[number - 1];
    return origin === undefined ? null : { pos: from, above: true, create: () => ({ dom: aboutOrigin(origin) }) };
  }),
  EditorView.updateListener.of(({ state }) => {
    podLine.value = state.doc.lineAt(state.selection.main.head).number;
  }),
];

function mount(view: EditorView): () => void {
  const stops = [
    effect(() => view.dispatch({ effects: ORIGINS.set.of(traced.value?.origins ?? []) })),
    effect(() => {
      const lines = goToPod.value;
      // Another tab may have been shown: its text is put in after this.
      if (lines.length > 0) requestAnimationFrame(() => show(view, lines));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function show(view: EditorView, lines: readonly number[]): void {
  const { doc } = view.state;
  const known = lines.filter((line) => line <= doc.lines);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return;
  goToPod.value = [];
  const isOneBlock = last - first === known.length - 1;
  const anchor = doc.line(first).from;
  const head = isOneBlock ? doc.line(last).to : anchor;
  view.dispatch({
    selection: { anchor: head, head: anchor },
    effects: EditorView.scrollIntoView(anchor, { y: "center" }),
  });
  view.focus();
}
