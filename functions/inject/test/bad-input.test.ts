// What no API server sends, through the real pipeline with the shipped release: a clear outcome, and the process lives.

import { readRelease } from "outrigger:bundled-release";
import type { PatchOperation } from "@outrigger/pod";
import { applyPatch } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { GatewayEvent } from "../api-gateway.ts";
import { createHandler } from "../index.ts";

const release = readRelease();
const WEB = { name: "web", image: "web" };

async function inject(object: unknown) {
  const lines: string[] = [];
  const result = await createHandler({ release, write: (line) => lines.push(line) })(eventOf(object));
  const response = result.statusCode === 200 ? JSON.parse(result.body).response : undefined;
  return { ...result, response, log: JSON.parse(lines[0] as string) };
}

function operationsOf(patch: string): readonly PatchOperation[] {
  return JSON.parse(Buffer.from(patch, "base64").toString());
}

function eventOf(object: unknown): GatewayEvent {
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "u", namespace: "shop", object },
  };
  return {
    version: "2.0",
    rawPath: "/inject",
    headers: { "content-type": "application/json" },
    queryStringParameters: {},
    requestContext: { stage: "$default", http: { method: "POST", path: "/inject" } },
    body: JSON.stringify(review),
    isBase64Encoded: false,
  };
}

describe("handler() with the shipped release", () => {
  it.each<[string, unknown]>([
    ["is empty", {}],
    ["has no spec", { spec: null }],
    [
      "has null lists",
      {
        metadata: { labels: null, annotations: null },
        spec: { initContainers: null, volumes: null, imagePullSecrets: null, containers: [WEB] },
      },
    ],
    ["has null containers", { spec: { containers: null } }],
    [
      "has null for everything that may be absent",
      {
        apiVersion: null,
        metadata: {
          name: null,
          generateName: null,
          namespace: null,
          labels: null,
          annotations: null,
          ownerReferences: null,
        },
        spec: {
          containers: null,
          initContainers: null,
          volumes: null,
          imagePullSecrets: null,
          securityContext: null,
          hostNetwork: null,
        },
        status: null,
      },
    ],
    [
      "has null containers and templates of its own choice",
      {
        metadata: { annotations: { "inject.istio.io/templates": "sidecar,gateway,grpc-agent,grpc-simple" } },
        spec: { containers: null, initContainers: null, volumes: null },
      },
    ],
    [
      "has null lists in a container",
      { spec: { containers: [{ ...WEB, env: null, ports: null, volumeMounts: null, livenessProbe: null }] } },
    ],
    [
      "has 10,000 containers",
      { spec: { containers: Array.from({ length: 10_000 }, (_, index) => ({ name: `c${index}`, image: "i" })) } },
    ],
    ["has the same container twice", { spec: { containers: [WEB, WEB] } }],
    ["has lone surrogates", { metadata: { labels: { app: "\ud800" } }, spec: { containers: [{ name: "\udfff" }] } }],
    [
      "has names of prototypes",
      JSON.parse(
        '{"__proto__":{"a":1},"metadata":{"labels":{"__proto__":"x"},"annotations":{"constructor":"y"}},"spec":{"containers":[{"name":"__proto__","env":[{"name":"__proto__"}]}]}}',
      ),
    ],
    ["has an image of 1 MB", { spec: { containers: [{ name: "web", image: "x".repeat(1_000_000) }] } }],
    [
      "is nested as deeply as allowed",
      { metadata: { x: JSON.parse("[".repeat(190) + "]".repeat(190)) }, spec: { containers: [WEB] } },
    ],
  ])("injects a pod when it %s", async (_what, object) => {
    const { response, log } = await inject(object);
    expect(response).toMatchObject({ uid: "u", allowed: true, patchType: "JSONPatch" });
    expect(log.decision).toBe("injected");
  });

  it("changes nothing more when a pod with null lists is injected again", async () => {
    const pod = {
      metadata: { labels: null, annotations: null },
      spec: { containers: null, initContainers: null, volumes: null },
    };
    const { response } = await inject(pod);
    const injected = applyPatch(pod, operationsOf(response.patch));
    const again = await inject(injected);
    expect(again.log.decision).toBe("injected");
    expect(again.response.patch).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ["containers are text", { spec: { containers: "web" } }, "spec.containers must be a list"],
    ["a container is null", { spec: { containers: [null] } }, "spec.containers[0] must be a mapping"],
    ["a volume is null", { spec: { volumes: [null], containers: [WEB] } }, "spec.volumes[0] must be a mapping"],
    ["metadata is text", { metadata: "x", spec: { containers: [WEB] } }, "metadata must be a mapping"],
    [
      "labels are a list",
      { metadata: { labels: [] }, spec: { containers: [WEB] } },
      "metadata.labels must be a mapping",
    ],
    ["spec is a list", { spec: [] }, "spec must be a mapping"],
    [
      "an owner is null",
      { metadata: { generateName: "web-", ownerReferences: [null] }, spec: { containers: [WEB] } },
      "metadata.ownerReferences[0] must be a mapping",
    ],
  ])("calls it no Pod when %s", async (_what, object, message) => {
    const { statusCode, body, log } = await inject(object);
    expect([statusCode, body]).toEqual([400, `The AdmissionReview's object is not a Pod: ${message}\n`]);
    expect(log).toMatchObject({ level: "info", decision: "refused", reason: "review-invalid" });
  });

  it("denies with a short message when an annotation of 200 KB is wrong", async () => {
    const annotations = { "traffic.sidecar.istio.io/includeInboundPorts": "x".repeat(200_000) };
    const { response, body } = await inject({ metadata: { annotations }, spec: { containers: [WEB] } });
    expect(response).toMatchObject({ allowed: false, status: { code: 422, reason: "Invalid" } });
    expect(body.length).toBeLessThan(4000);
  });
});

it("answers an event that is null as one without a request", async () => {
  const { statusCode } = await createHandler({ release, write: () => undefined })(null as unknown as GatewayEvent);
  expect(statusCode).toBe(404);
});
