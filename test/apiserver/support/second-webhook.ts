// A second webhook, of another product, for a test's API server: it refuses pods of the namespaces that a test names, dry runs too.
import { createServer } from "node:https";
import { type JsonObject, objectOf } from "@outrigger/base";
import { containersOf, metadataOf } from "@outrigger/pod";
import { labCertificate } from "../../eks/lab-certificate.ts";
import { bodyOf, closing, listening } from "../../support/loopback.ts";
import type { Refusal } from "./random-cluster.ts";
import type { RealApiServer } from "./real-api-server.ts";

const PATH = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

export async function startSecondWebhook({ admin, ca }: Pick<RealApiServer, "admin" | "ca">) {
  const refusals = new Map<string, Refusal>();
  const server = createServer(await labCertificate(), async (request, response) => {
    const { request: asked, apiVersion } = JSON.parse(await bodyOf(request)) as {
      apiVersion: string;
      request: JsonObject;
    };
    const refusal = refusals.get(String(asked["namespace"]));
    const allowed = refusal === undefined || !isRefused(objectOf(asked["object"]), refusal);
    const answer = {
      uid: asked["uid"],
      allowed,
      ...(!allowed && { status: { message: `it refuses pods ${refusal}` } }),
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ apiVersion, kind: "AdmissionReview", response: answer }));
  });
  const url = `https://localhost:${await listening(server)}`;
  const configurationOf = (namespace: string): JsonObject => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: `second-${namespace}` },
    webhooks: [
      {
        name: "second.policy.example.com",
        clientConfig: { url, caBundle: btoa(ca) },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"], scope: "*" }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
      },
    ],
  });
  return {
    /** Refuses such pods of a namespace from now on. */
    async refuse(namespace: string, refusal: Refusal) {
      refusals.set(namespace, refusal);
      await admin.apply(`${PATH}/second-${namespace}`, configurationOf(namespace), { force: true });
    },
    forget: (namespace: string) => admin.remove(`${PATH}/second-${namespace}`),
    close: () => closing(server),
  };
}

function isRefused(pod: JsonObject, refusal: Refusal): boolean {
  if (refusal === "all") return true;
  if (refusal === "without a label") return metadataOf(pod).labels["team"] === undefined;
  return containersOf(pod["spec"]).some(({ name }) => name === "istio-proxy");
}
