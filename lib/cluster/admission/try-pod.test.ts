import { type JsonObject, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../kube/kube-client.ts";
import { tryPod } from "./try-pod.ts";

/** Records what is sent to an API server that answers with the pod as its webhooks leave it. */
function server(answer: (pod: JsonObject) => JsonObject | Error, warning?: string) {
  const sent: { readonly path: string; readonly pod: JsonObject }[] = [];
  const createDryRun: KubeClient["createDryRun"] = async (path, pod, warn) => {
    sent.push({ path, pod });
    if (warning !== undefined) warn?.(warning);
    const made = answer(pod);
    if (made instanceof Error) throw made;
    return made;
  };
  return { kube: { createDryRun } as unknown as KubeClient, sent };
}

const POD = { metadata: { labels: { app: "web" }, ownerReferences: [] }, spec: { containers: [{ name: "app" }] } };
const attempt = (answer: Parameters<typeof server>[0], warning?: string) =>
  tryPod(server(answer, warning).kube, "shop", "web", POD);

describe("tryPod()", () => {
  it("asks for the pod as its controller would make it", async () => {
    const { kube, sent } = server((pod) => pod);
    await tryPod(kube, "shop", "w".repeat(70), POD);
    await tryPod(kube, "shop", "web", {});
    expect(sent).toEqual([
      {
        path: "/api/v1/namespaces/shop/pods",
        pod: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { generateName: "w".repeat(58), namespace: "shop", labels: { app: "web" }, annotations: {} },
          spec: POD.spec,
        },
      },
      expect.objectContaining({
        pod: expect.objectContaining({
          metadata: { generateName: "web-", namespace: "shop", labels: {}, annotations: {} },
          spec: {},
        }),
      }),
    ]);
  });

  it("says whether it was injected, and what the API server warns of", async () => {
    const plain = { kind: "admitted", isInjected: false, warnings: [], obstacles: [] };
    expect(await attempt((pod) => pod)).toEqual(plain);
    const annotations = { "sidecar.istio.io/status": "{}" };
    const injected = await attempt((pod) => ({ ...pod, metadata: { annotations } }), "deprecated");
    expect(injected).toEqual({ ...plain, isInjected: true, warnings: ["deprecated"] });
  });

  it.each([
    ["cluster-denied", "no", { kind: "untried", why: "not allowed to create pods in shop" }],
    ["cluster-unreachable", "it does not answer", { kind: "untried", why: "it does not answer" }],
    ["cluster-refused", "admission webhook a does not support dry run", { kind: "untried" }],
    ["cluster-refused", "exceeded quota", { kind: "rejected" }],
    ["cluster-webhook-failed", "failed calling webhook", { kind: "rejected" }],
    ["cluster-conflict", "it is being deleted", { kind: "rejected" }],
  ] as const)("takes %s for what it is", async (code, message, expected) => {
    expect(await attempt(() => new OutriggerError(code, message))).toMatchObject(expected);
  });

  it("lets a fault of its own through", async () => {
    await expect(attempt(() => new TypeError("a fault"))).rejects.toThrow("a fault");
  });

  describe("of a pod that a Fargate profile selects", () => {
    const obstacles = async (containers: readonly JsonObject[], schedulerName = "fargate-scheduler") => {
      const answer = await attempt((pod) => ({ ...pod, spec: { schedulerName, containers } }));
      return answer.kind === "admitted" ? answer.obstacles.map(({ problem }) => problem) : answer;
    };
    const init = { name: "istio-init", securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } } };

    it("names what Fargate does not run", async () => {
      const why = "a Fargate profile selects the pod, and Fargate does not run it: ";
      expect(await obstacles([{ name: "app" }, init])).toEqual([
        `${why}NET_ADMIN of istio-init, NET_RAW of istio-init`,
      ]);
      const privileged = { name: "app", securityContext: { privileged: true } };
      expect(await obstacles([privileged])).toEqual([`${why}privileged of app`]);
    });

    it("finds nothing in others, nor on other nodes", async () => {
      const dropping = { name: "app", securityContext: { privileged: false, capabilities: { drop: ["ALL"] } } };
      expect(await obstacles([dropping])).toEqual([]);
      expect(await obstacles([init], "default-scheduler")).toEqual([]);
    });
  });
});
