// Who wrote the nodes of an injected pod: its author, a line of a template, or a step of the injection.

import type { TemplatePosition } from "@outrigger/template";
import type { StepName } from "./step-names.ts";

export type Origin =
  /** The pod's author. */
  | { readonly kind: "pod" }
  | { readonly kind: "template"; readonly place: TemplatePosition }
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
