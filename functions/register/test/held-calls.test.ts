// Every call that registering makes, held open forever, one by one: CloudFormation is answered in time all the same.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab } from "../../../test/eks/cluster-lab.ts";
import type { CloudFormationResponse } from "../../cloudformation-response.ts";
import { type RegisterDependencies, registerHandler } from "../handler.ts";

let lab: ClusterLab;
beforeEach(async () => {
  lab = await openClusterLab();
  // No namespace takes a probe: the API server does not trust the certificate here.
  lab.api.objects.delete("/api/v1/namespaces/default");
});
afterEach(() => lab.close());

function holding(held: number) {
  let calls = 0;
  const wrap = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]) => {
        if (typeof member !== "function" || ["randomBytes", "now", "report"].includes(name)) return [name, member];
        return [name, (...input: unknown[]) => (calls++ === held ? new Promise(() => {}) : member(...input))];
      }),
    ) as Port;
  const { kube, ...ports } = lab.ports;
  const eks = { region: "eu-west-1", server: "", ca: "", kubernetesVersion: "1.33", isPublic: true };
  const outside = wrap({
    connect: async () => ({ description: { ...CLUSTER, ...eks }, kube: wrap(kube) }),
    isCanaryFailing: async () => false,
  }) as Pick<RegisterDependencies, "connect" | "isCanaryFailing">;
  const all: RegisterDependencies["ports"] = wrap({ ...ports, selfTest: async () => ({ addsProxy: true }) });
  return { ...outside, ports: all, calls: () => calls };
}

describe("registerHandler()", { timeout: 120_000 }, () => {
  it.each(["Create", "Delete"])("answers a %s, whichever call never answers", async (RequestType) => {
    const { calls, answer } = await asked(RequestType, Number.POSITIVE_INFINITY, 60_000);
    expect(answer).toMatchObject({ status: "SUCCESS" });
    expect(calls).toBeGreaterThan(RequestType === "Create" ? 10 : 2);
    for (let held = 0; held < calls; held++) {
      const { answer: late } = await asked(RequestType, held, ENOUGH);
      expect([held, late?.status]).toEqual([held, expect.stringMatching(/^(SUCCESS|FAILED)$/)]);
    }
  });
});

/** Milliseconds for the calls up to the one that is held. */
const ENOUGH = 100;

async function asked(RequestType: string, held: number, time: number) {
  const { calls, ...dependencies } = holding(held);
  const answers: CloudFormationResponse[] = [];
  const handler = registerHandler({
    deployment: "dev",
    url: lab.webhook.url,
    ...dependencies,
    respond: async ({ response }) => void answers.push(response),
    write: () => {},
  });
  const event = {
    RequestType,
    ResponseURL: "https://x.amazonaws.com/y",
    StackId: "arn:stack",
    RequestId: "1",
    LogicalResourceId: "Shop",
    PhysicalResourceId: `outrigger/dev/${CLUSTER.name}/default`,
    ResourceProperties: { ServiceToken: "arn", Cluster: CLUSTER.name, Phase: "cluster" },
  };
  // First for the work, of which the handler keeps 90 seconds, then for all, of which it keeps 15.
  const left = [90_000 + time, 15_000 + time];
  await handler(event, { getRemainingTimeInMillis: () => left.shift() ?? 15_000 });
  return { calls: calls(), answer: answers.at(-1) };
}
