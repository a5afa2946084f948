// The request that a person can try a webhook with.

const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
    namespace: "default",
    operation: "CREATE",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "hello", labels: { app: "hello" } },
      spec: { containers: [{ name: "hello", image: "hello:1" }] },
    },
  },
};

/** A command line that can be pasted into any shell, in any directory. */
export function curlLine(url: string): string {
  return `curl -sk ${url} -H 'content-type: application/json' -d '${JSON.stringify(REVIEW)}'`;
}
