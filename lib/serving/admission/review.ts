// The AdmissionReview format, v1 and v1beta1: decoding requests and encoding responses. Knows nothing about injection or
// HTTP.

import { isObject, OutriggerError } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";

const API_VERSIONS: readonly unknown[] = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

/** Longest warning that every version of kubectl and the API server shows in full. */
const MAX_WARNING = 120;

export interface AdmissionRequest {
  readonly apiVersion: string;
  readonly uid: string;
  /** The namespace of the request. It is empty if the review has none. */
  readonly namespace: string;
  /**
   * The pod's `metadata.name`. With `generateName` it is the prefix and a `*`, because the name is generated after
   * admission.
   */
  readonly name: string;
  /** The pod: an object of limited depth. Nothing else about it has been checked. */
  readonly pod: Pod;
}

type AskedReview = Pick<AdmissionRequest, "apiVersion" | "uid">;

/** `status` of a denial: a Kubernetes Status, of which API servers show `message`, `reason` and `code`. */
interface DenialStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** The field or annotation that the author has to fix. */
  readonly path: string | undefined;
}

/** The audit annotations of a review. Keys contain no slash: the API server drops those whose key contains one. */
interface AuditAnnotations {
  readonly decision: string;
  readonly reason?: string;
  /** The label by which a pod that was skipped can ask. */
  readonly label?: string | undefined;
  readonly release: string;
  readonly templates?: string;
}

/**
 * Reads an AdmissionReview about a Pod.
 *
 * @throws OutriggerError `review-invalid`; its message never contains a part of the text
 */
export function decodeReview(text: string): AdmissionRequest {
  const review = parseJson(text);
  if (!isObject(review) || review["kind"] !== "AdmissionReview" || !API_VERSIONS.includes(review["apiVersion"])) {
    throw invalid("The body is not an AdmissionReview of admission.k8s.io/v1 or v1beta1");
  }
  const request = review["request"];
  if (!isObject(request)) throw invalid("The AdmissionReview has no request", "request");
  const { uid, namespace, object } = request;
  if (typeof uid !== "string" || uid === "") throw invalid("The AdmissionReview's request has no uid", "request.uid");
  const pod = decodePod(request["kind"], object);
  return {
    apiVersion: review["apiVersion"] as string,
    uid,
    namespace: typeof namespace === "string" ? namespace : "",
    name: podName(request["name"], pod.metadata),
    pod,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause: V8 quotes the text in its message.
    throw invalid("The body is not JSON");
  }
}

function decodePod(kind: unknown, object: unknown): Pod {
  const named = isObject(kind) ? kind["kind"] : undefined;
  const isPod = isObject(object) && (object["kind"] === undefined || object["kind"] === "Pod");
  if (!isPod || (named !== undefined && named !== "Pod")) {
    throw invalid(
      "The AdmissionReview's object is not a Pod: let the webhook's rules name operation CREATE of pods only",
      "request.object",
    );
  }
  if (!isNestedWithin(object, MAX_NESTING)) {
    const place = "request.object";
    throw invalid(`${place} is nested deeper than ${MAX_NESTING} levels, which no Pod is`, place);
  }
  return withoutManagedFields(object as Pod);
}

/**
 * Returns the pod without its managed fields. Who set which field, and when, is the API server's own record: no patch
 * may change it, and no template may depend on it.
 */
function withoutManagedFields(pod: Pod): Pod {
  if (!isObject(pod.metadata) || pod.metadata.managedFields === undefined) return pod;
  const { managedFields: _, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}

function podName(name: unknown, metadata: unknown): string {
  if (isObject(metadata)) {
    if (typeof metadata["name"] === "string" && metadata["name"] !== "") return metadata["name"];
    if (typeof metadata["generateName"] === "string") return `${metadata["generateName"]}*`;
  }
  return typeof name === "string" ? name : "";
}

/**
 * A review that allows the pod, with a patch if there is one. API servers reject `patch` without `patchType`, and
 * `patchType` without `patch`.
 */
export function encodeAllowed(
  request: AskedReview,
  patchText: string | undefined,
  audit: AuditAnnotations,
  warnings: readonly string[],
): string {
  // Base64 needs no escaping: joined as text, it avoids a pass of JSON.stringify over its bytes.
  const patch = patchText === undefined ? "" : `,"patchType":"JSONPatch","patch":"${base64Of(patchText)}"`;
  return encode(request, `"allowed":true${patch}`, audit, warnings);
}

/** Characters of nearly all patches. UTF-8 takes three bytes at most for each. */
const USUAL = 21_845;

/** Written again for each answer: a Buffer of its own takes as long as encoding it. */
const scratch = Buffer.alloc(3 * USUAL);

function base64Of(text: string): string {
  if (text.length > USUAL) return Buffer.from(text).toString("base64");
  return scratch.toString("base64", 0, scratch.write(text));
}

/** A review that denies the pod, whatever the webhook's failurePolicy says. */
export function encodeDenied(request: AskedReview, denial: DenialStatus, audit: AuditAnnotations): string {
  const { code, reason, message, path } = denial;
  const details = path === undefined ? undefined : { causes: [{ reason: "FieldValueInvalid", message, field: path }] };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code };
  return encode(request, `"allowed":false,"status":${JSON.stringify(status)}`, audit, []);
}

function encode(request: AskedReview, verdict: string, audit: AuditAnnotations, warnings: readonly string[]): string {
  const warned = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings.map(shortened))}`;
  return `{"kind":"AdmissionReview","apiVersion":${JSON.stringify(request.apiVersion)},"response":{"uid":${JSON.stringify(request.uid)},${verdict},"auditAnnotations":${JSON.stringify(audit)}${warned}}}`;
}

function shortened(warning: string): string {
  const characters = Array.from(warning);
  return characters.length <= MAX_WARNING ? warning : `${characters.slice(0, MAX_WARNING - 1).join("")}…`;
}

export function invalid(message: string, path?: string): OutriggerError {
  return new OutriggerError("review-invalid", message, path === undefined ? {} : { path });
}

/**
 * The deepest nesting of objects and lists in a pod. A pod that an API server has decoded has fewer than 30 levels: its
 * types are not recursive.
 */
export const MAX_NESTING = 200;

function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isNestedWithin(value[index], levels - 1)) return false;
    return true;
  }
  for (const key in value) {
    const child = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof child === "object" && child !== null && !isNestedWithin(child, levels - 1)) return false;
  }
  return true;
}
