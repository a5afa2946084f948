// The inject function as its environment configures it, before Parameter Store over HTTP.
import { readRelease } from "outrigger:bundled-release";
import { SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { type FakeServer, inBucket, startFakeServer } from "@outrigger/fake-aws";
import { compileRelease } from "@outrigger/injector";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventOf } from "../../test/support/gateway-event.ts";
import { readMetrics } from "../../test/support/read-metrics.ts";
import { shippedTree } from "../../test/support/shipped-tree.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";
import { storeHandler } from "./store-handler.ts";

const EVENT = eventOf({
  object: { spec: { containers: [{ name: "a", image: "a" }] } },
  namespace: "shop",
  path: `/t/${tokenOf("east-new-")}/inject`,
});

/** Adds the host's processes to pods with one annotation, which no sample has. */
const GREEDY = {
  config: "defaultTemplates: [sidecar, greedy]",
  "templates/greedy": '{{#if (eq (lookup metadata.annotations "greedy") "yes")}}\nspec:\n  hostPID: true\n{{/if}}\n',
};

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
  const clusters = {
    east: clusterOf([tokenOf("east-"), tokenOf("east-new-")]),
    west: clusterOf([tokenOf("west-")], { revisions: { default: "canary" } }),
  };
  const releases = { "0123456789ab": readRelease(), ba9876543210: compileRelease([await shippedTree(), GREEDY]) };
  const channels = { stable: "0123456789ab", canary: "ba9876543210" };
  const store = ssmParameterStore(client, inBucket("releases", server.objects));
  await writeSnapshot(store, snapshotOf({ clusters, channels, releases }), { tier: "Advanced" });
  client.destroy();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

/** Returns the metrics of two calls of one container, with what they are about. */
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

/** Calls for a pod with annotations, as cluster west does. */
function callerOf(handler: ReturnType<typeof storeHandler>) {
  return (annotations: Readonly<Record<string, string>>) => {
    const object = { metadata: { annotations }, spec: { containers: [{ name: "a", image: "a" }] } };
    return handler(eventOf({ object, namespace: "shop", path: `/t/${tokenOf("west-")}/inject` }));
  };
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

  it("serves on where the setting has an entry that it does not know, and names it in the log and in what it refuses", async () => {
    const lines: string[] = [];
    const handler = storeHandler({
      env: { ...process.env, OUTRIGGER_PREFIX: PREFIX, OUTRIGGER_GUARDRAILS: "baseline,hostProcesses:yes" },
      bundled: { digest: "bundled", read: readRelease },
      write: (line) => lines.push(line),
      now: () => performance.now(),
    });
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
      level: "error",
      message: expect.stringContaining("hostProcesses:yes"),
    });
    const call = callerOf(handler);
    expect(await call({})).toMatchObject({ statusCode: 200 });
    expect(await call({ greedy: "yes" })).toMatchObject({
      statusCode: 500,
      body: expect.stringContaining("hostProcesses:yes"),
    });
  });

  it("fails, and counts by that reason, where templates add what the guardrails do not admit; every other pod is injected", async () => {
    const lines: string[] = [];
    const handler = storeHandler({
      env: { ...process.env, OUTRIGGER_PREFIX: PREFIX, OUTRIGGER_STAGE: "test", OUTRIGGER_GUARDRAILS: "baseline" },
      bundled: { digest: "bundled", read: readRelease },
      write: (line) => lines.push(line),
      now: () => performance.now(),
    });
    const call = callerOf(handler);
    expect(await call({})).toMatchObject({ statusCode: 200 });
    expect(await call({ greedy: "yes" })).toMatchObject({ statusCode: 500, body: expect.stringContaining("hostPID") });
    const [, line = ""] = lines;
    expect(JSON.parse(line)).toMatchObject({ level: "error", decision: "failed", reason: "guardrail-violated" });
    expect(readMetrics(line)).toContainEqual(
      expect.objectContaining({ name: "Decisions", dimensions: { Stage: "test", Reason: "guardrail-violated" } }),
    );
  });

  it("serves on with guardrails that a later version wrote: entries that it does not know allow nothing, and are named in the log", async () => {
    const lines: string[] = [];
    const handler = storeHandler({
      env: {
        ...process.env,
        OUTRIGGER_PREFIX: PREFIX,
        OUTRIGGER_GUARDRAILS: "baseline,hostPID,teleport:/run/x,galaxy:a hostPath:/run/y",
      },
      bundled: { digest: "bundled", read: readRelease },
      write: (line) => lines.push(line),
      now: () => performance.now(),
    });
    const call = callerOf(handler);
    expect(await call({})).toMatchObject({ statusCode: 200 });
    // What the entries that it knows allow is allowed.
    expect(await call({ greedy: "yes" })).toMatchObject({ statusCode: 200 });
    const [line = ""] = lines;
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      event: "store",
      code: "config-invalid",
      path: "guardrails",
      message: expect.stringMatching(/"teleport:\/run\/x", "galaxy:a hostPath:\/run\/y".*outrigger deploy/),
    });
  });
});
