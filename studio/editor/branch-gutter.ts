// Next to each block of a template: how many workloads of the cluster take it. A click shows the pod of one of them.

import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";
import { blockOf, openWorkload, sentenceOf } from "../model/branches.ts";
import type { BranchCount } from "../preview/question.ts";
import { element } from "./element.ts";

type Lines = ReadonlyMap<number, readonly BranchCount[]>;

/** The branches of the text, by the lines of their blocks: 1-based. */
export const setBranches = StateEffect.define<Lines>();

const marks = StateField.define<RangeSet<BranchMarker>>({
  create: () => RangeSet.empty,
  // Until the workloads are asked again, each mark stays at its block.
  update(value, { changes, effects, newDoc }) {
    const lines = effects.findLast((effect) => effect.is(setBranches))?.value;
    if (lines === undefined) return value.map(changes);
    const known = [...lines].filter(([line]) => line <= newDoc.lines);
    return RangeSet.of(
      known.map(([line, branches]) => new BranchMarker(branches).range(newDoc.line(line).from)),
      true,
    );
  },
});

class BranchMarker extends GutterMarker {
  readonly #branches: readonly BranchCount[];
  readonly #text: string;

  constructor(branches: readonly BranchCount[]) {
    super();
    this.#branches = branches;
    this.#text = sentenceOf(branches);
  }

  override eq(other: BranchMarker): boolean {
    return other.#text === this.#text;
  }

  override toDOM(): Node {
    const { workloads, tone } = blockOf(this.#branches);
    return Object.assign(element("span", String(workloads)), { className: `branch ${tone}`, title: this.#text });
  }

  open(): void {
    openWorkload(blockOf(this.#branches).example);
  }
}

export const branchGutter = [
  marks,
  gutter({
    class: "cm-branches",
    markers: ({ state }) => state.field(marks),
    domEventHandlers: {
      click: ({ state }, { from }) => {
        state.field(marks).between(from, from, (_from, _to, marker) => marker.open());
        return true;
      },
    },
  }),
];
