// What an API server's admission refuses in the middle of a command: a policy of the cluster, Pod Security and a quota, of the pods that a
// registration tries, and of what a restart writes. Webhooks and policies themselves are exempt from admission, so no write of a
// registration is refused by it.
import { type JsonObject, OutriggerError, objectsOf, ownError } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quickRestart } from "./support/quick-restart.ts";
import { openRealLab, type RealLab, waitsForApiServer } from "./support/real-lab.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const WEBHOOKS = `${ADMISSION}/mutatingwebhookconfigurations`;
const PROBE = "outrigger-probe";
const CLUSTER = ["--cluster", "shop"];

describe("what admission refuses in the middle of a command, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    lab.sleep = waitsForApiServer;
    await lab.allow(["register", "check", "registration", "pods", "explain", "off", "restart"]);
    expect((await lab.run("publish")).code).toBe(0);
    for (const name of ["shop", "work"]) await lab.namespace(name);
    for (const name of ["a", "b"]) await lab.apply(deployment(name));
    await running(lab, 2);
    await lab.namespace("shop", { "istio-injection": "enabled" });
  });
  afterAll(() => lab?.close());

  /** Whether the policy of the test is in force. */
  const frozen = { now: async () => false };

  /** Denies what is written to a resource, in all namespaces or in one, and waits until that is so. */
  const deny = async (resource: string, namespace?: string) => {
    const [group = "", plural = ""] = resource.split("/");
    const rule = { apiGroups: [group], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: [plural] };
    await lab.apply(
      policyOf("ValidatingAdmissionPolicy", {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'object.metadata.name == "b"', message: "there is a freeze" }],
      }),
    );
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace ?? "" } };
    const matchResources = namespace === undefined ? {} : { matchResources: { namespaceSelector } };
    const spec = { policyName: "frozen", validationActions: ["Deny"], ...matchResources };
    await lab.apply(policyOf("ValidatingAdmissionPolicyBinding", spec));
    const path = `/api${group === "" ? "" : `s/${group}`}/v1/namespaces/${namespace ?? "default"}/${plural}`;
    frozen.now = async () => {
      const { spec } = deployment("probe");
      const specOf = { pods: spec.template.spec, deployments: spec, configmaps: undefined }[plural as "pods"];
      const object = { metadata: { name: "probe" }, ...(specOf && { spec: specOf }) };
      const refused = await lab.api.admin.createDryRun(path, object as never).catch(ownError);
      return refused instanceof OutriggerError && refused.message.includes("freeze");
    };
    await lab.until("the policy is in force", frozen.now);
  };
  /** Leaves no room for more objects in a namespace. */
  const fill = async (namespace: string, hard: JsonObject) => {
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "full", namespace }, spec: { hard } };
    await lab.apply(quota);
    await lab.until("the quota is counted", async () => {
      const there = await lab.api.admin.get(`/api/v1/namespaces/${namespace}/resourcequotas/full`);
      return JSON.stringify(there?.["status"] ?? {}).includes('"used"');
    });
  };
  const allow = async () => {
    await lab.namespace(PROBE);
    for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"])
      await lab.api.admin.remove(`${ADMISSION}/${kind}/frozen`).catch(() => {});
    for (const namespace of ["default", PROBE])
      await lab.api.admin.remove(`/api/v1/namespaces/${namespace}/resourcequotas/full`).catch(() => {});
    await lab.until("no policy is in force", async () => !(await frozen.now()));
  };
  beforeEach(allow);

  const policies = async () => {
    const found: string[] = [];
    for await (const { webhooks } of lab.api.admin.list(WEBHOOKS))
      for (const { failurePolicy } of objectsOf(webhooks)) found.push(String(failurePolicy));
    return [...new Set(found)];
  };
  const lastOf = (text: string) => text.trimEnd().split("\n").at(-1);

  it("register goes on to no phase in which pods may be rejected, and leaves everything as it was", async () => {
    await deny("/pods");
    const fresh = await lab.register("--phase", "enforce");
    expect([fresh.code, fresh.err]).toEqual([3, expect.stringContaining("\nEverything is as it was before\n")]);
    expect(lastOf(fresh.err)).toMatch(/^Cannot enforce what was not proven: .*there is a freeze; make it possible, or/);
    expect(await policies()).toEqual([]);
    // Where nothing is rejected, it says what it could not try.
    const ignoring = await lab.register("--phase", "cluster");
    expect([ignoring.code, ignoring.err]).toEqual([0, expect.stringContaining("Warning: No pod was tried through")]);
    const repeated = await lab.run("register", ...CLUSTER, "--phase", "enforce");
    expect([repeated.code, repeated.err]).toEqual([3, expect.stringContaining("Everything is as it was before")]);
    expect(await policies()).toEqual(["Ignore"]);
    const { code, out } = await lab.run("check", ...CLUSTER, "--section", "registration");
    expect([code, lastOf(out)]).toEqual([0, "No difference"]);
  });

  it.each([
    ["Pod Security", () => lab.namespace(PROBE, { "pod-security.kubernetes.io/enforce": "restricted" })],
    ["a quota", () => fill(PROBE, { pods: "0" })],
    ["a policy", () => deny("/pods", PROBE)],
  ])("register proves the webhook in another namespace where %s refuses pods in its own", async (_, refuse) => {
    await refuse();
    const { code, err } = await lab.run("register", ...CLUSTER, "--phase", "enforce");
    expect([code, err]).toEqual([0, expect.stringContaining("created as a dry run in the namespace default")]);
  });

  it("restart leaves the workload that a policy protects, and restarts the others", async () => {
    await lab.namespace("work", { "istio-injection": "enabled" });
    await deny("apps/deployments", "work");
    const { state, done, left } = await quickRestart(lab, { namespace: "work" });
    const why = expect.stringMatching(/^the API server would not take its restart: .*there is a freeze/);
    expect({ state, done, left }).toEqual({ state: "done", done: 1, left: [{ workload: "work/Deployment/a", why }] });
    const pods = (await lab.pods("work")).filter((pod) => isRunning(pod));
    expect(pods.map((pod) => [metadataOf(pod).labels["app"], isInjected(pod as never)]).toSorted()).toEqual([
      ["a", false],
      ["b", true],
    ]);
    await allow();
    expect(await quickRestart(lab, { namespace: "work" })).toMatchObject({ state: "done", done: 1, left: [] });
  });

  it.each([
    ["a quota", () => fill("default", { "count/configmaps": "0" }), "exceeded quota"],
    ["a policy", () => deny("/configmaps", "default"), "there is a freeze"],
  ])("restart takes nothing down where %s refuses its journal", async (_, refuse, said) => {
    await lab.api.admin.remove("/api/v1/namespaces/default/configmaps/outrigger-restart").catch(() => {});
    await lab.aws.edit(
      "values/10-mine",
      `global:\n  proxy: {logLevel: ${said.includes("quota") ? "info" : "debug"}}\n`,
    );
    expect((await lab.run("publish")).code).toBe(0);
    const before = (await lab.pods("work")).map((pod) => metadataOf(pod).uid);
    await refuse();
    const { code, err } = await lab.run("restart", ...CLUSTER, "-n", "work", "--yes");
    expect([code, lastOf(err)]).toEqual([3, expect.stringContaining(said)]);
    expect((await lab.pods("work")).map((pod) => metadataOf(pod).uid)).toEqual(before);
  });
});

function policyOf(kind: string, spec: JsonObject): JsonObject {
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name: "frozen" }, spec };
}

function deployment(name: string) {
  const spec = { containers: [{ name: "app", image: "app:1" }] };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "work" } },
    spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec } },
  };
}

async function running(lab: RealLab, count: number): Promise<void> {
  await lab.until(`${count} pods run`, async () => {
    const pods = await lab.pods("work");
    return pods.length === count && pods.every((pod) => JSON.stringify(pod).includes('"phase":"Running"'));
  });
}
