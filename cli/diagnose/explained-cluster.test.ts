import type { JsonObject } from "@outrigger/base";
import { digestOfToken, kubeClient } from "@outrigger/cluster";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openCliLab } from "../../test/eks/cli-lab.ts";
import { connectToExplain, type ExplainedCluster, parametersOf, servedOptions } from "./explained-cluster.ts";

type Installed = ExplainedCluster["installed"];

const TOKEN = "a".repeat(43);

/** A webhook that is sent the pods of namespaces with a label. */
function webhook(revision: string, label: string, own: Partial<Installed[number]> = {}): Installed[number] {
  const webhooks = [{ name: "namespace", namespaceSelector: { matchLabels: { [label]: "yes" } } }];
  const name = `outrigger-${revision}`;
  return { name, object: { metadata: { name }, webhooks }, deployment: "dev", revision, ...own };
}

/** A cluster in which each of these namespaces has its own name as a label. */
function clusterOf(installed: Installed, ...namespaces: readonly string[]): ExplainedCluster {
  const exchange: Parameters<typeof kubeClient>[0]["exchange"] = async ({ path }) => {
    const name = namespaces.find((one) => path === `/api/v1/namespaces/${one}`);
    if (name === undefined) return { status: 404, body: JSON.stringify({ kind: "Status" }) };
    return { status: 200, body: JSON.stringify({ metadata: { name, labels: { [name]: "yes" } } }) };
  };
  return { kube: kubeClient({ name: "shop", sleep: async () => {}, exchange }), installed, revisions: [] };
}

describe("servedOptions()", () => {
  const pod = { spec: { containers: [] } };
  let aws: ReturnType<typeof fakeAws>;
  let io: ReturnType<typeof fakeIo>;
  beforeEach(async () => {
    aws = fakeAws();
    io = fakeIo({ connect: aws.connect });
    const tokens = [{ sha256: digestOfToken(TOKEN), created: "2026-01-01T00:00:00Z" }];
    const record: JsonObject = { arn: "", revisions: { default: "canary" }, tokens };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record, null, 1));
  });

  it.each([{ dir: "tree" }, { from: "canary" }, { cluster: "pay" }])("keeps what %j names", async (options) => {
    const cluster = clusterOf([webhook("next", "shop", { token: TOKEN })], "shop");
    expect(await servedOptions(options, cluster, { pod, namespace: "shop", parameters: {} }, io)).toBe(options);
    expect(await servedOptions({}, undefined, { pod, namespace: "", parameters: {} }, io)).toEqual({});
    expect(io.err()).toBe("");
  });

  it.each<[string, Installed, string]>([
    ["the one that sends the pod", [webhook("default", "pay"), webhook("next", "shop")], "next"],
    ["default where none sends it", [webhook("next", "pay"), webhook("default", "pay")], "default"],
    ["one that there is", [webhook("next", "pay"), webhook("last", "pay")], "next"],
  ])("finds the registration by the webhooks' token, and the revision: %s", async (_, installed, revision) => {
    const cluster = clusterOf([...installed, webhook("old", "other", { token: TOKEN })], "shop");
    const found = await servedOptions({}, cluster, { pod, namespace: "shop", parameters: {} }, io);
    expect(found).toEqual({ cluster: "shop", revision });
    expect(io.err()).toBe("");
  });

  it("asks for the namespace that the pod names, before that of the question, before default", async () => {
    const installed = [webhook("a", "pay"), webhook("b", "shop"), webhook("c", "default", { token: TOKEN })];
    const cluster = clusterOf(installed, "shop", "pay", "default");
    const revisionOf = async (own: string | undefined, namespace: string) => {
      const metadata = own === undefined ? {} : { metadata: { namespace: own } };
      const request = { pod: { ...pod, ...metadata }, namespace, parameters: {} };
      return (await servedOptions<{ revision?: string }>({}, cluster, request, io)).revision;
    };
    expect(await revisionOf("pay", "shop")).toBe("a");
    expect(await revisionOf(undefined, "shop")).toBe("b");
    expect(await revisionOf("", "shop")).toBe("b");
    expect(await revisionOf(undefined, "")).toBe("c");
  });

  it("keeps a revision that is named, and needs no pod", async () => {
    const cluster = clusterOf([webhook("default", "shop", { token: TOKEN })]);
    const request = { pod, namespace: "gone", parameters: {} };
    expect(await servedOptions({ revision: "next" }, cluster, request, io)).toEqual({
      cluster: "shop",
      revision: "next",
    });
    expect(await servedOptions({}, cluster, undefined, io)).toEqual({ cluster: "shop" });
  });

  it("says with what pods are explained where the deployment has no record of the cluster", async () => {
    const cluster = clusterOf([webhook("default", "shop", { token: "b".repeat(43) })]);
    const { askPublisher } = await aws.connect({ layout: aws.layout, stage: "dev", publisher: "" });
    const ran = async (channel: string) => {
      await askPublisher({ action: "publish", channel, cause: { by: "ann", why: "" } });
      const own = fakeIo({ connect: aws.connect });
      return [await servedOptions({ deployment: "dev" }, cluster, undefined, own), own.err()];
    };
    const warning = "Warning: the deployment has no record of this cluster; its pods are explained with";
    expect(await ran("canary")).toEqual([{ deployment: "dev" }, `${warning} the shipped release\n`]);
    expect(await ran("stable")).toEqual([
      { deployment: "dev", from: "stable" },
      `${warning} what channel stable serves\n`,
    ]);
  });

  it("explains with the shipped release where there is no deployment, and says why", async () => {
    const cluster = clusterOf([webhook("default", "shop", { token: TOKEN })]);
    expect(await servedOptions({ deployment: "prod" }, cluster, undefined, io)).toEqual({ deployment: "prod" });
    expect(io.err()).toMatch(/^Warning: explained with the shipped release: Cannot use deployment prod: nothing is /);
  });
});

describe("parametersOf()", () => {
  it("has what the URL of the first webhook says whose settings can be read", () => {
    const settings = { clusterId: "shop-id", network: "net-1" } as NonNullable<Installed[number]["settings"]>;
    const other = { ...settings, clusterId: "other" };
    const installed = [
      webhook("damaged", "a"),
      webhook("default", "a", { settings }),
      webhook("next", "a", { settings: other }),
    ];
    expect(parametersOf({ installed })).toEqual({
      ISTIO_META_CLUSTER_ID: "shop-id",
      ISTIO_META_NETWORK: "net-1",
    });
    expect(parametersOf({ installed: [] })).toEqual({});
    expect(parametersOf(undefined)).toEqual({});
  });
});

it("connectToExplain() finds the webhooks of every deployment, by revision and tag", async () => {
  const lab = await openCliLab();
  try {
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--revision", "1-30", "--tag", "prod", "--phase", "cluster")).code).toBe(0);
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const { kube, installed, revisions } = await connectToExplain({ kubeconfig: "kubeconfig", context: "prod" }, io);
    expect([kube.name, [...revisions].sort()]).toEqual(["prod", ["1-30", "prod"]]);
    expect(installed.map(({ deployment }) => deployment)).toEqual(["dev", "dev"]);
  } finally {
    await lab.close();
  }
});
