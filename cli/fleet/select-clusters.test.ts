import type { JsonObject } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import type { Deployment } from "../connect/deployment.ts";
import { selectClusters } from "./select-clusters.ts";

const eks = (name: string, account = "111122223333") => `arn:aws:eks:eu-west-1:${account}:cluster/${name}`;

describe("selectClusters()", () => {
  let deployment: Deployment;
  let put: (cluster: string, record: JsonObject) => Promise<unknown>;
  beforeEach(async () => {
    const aws = fakeAws();
    const target = { layout: aws.layout, stage: "dev", publisher: "outrigger-dev-publish" };
    deployment = { ...(await aws.connect(target)), target };
    put = (cluster, record) => {
      const served = { revisions: { default: "stable" }, tokens: [], ...record };
      return aws.put(aws.layout.cluster(cluster), JSON.stringify(served, null, 1));
    };
    await put("web", { arn: eks("web") });
    await put("shop", { arn: eks("shop-eks", "999988887777"), revisions: { default: "stable", canary: "early" } });
    await put("canary", { arn: "" });
  });
  let contextsAsked = 0;
  const select = (options: Partial<Parameters<typeof selectClusters>[0]>, contexts: readonly string[] = []) => {
    contextsAsked = 0;
    const contextsOf = async () => {
      contextsAsked++;
      return contexts;
    };
    return selectClusters({ maxConcurrency: 20, ...options }, deployment, contextsOf);
  };
  const namesOf = async (options: Parameters<typeof select>[0]) => (await select(options)).map(({ name }) => name);

  it("takes all by their names, those that are named in their order, or those that a channel serves", async () => {
    expect(await namesOf({ all: true })).toEqual(["shop", "web"]);
    expect(await namesOf({ clusters: ["web", "shop"] })).toEqual(["web", "shop"]);
    expect(await namesOf({ channel: "early" })).toEqual(["shop"]);
    // The deployment's own callers are asked where a person names them.
    expect(await namesOf({ clusters: ["canary"] })).toEqual(["canary"]);
    await put("plain", { arn: "", settings: { default: { name: "plain" } } });
    await put("empty", { arn: "", settings: {} });
    expect(await namesOf({ all: true })).toEqual(["plain", "shop", "web"]);
  });

  it("reaches a cluster of EKS by its ARN, with the role in an account that is not the deployment's", async () => {
    const reached = async (options: Parameters<typeof select>[0]) =>
      (await select({ all: true, ...options })).map(({ place }) => place);
    expect(await reached({})).toEqual([
      { cluster: "shop-eks", as: "shop", clusterRegion: "eu-west-1" },
      { cluster: "web", as: "web", clusterRegion: "eu-west-1" },
    ]);
    expect(await reached({ roleName: "operator" })).toEqual([
      {
        cluster: "shop-eks",
        as: "shop",
        clusterRegion: "eu-west-1",
        roleArn: "arn:aws:iam::999988887777:role/operator",
      },
      { cluster: "web", as: "web", clusterRegion: "eu-west-1" },
    ]);
    expect(contextsAsked).toBe(0);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["that has its name", ["web", "shop"], ["shop", "web"]],
    ["of its name, though there is one of the ARN", [eks("web"), "web"], ["shop", "web"]],
    ["that has its ARN", [eks("web"), eks("shop-eks", "999988887777")], [eks("shop-eks", "999988887777"), eks("web")]],
    ["of its name, which is then said to be missing", [], ["shop", "web"]],
  ])("reaches every cluster by the context %s, with a kubeconfig", async (_, contexts, found) => {
    const selected = await select({ all: true, kubeconfig: "k.yaml" }, contexts);
    expect(selected.map(({ place }) => place)).toEqual([
      { as: "shop", context: found[0], kubeconfig: "k.yaml" },
      { as: "web", context: found[1], kubeconfig: "k.yaml" },
    ]);
    expect(contextsAsked).toBe(1);
  });

  it("reaches a cluster outside EKS by a context, also without a kubeconfig that is named", async () => {
    await put("kind", { arn: "arn:aws:other:eu-west-1:111122223333:cluster/kind" });
    expect(await select({ clusters: ["kind"] }, ["kind"])).toMatchObject([{ place: { as: "kind", context: "kind" } }]);
  });

  it("has a damaged record among those of every channel, with the reason", async () => {
    await put("damaged", { arn: eks("damaged"), revisions: [] });
    const selected = await select({ channel: "early" });
    expect(selected.map(({ name, unreadable, place }) => [name, unreadable?.code, place])).toEqual([
      ["damaged", "cluster-invalid", {}],
      ["shop", undefined, expect.objectContaining({ cluster: "shop-eks" })],
    ]);
    expect(selected[0]?.record).toBeUndefined();
  });

  it("refuses a name that is not registered, with the nearest one, and a selection of none", async () => {
    await expect(select({ clusters: ["web", "shob"] })).rejects.toMatchObject({
      code: "cluster-unknown",
      path: "shob",
      message: 'There is no registered cluster shob, did you mean "shop" (outrigger clusters)',
    });
    await expect(select({ channel: "late" })).rejects.toThrow(
      "There is no registered cluster that channel late serves below /outrigger/dev/clusters (outrigger clusters)",
    );
    for (const { name } of await select({ all: true }))
      await deployment.store.deleteParameters([deployment.target.layout.cluster(name)]);
    await expect(select({ all: true })).rejects.toThrow(
      "There is no registered cluster below /outrigger/dev/clusters (outrigger clusters)",
    );
  });
});
