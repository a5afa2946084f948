// A review that tests whether a webhook injects, and the check of its answer. Knows neither how the review is sent nor how
// the result is reported.
import {
  defined,
  injectionKeys,
  isObject,
  type JsonObject,
  type JsonValue,
  objectOf,
  parseJson,
  textOf,
} from "@outrigger/base";
import { applyPatch, containersOf, isPatchOperation } from "@outrigger/pod";

/** A template that no tree has: a pod that names it is denied, whatever the tree says of who gets what. */
export const UNKNOWN_TEMPLATE = "outrigger-probe";

interface SyntheticPod {
  readonly name: string;
  readonly namespace: string;
  /** The template that the pod names; left out: those that the tree is to give it. */
  readonly template?: string;
  /** The label by which pods ask for sidecars, where the config has its own. */
  readonly injectionLabel?: string;
}

/**
 * The review of a pod that asks for a sidecar by label, which overrides every policy, as an API server would send it; and what
 * is wrong with the answer to it. Logs and selectors see the name and the namespace.
 *
 * @example
 * ```ts
 * JSON.parse(syntheticReview("1", { name: "test", namespace: "default" }).body).request.dryRun // => true
 * syntheticReview("1", { name: "test", namespace: "default" }).shortcomingOf("Not found") // => { kind: "no-review" }
 * ```
 */
export function syntheticReview(uid: string, { name, namespace, template, injectionLabel }: SyntheticPod) {
  const keys = injectionKeys(injectionLabel);
  const annotations = template !== undefined && { annotations: { [keys.templates]: template } };
  const request = {
    uid,
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    namespace,
    operation: "CREATE",
    dryRun: true,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { [keys.inject]: "true" }, ...annotations },
      spec: { containers: [{ name: "app", image: "app" }] },
    },
  };
  return {
    body: JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request }),
    /** The fault of an answer with status 200; undefined if its patch applies to the pod and adds a container. */
    shortcomingOf: (answer: string) => shortcomingOf(answer, request),
    /** The containers that an answer adds to the pod. */
    addedBy: (answer: string) => {
      const { patch } = objectOf(objectOf(parseJson(answer))["response"]);
      const pod = typeof patch === "string" ? patched(request.object, patch) : undefined;
      return containersOf(objectOf(pod)["spec"]).flatMap(({ name }) => (name === "app" ? [] : [name]));
    },
  };
}

/** A fault of a webhook's answer. */
export type Shortcoming =
  | { readonly kind: "no-review" | "other-request" | "patch-fails" | "container-lost" }
  /** As the release decided, with its reason, and the label by which it lets such a pod ask; both left out where it injects an empty patch. */
  | { readonly kind: "not-injected"; readonly reason?: string; readonly label?: string }
  /** A denial, with the message of the answer, which may be empty. */
  | { readonly kind: "denied"; readonly message: string };

function shortcomingOf(
  body: string,
  { uid, object }: { readonly uid: string; readonly object: JsonObject },
): Shortcoming | undefined {
  const review = parseJson(body);
  const response = isObject(review) && review["kind"] === "AdmissionReview" ? review["response"] : undefined;
  if (!isObject(response)) return { kind: "no-review" };
  const { allowed, patch, patchType, status, auditAnnotations } = response;
  if (response["uid"] !== uid) return { kind: "other-request" };
  if (allowed !== true) {
    const message = isObject(status) ? status["message"] : undefined;
    return { kind: "denied", message: typeof message === "string" ? message : "" };
  }
  if (patchType !== "JSONPatch" || typeof patch !== "string") {
    const { reason, label } = objectOf(auditAnnotations);
    return { kind: "not-injected", ...defined({ reason: textOf(reason), label: textOf(label) }) };
  }
  const pod = patched(object, patch);
  if (pod === undefined) return { kind: "patch-fails" };
  const names = containersOf(objectOf(pod)["spec"]).map(({ name }) => name);
  if (!names.includes("app")) return { kind: "container-lost" };
  return names.length > 1 ? undefined : { kind: "not-injected" };
}

function patched(pod: JsonObject, patch: string): JsonValue | undefined {
  const operations = parseJson(Buffer.from(patch, "base64").toString("utf8"));
  if (!Array.isArray(operations) || !operations.every(isPatchOperation)) return undefined;
  try {
    return applyPatch(pod, operations);
  } catch {
    return undefined;
  }
}
