import { type JsonObject, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../kube/kube-client.ts";
import { readOtherWebhooks } from "./other-webhooks.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const FOR_PODS = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };

const webhook = (changes: JsonObject = {}): JsonObject => ({
  name: "a.example",
  rules: [FOR_PODS],
  clientConfig: { service: { namespace: "tools", name: "hook" } },
  ...changes,
});
const configuration = (webhooks: readonly JsonObject[], labels: JsonObject = {}): JsonObject => ({
  metadata: { name: "theirs", labels },
  webhooks,
});

/** An API server with these configurations, and the service `tools/hook` where it is said. */
function server(
  mutating: readonly JsonObject[],
  validating: readonly JsonObject[] = [],
  service: JsonObject | Error | null = {},
) {
  const asked: string[] = [];
  const kube = {
    async *list(path: string) {
      if (path === `${GROUP}/mutatingwebhookconfigurations`) yield* mutating;
      if (path === `${GROUP}/validatingwebhookconfigurations`) yield* validating;
    },
    get: async (path: string) => {
      asked.push(path);
      if (service instanceof Error) throw service;
      return service ?? undefined;
    },
  } as unknown as KubeClient;
  return { kube, asked };
}

const found = async (...webhooks: readonly JsonObject[]) =>
  (await readOtherWebhooks(server([configuration(webhooks)]).kube))({ team: "a" }, { app: "web" });

describe("readOtherWebhooks()", () => {
  it("describes those of both kinds that get a pod", async () => {
    const conditions = [{ name: "x", expression: "true" }];
    const { kube } = server(
      [configuration([webhook()])],
      [configuration([webhook({ name: "b.example", failurePolicy: "Ignore", matchConditions: conditions })])],
    );
    const about = { configuration: "theirs", isConditional: false };
    expect((await readOtherWebhooks(kube))({}, {})).toEqual([
      { ...about, name: "a.example", kind: "mutating", failurePolicy: "Fail" },
      { ...about, name: "b.example", kind: "validating", failurePolicy: "Ignore", isConditional: true },
    ]);
  });

  it.each<[string, JsonObject, boolean]>([
    ["all groups and resources", { ...FOR_PODS, apiGroups: ["*"], resources: ["*"], operations: ["*"] }, true],
    ["all with their parts", { ...FOR_PODS, resources: ["*/*"] }, true],
    ["another group", { ...FOR_PODS, apiGroups: ["apps"] }, false],
    ["another resource", { ...FOR_PODS, resources: ["pods/exec"] }, false],
    ["another operation", { ...FOR_PODS, operations: ["UPDATE", "DELETE"] }, false],
    ["nothing", {}, false],
  ])("asks by its rules whether it is for new pods: %s", async (_, rule, expected) => {
    expect(await found(webhook({ rules: [{ ...FOR_PODS, apiGroups: ["batch"] }, rule] }))).toHaveLength(
      expected ? 1 : 0,
    );
  });

  it("asks by its selectors, and leaves out what Outrigger has installed", async () => {
    const matchLabels = (key: string, value: string) => ({ matchLabels: { [key]: value } });
    expect(await found(webhook({ namespaceSelector: matchLabels("team", "a") }))).toHaveLength(1);
    expect(await found(webhook({ namespaceSelector: matchLabels("team", "b") }))).toEqual([]);
    expect(await found(webhook({ objectSelector: matchLabels("app", "web") }))).toHaveLength(1);
    expect(await found(webhook({ objectSelector: matchLabels("app", "db") }))).toEqual([]);
    const labels = { "outrigger/revision": "default", "outrigger/deployment": "dev" };
    expect((await readOtherWebhooks(server([configuration([webhook()], labels)]).kube))({}, {})).toEqual([]);
  });

  it("looks once for the service of those that reject a pod where they cannot be called", async () => {
    const url = { clientConfig: { url: "https://x.example" } };
    const webhooks = [webhook(), webhook(), webhook({ failurePolicy: "Ignore" }), webhook(url)];
    const { kube, asked } = server([configuration(webhooks)], [configuration([webhook()])], null);
    const all = (await readOtherWebhooks(kube))({}, {});
    const problem = "its service tools/hook does not exist";
    expect(all.map((one) => one.problem)).toEqual([problem, problem, undefined, undefined, problem]);
    expect(all[0]?.remediation).toBe("start the service, or kubectl delete mutatingwebhookconfiguration theirs");
    expect(all[4]?.remediation).toBe("start the service, or kubectl delete validatingwebhookconfiguration theirs");
    expect(asked).toEqual(["/api/v1/namespaces/tools/services/hook"]);
  });

  it("says nothing of a service that it may not read", async () => {
    const answered = (error: Error) => readOtherWebhooks(server([configuration([webhook()])], [], error).kube);
    const [one] = (await answered(new OutriggerError("cluster-denied", "no")))({}, {});
    expect(one).not.toHaveProperty("problem");
    await expect(answered(new OutriggerError("cluster-unreachable", "gone"))).rejects.toThrow("gone");
  });
});
