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
    ORIGINS.leadingTo((origins, line) => openAt(origins[line - 1])),
    hoverTooltip(({ state }, position) => {
      const { from, number } = state.doc.lineAt(position);
      const origin = state.field(ORIGINS.marks)[number - 1];
      return origin === undefined ? null : { pos: from, above: true, create: () => ({ dom: about(origin) }) };
    }),
  ];
}

function about(origin: LineOrigin): HTMLElement {
  const text = describeOrigin(origin);
  return tooltip(origin === null || "step" in origin ? text : linkButton(text, () => openAt(origin)));
}

/** As in a list of lines: the file is named where it changes. */
function shortName(origin: NonNullable<LineOrigin>, before: LineOrigin): string {
  if ("step" in origin) return origin.step;
  const isSame = before !== null && "path" in before && before.path === origin.path;
  return isSame ? `:${origin.line}` : shortOrigin(origin);
}

/** One origin for each line. */
export const ORIGINS = lineGutter<readonly LineOrigin[]>(
  "cm-origins",
  [],
  (origins, line) => {
    const origin = origins[line - 1] ?? null;
    return (
      origin && new TextMarker(shortName(origin, origins[line - 2] ?? null), "step" in origin ? "origin-step" : "")
    );
  },
  new TextMarker("proxy-container:00"),
);
