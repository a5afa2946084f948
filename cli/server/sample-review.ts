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

/** A command line that can be pasted into any shell, in any directory. It prints the patch, which is base64 in the answer. */
export function curlLine(url: string): string {
  return `curl -sk ${url} -H 'content-type: application/json' -d '${JSON.stringify(REVIEW)}' | node -p '${DECODE}'`;
}

const DECODE = 'Buffer.from(JSON.parse(require("node:fs").readFileSync(0)).response.patch, "base64").toString()';
