import type { JsonObject } from "@outrigger/base";
import { kubeClient } from "@outrigger/cluster";
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { parseWorkload } from "../manifests/workload-kinds.ts";
import { readNamespaceLabels, readRunningPods, readWorkload } from "./explain-cluster.ts";

/** A cluster that has these objects and pods, by path; any other object is not found, and a kind of another group is not served. */
function cluster(objects: Readonly<Record<string, JsonObject>>, pods: readonly JsonObject[] = []) {
  return kubeClient({
    name: "shop",
    sleep: async () => {},
    exchange: async ({ path }) => {
      if (path.includes("argoproj.io")) return { status: 404, body: "404 page not found" };
      if (path.includes("/pods?"))
        return { status: 200, body: JSON.stringify({ kind: "PodList", metadata: {}, items: pods }) };
      const found = objects[path];
      return { status: found === undefined ? 404 : 200, body: JSON.stringify(found ?? { kind: "Status" }) };
    },
  });
}

describe("readNamespaceLabels()", () => {
  it("returns the labels of a namespace, and names what to do where there is none", async () => {
    const kube = cluster({ "/api/v1/namespaces/web": { metadata: { name: "web", labels: { team: "a" } } } });
    expect(await readNamespaceLabels(kube, "web")).toEqual({ team: "a" });
    await expect(readNamespaceLabels(kube, "wob")).rejects.toThrow(
      "There is no namespace wob in cluster shop: name it with -n",
    );
  });
});

describe("readWorkload()", () => {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
  const path = "/apis/apps/v1/namespaces/web/deployments/web";

  it("returns a workload with the pod that it makes", async () => {
    const object = { metadata: { name: "web" }, spec: { template } };
    expect(await readWorkload(cluster({ [path]: object }), parseWorkload("deploy/web"), "web")).toEqual({
      object,
      pod: expect.objectContaining(template),
    });
  });

  it.each([
    ["deploy/other", "There is no Deployment other in namespace web of cluster shop: name the namespace with -n"],
    ["rollout/web", "Cluster shop has no kind Rollout (argoproj.io): install what brings it"],
    ["deploy/web", "Cannot explain Deployment web: it has no pod template"],
  ])("says of %s what is wrong", async (name, why) => {
    await expect(
      readWorkload(cluster({ [path]: { metadata: {}, spec: {} } }), parseWorkload(name), "web"),
    ).rejects.toThrow(why);
  });

  it("names the workload that another one refers to", async () => {
    const referring = { metadata: {}, spec: { workloadRef: { kind: "Deployment", name: "api" } } };
    await expect(readWorkload(cluster({ [path]: referring }), parseWorkload("deploy/web"), "web")).rejects.toThrow(
      "Cannot explain Deployment web: explain what it refers to: deployment/api",
    );
  });
});

describe("readRunningPods()", () => {
  const NOW = Date.parse("2026-01-02T00:00:00Z");
  const release = (tag: string) => {
    const sidecar = `spec:\n  containers:\n  - name: istio-proxy\n    image: registry.example/proxyv2:${tag}\n`;
    return loadRelease(compileRelease([{ config: "defaultTemplates: [sidecar]\n", "templates/sidecar": sidecar }]));
  };
  const settings = { channel: "stable", cluster: {}, parameters: {} };
  const pod = (name: string, metadata: JsonObject = {}): JsonObject => ({
    metadata: {
      name,
      namespace: "web",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "web" },
      ...metadata,
    },
    spec: { containers: [{ name: "app", image: "app:1" }] },
  });
  function injected(name: string, tag: string): JsonObject {
    const result = injectPod(release(tag), { pod: pod(name) as Pod, namespace: "web", ...settings, release: tag });
    if (!result.injected) throw new Error(result.message);
    return result.pod as JsonObject;
  }
  const read = (workload: string, object: JsonObject, ...pods: readonly JsonObject[]) =>
    readRunningPods(
      { kube: cluster({}, pods), installed: [] },
      parseWorkload(workload),
      object,
      { name: "web", labels: {} },
      () => ({ ...settings, release: "2", injector: release("2") }),
      NOW,
    );
  const selecting = (selector: JsonObject) => ({ spec: { selector } });

  it("says of each pod of a workload what it carries, and what a new one would carry", async () => {
    const pods = [injected("old", "1"), injected("now", "2"), pod("bare"), pod("other", { labels: {} })];
    expect(await read("deploy/web", selecting({ matchLabels: { app: "web" } }), ...pods)).toEqual([
      {
        name: "old",
        age: "1d",
        isInjected: true,
        state: "registry.example/proxyv2:1; now it would be registry.example/proxyv2:2: restart it",
      },
      { name: "now", age: "1d", isInjected: true, state: "registry.example/proxyv2:2, as it would be injected now" },
      { name: "bare", age: "1d", isInjected: false, state: "no sidecar, and none was asked for" },
    ]);
  });

  it("says it of the proxy, or of the first that was injected and runs as long as the pod", async () => {
    const status = (named: object) => ({ "sidecar.istio.io/status": JSON.stringify(named) });
    const image = (name: string, more: object = {}) => ({ name, image: `${name}:0`, ...more });
    const of = (annotations: object, spec: JsonObject): JsonObject => ({
      ...pod("web", { annotations: annotations as JsonObject }),
      spec,
    });
    const always = { restartPolicy: "Always" };
    const states = await read(
      "deploy/web",
      selecting({ matchLabels: { app: "web" } }),
      of(status({ initContainers: ["setup", "agent"], containers: [] }), {
        initContainers: [image("setup"), image("agent", always)],
        containers: [image("app")],
      }),
      of(status({ initContainers: ["setup"], containers: ["log"] }), {
        initContainers: [image("setup")],
        containers: [image("app"), image("log")],
      }),
      of(status({ initContainers: ["agent", "istio-proxy"] }), {
        initContainers: [image("agent", always), image("istio-proxy", always)],
        containers: [image("app")],
      }),
      of(status({ initContainers: ["setup"] }), { initContainers: [image("setup")], containers: [image("app")] }),
      of(status({}), { containers: [image("app")] }),
    );
    expect(states.map(({ state }) => state.split(/[,;]/)[0])).toEqual([
      "agent:0",
      "log:0",
      "istio-proxy:0",
      "setup:0",
      "injected",
    ]);
  });

  it("says of a static pod's mirror that no webhook changes it", async () => {
    const mirror = pod("mirror", { annotations: { "kubernetes.io/config.mirror": "a" } });
    expect(await read("pod/mirror", mirror)).toMatchObject([
      { state: "no sidecar: it mirrors a static pod of its node, which no webhook changes" },
    ]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["rc/web", selecting({ app: "web" }), ["a", "b"]],
    ["deploy/web", selecting({ matchLabels: { app: "api" } }), []],
    // It selects no pod, and not all of them.
    ["deploy/web", selecting({}), []],
    ["cronjob/web", {}, ["b"]],
    ["pod/web", pod("web"), ["web"]],
  ])("finds the pods of %s with %j", async (workload, object, names) => {
    const ofJob = (name: string) => ({ labels: { app: "web" }, ownerReferences: [{ kind: "Job", name }] });
    const found = await read(workload, object, pod("a", ofJob("web-1")), pod("b", ofJob("web-29000000")));
    expect(found.map(({ name }) => name)).toEqual(names);
  });
});
