import type { JsonObject } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { compileRelease, loadRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { compareCluster } from "./compare-cluster.ts";

const INJECTOR = loadRelease(
  compileRelease([
    {
      config: "defaultTemplates: [agent]\nneverInjectSelector:\n- matchLabels: {skip: 'yes'}\n",
      "templates/agent": `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if metadata.labels.fails}}
    args: [{{int metadata.labels.fails}}]
    {{/if}}
`,
    },
  ]),
);

interface Made {
  readonly name: string;
  readonly owner?: string;
  readonly kind?: string;
  readonly image?: string;
  readonly env?: readonly JsonObject[];
  readonly revision?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isInjected?: boolean;
  readonly controller?: boolean;
}

function runningPod(made: Made): JsonObject {
  const { name, owner = `${name.split("-")[0]}-5d8f`, kind = "ReplicaSet", image = "agent:1", env, revision } = made;
  const { labels = {}, isInjected = true, controller = true } = made;
  const status = isInjected && { "sidecar.istio.io/status": JSON.stringify({ containers: ["agent"] }) };
  return {
    metadata: {
      name,
      namespace: "shop",
      labels,
      annotations: { ...status, ...(revision !== undefined && { "istio.io/rev": revision }) },
      ownerReferences: [{ apiVersion: "apps/v1", kind, name: owner, uid: "u", controller }],
    },
    spec: {
      containers: [
        { name: "app", image: "app" },
        { name: "agent", image, ...(env && { env: [...env] }) },
      ],
    },
    status: { phase: "Running" },
  };
}

/** A cluster with these pods, and the controllers of all whose name is not `gone-5d8f`. */
function kubeWith(pods: readonly JsonObject[]): KubeClient {
  return {
    name: "eks",
    async *pods() {
      for (const pod of pods) yield { ...pod, whole: () => pod };
    },
    get: async (path: string) => {
      if (path.includes("gone-") || !path.startsWith("/apis/apps/v1/namespaces/shop/replicasets/")) return undefined;
      const [, fails] = /fails/.exec(path) ? ["", "much"] : [];
      const labels = { ...(path.includes("skip") && { skip: "yes" }), ...(fails && { fails }) };
      return { spec: { template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "app" }] } } } };
    },
  } as unknown as KubeClient;
}

const compare = (pods: readonly Made[], revision?: string) =>
  compareCluster(kubeWith(pods.map(runningPod)), INJECTOR, revision);

describe("compareCluster()", () => {
  it("counts workloads that come out equal, one pod of each", async () => {
    expect(await compare([])).toEqual({ workloads: 0, equal: 0, differences: [], skipped: [] });
    expect(
      await compare([{ name: "web-5d8f-a" }, { name: "web-5d8f-b", image: "other" }, { name: "cart-5d8f-a" }]),
    ).toEqual({
      workloads: 2,
      equal: 2,
      differences: [],
      skipped: [],
    });
  });

  it("counts each difference once, with one example: the most frequent first, then by its field", async () => {
    const env = [{ name: "A", value: "b" }];
    const { workloads, equal, differences } = await compare([
      { name: "web-5d8f-a", env },
      { name: "cart-5d8f-a", image: "agent:0" },
      { name: "pay-5d8f-a", image: "agent:0", env: [{ name: "B", value: "b" }] },
      { name: "till-5d8f-a" },
    ]);
    expect([workloads, equal]).toEqual([4, 1]);
    expect(differences).toEqual([
      {
        field: "containers[agent].image",
        kind: "differs",
        today: "agent:0",
        imported: "agent:1",
        count: 2,
        example: "shop/cart-5d8f-a",
      },
      expect.objectContaining({
        field: "containers[agent].env[A]",
        kind: "only today",
        count: 1,
        example: "shop/web-5d8f-a",
      }),
      expect.objectContaining({ field: "containers[agent].env[B]", count: 1, example: "shop/pay-5d8f-a" }),
    ]);
  });

  it("compares no pod without a sidecar, nor of another revision than is asked about", async () => {
    const made = [
      { name: "web-5d8f-a", isInjected: false },
      { name: "cart-5d8f-a", revision: "blue" },
      { name: "pay-5d8f-a", revision: "green" },
      { name: "till-5d8f-a" },
    ];
    expect((await compare(made)).workloads).toBe(3);
    expect((await compare(made, "blue")).workloads).toBe(1);
    expect(await compare(made, "red")).toEqual({ workloads: 0, equal: 0, differences: [], skipped: [] });
  });

  it("skips a pod of which nothing says what its author wrote", async () => {
    const { workloads, skipped } = await compare([
      { name: "gone-5d8f-a" },
      { name: "owned-1", owner: "other", kind: "Pod" },
      { name: "node-1", owner: "n", kind: "Node" },
      { name: "loose-5d8f-a", controller: false },
      { name: "web-5d8f-a" },
    ]);
    expect(workloads).toBe(1);
    expect(skipped).toEqual(
      ["gone-5d8f-a", "owned-1", "node-1", "loose-5d8f-a"].map(
        (name) => `shop/${name}: it has no controller whose template says what its author wrote`,
      ),
    );
  });

  it("skips a pod that the tree rejects or does not inject, with the reason", async () => {
    const { workloads, skipped } = await compare([{ name: "skip-5d8f-a" }, { name: "fails-5d8f-a" }]);
    expect(workloads).toBe(0);
    expect(skipped).toEqual([
      expect.stringMatching(/^shop\/skip-5d8f-a: the imported tree does not inject it \(.+\)$/),
      expect.stringMatching(/^shop\/fails-5d8f-a: the imported tree rejects it: Cannot render template/),
    ]);
  });
});
