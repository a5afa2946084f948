// Owns the pod that the canary asks about, and what has to come back for it. Knows nothing of how it is asked.
import { isObject, type JsonObject, type JsonValue } from "../../lib/json.ts";
import { applyPatch } from "../../lib/kube/apply-patch.ts";
import type { PatchOperation } from "../../lib/kube/patch-operation.ts";

/** Opts in by label, which every policy and selector gives way to. */
const POD: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "outrigger-canary", labels: { "sidecar.istio.io/inject": "true" } },
  spec: { containers: [{ name: "app", image: "app" }] },
};

/** The review of that pod, as an API server would send it. */
export function syntheticReview(uid: string): JsonObject {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid,
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: "outrigger-canary",
      operation: "CREATE",
      dryRun: true,
      object: POD,
    },
  };
}

/** What is wrong with an answer: undefined if its patch applies to the pod and gives it one container more. */
export function problemOf(body: string, uid: string): string | undefined {
  const response = responseOf(body);
  if (response === undefined) return "the answer is no AdmissionReview";
  if (response["uid"] !== uid) return "the answer is for another request";
  if (response["allowed"] !== true) return "the pod was denied";
  const { patch, patchType } = response;
  if (patchType !== "JSONPatch" || typeof patch !== "string") return "no sidecar was injected";
  const pod = patched(patch);
  if (pod === undefined) return "the patch does not apply";
  const names = containerNames(pod);
  if (!names.includes("app")) return "the patch takes the pod's own container away";
  return names.length > 1 ? undefined : "no sidecar was injected";
}

function responseOf(body: string): JsonObject | undefined {
  const review = parsed(body);
  const response = isObject(review) && review["kind"] === "AdmissionReview" ? review["response"] : undefined;
  return isObject(response) ? response : undefined;
}

function patched(patch: string): JsonValue | undefined {
  const operations = parsed(Buffer.from(patch, "base64").toString("utf8"));
  if (!Array.isArray(operations) || !operations.every(isObject)) return undefined;
  try {
    return applyPatch(POD, operations as unknown as readonly PatchOperation[]);
  } catch {
    return undefined;
  }
}

function containerNames(pod: JsonValue): readonly JsonValue[] {
  const spec = isObject(pod) ? pod["spec"] : undefined;
  if (!isObject(spec)) return [];
  const containers = [spec["initContainers"], spec["containers"]].flatMap((list) => (Array.isArray(list) ? list : []));
  return containers.flatMap((container) => (isObject(container) ? [container["name"] ?? null] : []));
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
