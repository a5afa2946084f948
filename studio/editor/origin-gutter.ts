// Next to each line of the injected pod, who wrote it: in a gutter, on hover, and as links to the line of the template.

import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { describeOrigin, shortOrigin } from "../model/origin.ts";
import { openAt } from "../model/state.ts";
import type { LineOrigin } from "../preview/question.ts";
import { linkButton, tooltip } from "./element.ts";
import { lineGutter, TextMarker } from "./line-gutter.ts";

/** A click in the gutter or the tooltip, and F12 in the text, open what wrote the line. */
export function originGutter(): Extension {
  return [
    ORIGINS.leadingTo((origins, line) => {
      const origin = origins[line - 1];
      if (origin?.kind === "template") openAt(origin);
    }),
    hoverTooltip(({ state }, position) => {
      const { from, number } = state.doc.lineAt(position);
      const origin = state.field(ORIGINS.marks)[number - 1];
      return origin === undefined ? null : { pos: from, above: true, create: () => ({ dom: about(origin) }) };
    }),
  ];
}

function about(origin: LineOrigin): HTMLElement {
  const text = describeOrigin(origin);
  return tooltip(origin.kind === "template" ? linkButton(text, () => openAt(origin)) : text);
}

export const ORIGINS = lineGutter<readonly LineOrigin[]>(
  "cm-origins",
  [],
  (origins, line) => {
    const origin = origins[line - 1];
    if (origin === undefined || origin.kind === "pod") return null;
    return new TextMarker(shortOrigin(origin), origin.kind === "step" ? "origin-step" : "");
  },
  new TextMarker("proxy-container:00"),
);
