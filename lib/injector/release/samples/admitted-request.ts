// A pod that is tried in the form in which an API server would send it: a template cannot tell it from a pod of a cluster.
import { admittedForm } from "@outrigger/pod";
import type { InjectRequest } from "../../injection.ts";

/**
 * The request with its pod in the form in which an API server sends it, with its defaults and what admission adds.
 *
 * @example
 * ```ts
 * admittedRequest({ pod: { spec: { containers: [] } }, namespace: "shop", parameters: {} }).pod.metadata?.namespace // => "shop"
 * ```
 */
export function admittedRequest(request: InjectRequest): InjectRequest {
  return { ...request, pod: admittedForm(request.pod, request) };
}
