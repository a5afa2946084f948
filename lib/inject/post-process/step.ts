// The shape of a post-processing step.

import type { Pod } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";

/** Given the merged pod, the pod that it becomes; the same pod where there is nothing to do. Never edits in place. */
export type PostProcessStep = (pod: Pod, injection: Injection, overlay: Pod) => Pod;
