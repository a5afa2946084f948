// The inject function as its environment configures it, before Parameter Store over HTTP.
import { readRelease } from "outrigger:bundled-release";
import { SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { type FakeServer, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventOf } from "../../test/support/gateway-event.ts";
import { readMetrics } from "../../test/support/read-metrics.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";
import { storeHandler } from "./store-handler.ts";

const EVENT = eventOf({
  object: { spec: { containers: [{ name: "a", image: "a" }] } },
  namespace: "shop",
  path: `/t/${tokenOf("east-new-")}/inject`,
});

let server: FakeServer;

beforeAll(async () => {
  server = await startFakeServer();
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL: server.url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "b",
  })) {
    vi.stubEnv(name, value);
  }
  const client = new SSMClient({});
  const clusters = { east: clusterOf([tokenOf("east-"), tokenOf("east-new-")]) };
  await writeSnapshot(ssmParameterStore(client), snapshotOf({ clusters, releases: { "0123456789ab": readRelease() } }));
  client.destroy();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

/** Two calls of one container: the metrics of each, with what they are about. */
async function metricsOf(env: Readonly<Record<string, string>>): Promise<readonly (readonly string[])[]> {
  const lines: string[] = [];
  const handler = storeHandler({
    env: { ...process.env, OUTRIGGER_PREFIX: PREFIX, ...env },
    bundled: { digest: "bundled", read: readRelease },
    write: (line) => lines.push(line),
    now: () => performance.now(),
  });
  expect([(await handler(EVENT)).statusCode, (await handler(EVENT)).statusCode]).toEqual([200, 200]);
  expect(lines).toHaveLength(2);
  return lines.map((line) =>
    readMetrics(line).map(({ name, dimensions }) => [name, ...Object.values(dimensions)].join(" ")),
  );
}

describe("storeHandler()", () => {
  it("counts calls by stage, cluster, token and release when the deployment has a name", async () => {
    const [first, second] = await metricsOf({ OUTRIGGER_STAGE: "test" });
    expect(second).toEqual([
      "Latency test",
      "Injected test",
      "Decisions test injected",
      "Calls test east",
      "TokenCalls test east 2",
      "Served test east 0123456789ab",
      "Injected test 0123456789ab",
    ]);
    expect(first?.filter((metric) => !second?.includes(metric))).toEqual(["ColdStart test"]);
  });

  it("measures latency by cluster when it is asked to", async () => {
    const [, second] = await metricsOf({ OUTRIGGER_STAGE: "test", OUTRIGGER_CLUSTER_LATENCY: "on" });
    expect(second).toContain("Latency test east");
  });

  it("counts nothing when the deployment has no name", async () => {
    expect(await metricsOf({})).toEqual([[], []]);
  });
});
