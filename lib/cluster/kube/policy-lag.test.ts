import type { JsonObject } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { kubeClient } from "./kube-client.ts";
import { withPolicyLag } from "./policy-lag.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const WEBHOOK = `${GROUP}/mutatingwebhookconfigurations/w`;
const BINDING = `${GROUP}/validatingadmissionpolicybindings/b`;
const actions = (...validationActions: readonly string[]): JsonObject => ({ spec: { validationActions } });

describe("withPolicyLag()", () => {
  let done: string[];
  let isAnswered: boolean;
  const open = () => {
    const exchange = async ({ method, path }: { readonly method: string; readonly path: string }) => {
      done.push(`${method} ${path.split("?")[0]?.split("/").at(-1)}`);
      if (!isAnswered) throw new Error("cut");
      return { status: 200, body: JSON.stringify({ kind: "Thing", apiVersion: "v1", metadata: {} }) };
    };
    const sleep = async (milliseconds: number) => void done.push(milliseconds > 1500 ? "wait" : `wait ${milliseconds}`);
    return withPolicyLag(kubeClient({ name: "shop", exchange, sleep }), sleep);
  };
  beforeEach(() => {
    [done, isAnswered] = [[], true];
  });

  it("waits before a webhook goes or is another, after a net has gone or only warns", async () => {
    for (const relax of [
      (kube: ReturnType<typeof open>) => kube.remove(BINDING),
      (kube: ReturnType<typeof open>) => kube.mergePatch(BINDING, actions("Warn")),
      (kube: ReturnType<typeof open>) => kube.replace(BINDING, actions("Warn")),
    ]) {
      for (const change of [
        (kube: ReturnType<typeof open>) => kube.remove(WEBHOOK),
        (kube: ReturnType<typeof open>) => kube.replace(WEBHOOK, {}),
        (kube: ReturnType<typeof open>) => kube.apply(WEBHOOK, {}, { force: true }),
      ]) {
        const kube = open();
        done = [];
        await relax(kube);
        await change(kube);
        expect(done).toEqual([expect.stringMatching(/ b$/), "wait", expect.stringMatching(/ w$/)]);
      }
    }
  });

  it("waits also where nobody has said whether the net has gone", async () => {
    const kube = open();
    isAnswered = false;
    await expect(kube.remove(BINDING)).rejects.toThrow();
    isAnswered = true;
    await kube.remove(WEBHOOK);
    expect(done).toContain("wait");
  });

  it("waits for nothing else: a net that denies, a patch of a webhook, which keeps the pods that are sent", async () => {
    const kube = open();
    await kube.mergePatch(BINDING, actions("Deny"));
    await kube.mergePatch(BINDING, { metadata: { annotations: {} } });
    await kube.replace(BINDING, actions("Deny"));
    await kube.remove(WEBHOOK);
    await kube.remove(BINDING);
    await kube.mergePatch(WEBHOOK, { webhooks: [] });
    await kube.remove(`${GROUP}/validatingadmissionpolicies/p`);
    expect(done.filter((line) => line.startsWith("wait"))).toEqual([]);
  });
});
