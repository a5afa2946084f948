// The deployed zips under Lambda's own runtime interface client, on the deployed Node: what Lambda does to a process between
// and during invocations, with a Parameter Store that is slow, hangs, or drops its connections meanwhile.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readRelease } from "outrigger:bundled-release";
import type { Fault } from "@outrigger/fake-aws";
import { type FakeParameterStore, type FakeServer, fakeParameterStore, startFakeServer } from "@outrigger/fake-aws";
import type { Pod } from "@outrigger/pod";
import { applyPatch } from "@outrigger/pod";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { CLIENT_MODULES } from "../../tools/bench/lambda-node.ts";
import { eventOf } from "../support/gateway-event.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../support/stored-snapshot.ts";
import { tokenOf } from "../support/tokens.ts";
import type { Outcome } from "./runtime-api.ts";
import { missingRuntime, runtimeClient, type Sandbox, startSandbox } from "./sandbox.ts";

const missing = missingRuntime();
if (missing !== undefined) console.log(`The functions are not run under Lambda's runtime client (skipped): ${missing}`);

const TOKEN = tokenOf("runtime-");
const POD = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };
const release = readRelease();

let store: FakeParameterStore;
let server: FakeServer;
let fault: Fault | undefined;
let latency = 0;
let sandbox: Sandbox;

beforeAll(async () => {
  if (missing !== undefined) return;
  store = fakeParameterStore({
    fault: ({ operation }) => (operation === "GetParameters" ? fault : undefined),
    latency: ({ operation }) => (operation === "GetParameters" ? latency : 0),
  });
  server = await startFakeServer({ service: store.service });
}, 120_000);

afterAll(async () => {
  await server?.close();
});

afterEach(async () => {
  fault = undefined;
  latency = 0;
  await sandbox?.stop();
});

/** Publishes a release that writes an annotation. */
async function publish(mark: string, seq: number): Promise<void> {
  const marked = { ...release, config: { ...release.config, injectedAnnotations: { mark } } };
  const clusters = { east: clusterOf([TOKEN]) };
  await writeSnapshot(store, snapshotOf({ seq, clusters, releases: { [`release${seq}`]: marked } }), {
    tier: "Advanced",
  });
}

async function start(name = "inject", env: Readonly<Record<string, string>> = {}, traceId?: string): Promise<Sandbox> {
  const settings = {
    AWS_ENDPOINT_URL: server.url,
    AWS_ENDPOINT_URL_SSM: server.url,
    OUTRIGGER_PREFIX: PREFIX,
    OUTRIGGER_STAGE: "test",
    OUTRIGGER_TTL_SECONDS: "1",
    ...env,
  };
  sandbox = await startSandbox(join(inject("artifacts"), `${name}.zip`), settings, traceId);
  return sandbox;
}

function review(object: object = POD, timeout = "10s") {
  const event = eventOf({ object, namespace: "shop", path: `/t/${TOKEN}/inject` });
  return { ...event, queryStringParameters: { timeout } };
}

/** Returns the mark of the release that injected. */
function markOf(outcome: Outcome): string | undefined {
  const { statusCode, body } = answerOf(outcome);
  if (statusCode !== 200) return `status ${statusCode}`;
  const patch = Buffer.from(JSON.parse(body).response.patch ?? "", "base64").toString();
  const { metadata }: Pod = patch === "" ? POD : applyPatch(POD, JSON.parse(patch));
  return metadata?.annotations?.["mark"];
}

function answerOf(outcome: Outcome): { readonly statusCode: number; readonly body: string } {
  if (outcome.kind !== "answer") throw new Error(`There is no answer: ${JSON.stringify(outcome)}`);
  return outcome.value as { readonly statusCode: number; readonly body: string };
}

/** The time that a read in the background may take on a busy machine. */
const READ = { timeout: 60_000, interval: 50 };

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function timed<Value>(work: Promise<Value>): Promise<readonly [Value, number]> {
  const started = performance.now();
  return [await work, performance.now() - started];
}

describe.skipIf(missing !== undefined)("Lambda's runtime client", () => {
  it("loads the modules that a measured cold start begins with, and imports functions", () => {
    const text = readFileSync(runtimeClient(), "utf8");
    const required = [...text.matchAll(/cjsRequire\("(?:node:)?([a-z_]+)"\)/g)].map(([, name]) => name);
    expect([...new Set(required)].sort()).toEqual(CLIENT_MODULES);
    // For these, docs/contributing/adr/0003-bundle-format.md refers to it.
    expect(text).toMatch(/await import\(path3\)/);
    expect(text).toContain('"--expose-gc"');
  });
});

