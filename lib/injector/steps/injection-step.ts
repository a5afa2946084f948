// The shape of one step of an injection: how it changes a pod, and how that change is taken back.

import type { Pod } from "@outrigger/pod";
import type { RenderedInjection } from "../injection.ts";
import type { EarlierInjection } from "../undo/earlier-injection.ts";

/** Steps never edit a pod in place: where there is nothing to do, they return the pod that they were given. */
export interface InjectionStep {
  readonly apply: (pod: Pod, injection: RenderedInjection) => Pod;
  /** Reverts `apply` in a pod that was injected earlier. A step without it is reverted by undoing another one. */
  readonly undo?: (pod: Pod, earlier: EarlierInjection) => Pod;
}
