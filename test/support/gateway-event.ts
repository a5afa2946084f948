// API Gateway events (payload 2.0) around AdmissionReviews, as an API server's call arrives at the function.
import type { JsonObject } from "@outrigger/base";

export interface PodCall {
  readonly object: unknown;
  readonly namespace: string;
  /** URL path of the call; left out, `/inject`. */
  readonly path?: string | undefined;
}

/** The AdmissionReview (v1) of a pod that is being created. */
export function reviewOf({ object, namespace }: PodCall): JsonObject {
  const resource = { group: "", version: "v1", resource: "pods" };
  const kind = { group: "", version: "v1", kind: "Pod" };
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      namespace,
      operation: "CREATE",
      userInfo: {
        username: "system:serviceaccount:kube-system:replicaset-controller",
        groups: ["system:serviceaccounts", "system:authenticated"],
      },
      object: object as JsonObject,
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  };
}

/** The event that API Gateway hands to the function for it. */
export function eventOf(call: PodCall) {
  const path = call.path ?? "/inject";
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: "timeout=10s",
    headers: {
      "content-type": "application/json",
      "user-agent": "kube-apiserver-admission",
      accept: "application/json, */*",
      host: "example.execute-api.eu-west-1.amazonaws.com",
    },
    queryStringParameters: { timeout: "10s" },
    requestContext: {
      http: { method: "POST", path, protocol: "HTTP/1.1", sourceIp: "203.0.113.7" },
      requestId: "id",
      stage: "$default",
    },
    body: JSON.stringify(reviewOf(call)),
    isBase64Encoded: false,
  };
}