describe.skipIf(missing !== undefined)("a function under Lambda's runtime client", () => {
  it("injects with what is stored, and writes a line for each request", async () => {
    await publish("one", 1);
    const { invoke, log, initErrors } = await start();
    expect(markOf(await invoke(review()))).toBe("one");
    expect(markOf(await invoke(review()))).toBe("one");
    const lines = log().map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ decision: "injected", cold: true }, { decision: "injected" }]);
    expect(initErrors()).toEqual([]);
  });

  it("writes the ID of the trace that the runtime client names, where X-Ray records one", async () => {
    await publish("one", 1);
    const trace = "1-5759e988-bd862e3fe1be46a994272793";
    const { invoke, log } = await start("inject", {}, `Root=${trace};Parent=53995c3f42cd8ad8;Sampled=1`);
    expect(markOf(await invoke(review()))).toBe("one");
    expect(log().map((line) => JSON.parse(line))).toMatchObject([{ decision: "injected", traceId: trace }]);
  });

  it("serves the release of the moment after a freeze, with the connection that the store has closed", async () => {
    await publish("one", 1);
    const { invoke, freeze, starts } = await start();
    expect(markOf(await invoke(review()))).toBe("one");
    await freeze();
    await publish("two", 2);
    server.dropConnections();
    await pause(1500);
    // Frozen for longer than the TTL: the first request waits for the read, for 150 ms at most.
    expect(["one", "two"]).toContain(markOf(await invoke(review())));
    await vi.waitFor(async () => expect(markOf(await invoke(review()))).toBe("two"), READ);
    expect(starts()).toBe(1);
  });

  it("answers while a read is pending, is frozen with it, and forgets it after", async () => {
    await publish("one", 1);
    const { invoke, freeze, log, starts } = await start();
    expect(markOf(await invoke(review()))).toBe("one");
    await pause(1300);
    fault = { kind: "hang" };
    expect(markOf(await invoke(review()))).toBe("one");
    // A read that ends without an answer has a line of its own: this one was still pending.
    expect(log().map((line) => JSON.parse(line).event)).toEqual([undefined, undefined]);
    await freeze();
    await publish("two", 2);
    fault = undefined;
    // Longer than a read may take.
    await pause(5500);
    expect(["one", "two"]).toContain(markOf(await invoke(review())));
    await pause(1300);
    await invoke(review());
    await vi.waitFor(async () => expect(markOf(await invoke(review()))).toBe("two"), READ);
    expect(starts()).toBe(1);
  });

  it("waits for a slow store at its start, and not longer than 70 % of the caller's time", async () => {
    await publish("one", 1);
    latency = 1000;
    const first = await start();
    expect(markOf(await first.invoke(review()))).toBe("one");
    await first.stop();
    fault = { kind: "hang" };
    latency = 0;
    const { invoke } = await start();
    const [outcome, milliseconds] = await timed(invoke(review(POD, "5s")));
    // Nothing was ever read: the call fails in time, and failurePolicy decides.
    expect(markOf(outcome)).toBe("status 500");
    // Of the function's own time it would wait for 21 s; how exact the caller's share is, a test with a virtual clock says.
    expect(milliseconds).toBeLessThan(15_000);
  });

  it("is ended at the function's timeout, and the next request starts a process that serves", async () => {
    await publish("one", 1);
    fault = { kind: "hang" };
    const { invoke, starts } = await start("inject", { OUTRIGGER_BUNDLED_FALLBACK: "off" });
    // A caller that claims to wait for 30 s, and a function that may run for one.
    expect(await invoke(review(POD, "30s"), 1000)).toEqual({ kind: "timeout" });
    fault = undefined;
    expect(markOf(await invoke(review()))).toBe("one");
    expect(starts()).toBe(2);
  });

  it("answers less than the 6 MB that Lambda takes, whatever the pod", async () => {
    await publish("one", 1);
    const { invoke, starts } = await start();
    // The proxy's agent is given every probe of the pod, so the patch is larger than the pod.
    const containers = Array.from({ length: 9000 }, (_, at) => ({
      name: `c-${at}`,
      image: "app",
      ports: [{ name: `p-${at}`, containerPort: at + 1 }],
      livenessProbe: { httpGet: { path: "/live", port: `p-${at}` } },
      readinessProbe: { tcpSocket: { port: `p-${at}` } },
    }));
    const outcome = await invoke(review({ ...POD, spec: { containers } }));
    const { statusCode, body } = answerOf(outcome);
    expect(statusCode).toBe(200);
    const { allowed, status } = JSON.parse(body).response;
    expect([allowed, status.code]).toEqual([false, 422]);
    expect(status.message).toMatch(/The patch for this pod takes \d{7} bytes and may take 6000000/);
    expect(markOf(await invoke(review()))).toBe("one");
    expect(starts()).toBe(1);
  });

  it.each(["publish", "register", "canary"])(
    "%s starts, and an event that means nothing does not end it",
    async (name) => {
      const env = {
        OUTRIGGER_STACK: "arn:aws:cloudformation:us-east-1:123456789012:stack/outrigger-test/1",
        OUTRIGGER_URL: "https://outrigger.example",
        OUTRIGGER_PUBLISHER: "outrigger-test-publish",
        OUTRIGGER_RELEASE_BUCKET: "outrigger-test-releases",
      };
      const { invoke, starts, initErrors } = await start(name, env);
      for (const event of [{}, { a: [] }]) expect((await invoke(event, 10_000)).kind).not.toBe("timeout");
      expect(initErrors()).toEqual([]);
      expect(starts()).toBe(1);
    },
  );
});
