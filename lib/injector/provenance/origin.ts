// Who wrote the nodes of an injected pod: its author, a line of a template, or a step of the injection.

import type { StepName } from "../steps/injection-steps.ts";

/** Who wrote a node: the pod's author, a line of a template or partial (path in the tree, 1-based position), or a step. */
export type Origin =
  | { readonly kind: "pod" }
  | { readonly kind: "template"; readonly path: string; readonly line: number; readonly column: number }
  | { readonly kind: "step"; readonly step: StepName };

/** The origins of a node and of everything below it. Has the form of the node. */
export interface Origins {
  readonly own: Origin;
  /** By key or index; empty for a scalar. */
  readonly children: ReadonlyMap<string | number, Origins>;
}

export const POD: Origin = { kind: "pod" };

export function scalarOrigins(own: Origin): Origins {
  return { own, children: NONE };
}

const NONE: Origins["children"] = new Map();
