// Next to each line of the injected pod, who wrote it: in a gutter, on hover, and as links to the line of the template.

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, hoverTooltip, keymap } from "@codemirror/view";
import { describeOrigin, shortOrigin } from "../model/origin.ts";
import type { LineOrigin } from "../preview/question.ts";
import { element, linkButton, tooltip } from "./element.ts";

/** One for each line. */
export const setOrigins = StateEffect.define<readonly LineOrigin[]>();

const origins = StateField.define<readonly LineOrigin[]>({
  create: () => [],
  update: (value, { effects }) => effects.findLast((effect) => effect.is(setOrigins))?.value ?? value,
});

function originAt({ state }: EditorView, position: number): LineOrigin | undefined {
  return state.field(origins)[state.doc.lineAt(position).number - 1];
}

/** @param follow called with the origin that the reader chooses: a click in the gutter or the tooltip, F12 in the text */
export function originGutter(follow: (origin: LineOrigin | undefined) => void): Extension {
  return [
    origins,
    gutter({
      class: "cm-origins",
      lineMarker(view, { from }) {
        const { number } = view.state.doc.lineAt(from);
        const known = view.state.field(origins);
        const origin = known[number - 1] ?? null;
        return origin === null
          ? null
          : new OriginMarker(shortName(origin, known[number - 2] ?? null), "step" in origin);
      },
      lineMarkerChange: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(setOrigins))),
      initialSpacer: () => new OriginMarker("proxy-container:00", false),
      domEventHandlers: {
        click(view, { from }) {
          follow(originAt(view, from));
          return true;
        },
      },
    }),
    hoverTooltip((view, position) => {
      const origin = originAt(view, position);
      if (origin === undefined) return null;
      const { from } = view.state.doc.lineAt(position);
      return { pos: from, above: true, create: () => ({ dom: about(origin, follow) }) };
    }),
    keymap.of([
      {
        key: "F12",
        run(view) {
          follow(originAt(view, view.state.selection.main.head));
          return true;
        },
      },
    ]),
  ];
}

function about(origin: LineOrigin, follow: (origin: LineOrigin) => void): HTMLElement {
  const text = describeOrigin(origin);
  return tooltip(origin === null || "step" in origin ? text : linkButton(text, () => follow(origin)));
}

/** As in a list of lines: the file is named where it changes. */
function shortName(origin: NonNullable<LineOrigin>, before: LineOrigin): string {
  if ("step" in origin) return origin.step;
  const isSame = before !== null && "path" in before && before.path === origin.path;
  return isSame ? `:${origin.line}` : shortOrigin(origin);
}

class OriginMarker extends GutterMarker {
  readonly #text: string;
  readonly #isStep: boolean;

  constructor(text: string, isStep: boolean) {
    super();
    this.#text = text;
    this.#isStep = isStep;
  }

  override eq(other: OriginMarker): boolean {
    return other.#text === this.#text && other.#isStep === this.#isStep;
  }

  override toDOM(): Node {
    return Object.assign(element("span", this.#text), { className: this.#isStep ? "origin-step" : "" });
  }
}
