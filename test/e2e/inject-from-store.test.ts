// The bundle that is deployed, on the Node that it is deployed on, before a Parameter Store on loopback: what only the real
// way there can get wrong.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { readRelease } from "outrigger:bundled-release";
import {
  createFakeService,
  type FakeServer,
  type Fault,
  fakeObjectStore,
  fakeParameterStore,
  startFakeServer,
} from "@outrigger/fake-aws";
import { afterEach, describe, expect, inject, it } from "vitest";
import { eventOf } from "../support/gateway-event.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../support/stored-snapshot.ts";
import { tokenOf } from "../support/tokens.ts";

/** The bucket's name. */
const BUCKET = "team-releases";
const TOKEN = tokenOf("east-");
const bundled = readRelease();
const stored = { ...bundled, config: { ...bundled.config, injectedAnnotations: { from: "store" } } };
const snapshot = snapshotOf({ releases: { s1: stored }, clusters: { east: clusterOf([TOKEN]) } });

let server: FakeServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** @param faults what goes wrong with the first calls of Parameter Store, in their order */
async function start(
  faults: readonly Fault[],
  { mirror = true, isBucketOpen = false }: { readonly mirror?: boolean; readonly isBucketOpen?: boolean } = {},
) {
  const published = fakeParameterStore();
  await writeSnapshot(published, snapshot, { mirror });
  const waiting = [...faults];
  const stored = [...published.objects.objectTable()].map(([key, object]) => [`${BUCKET}/${key}`, object] as const);
  const bucket = fakeObjectStore({
    objects: new Map(stored),
    fault: () => (isBucketOpen ? undefined : { kind: "error", name: "AccessDenied", status: 403 }),
  });
  server = await startFakeServer({
    service: createFakeService({ table: published.table(), fault: () => waiting.shift() }),
    objects: bucket,
  });
  return { ...server, bucket };
}

const CALL = `
const { handler } = require(process.argv[1]);
handler(JSON.parse(process.argv[2]), {}).then((result) => console.log(JSON.stringify(result)));
`;

/** Standard output holds the function's log, then what it returned. */
async function invoke({ url }: Pick<FakeServer, "url">, env: Readonly<Record<string, string>> = {}) {
  const pod = { metadata: { name: "hello" }, spec: { containers: [{ name: "hello", image: "hello:1" }] } };
  const event = eventOf({ object: pod, namespace: "shop", path: `/t/${TOKEN}/inject` });
  const { stdout } = await promisify(execFile)(
    inject("deployedNode"),
    ["-e", CALL, resolve("dist/functions/inject/index.cjs"), JSON.stringify(event)],
    {
      env: {
        PATH: process.env["PATH"],
        AWS_ENDPOINT_URL_SSM: url,
        AWS_ENDPOINT_URL_S3: url,
        OUTRIGGER_RELEASE_BUCKET: BUCKET,
        AWS_REGION: "eu-central-1",
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "secret",
        OUTRIGGER_PREFIX: PREFIX,
        OUTRIGGER_STAGE: "test",
        ...env,
      },
    },
  );
  const lines = stdout.trim().split("\n");
  const result = JSON.parse(lines.at(-1) as string) as { readonly statusCode: number; readonly body: string };
  return { result, lines: lines.slice(0, -1).map((line) => JSON.parse(line)) };
}

function isFromStore(body: string): boolean {
  const patch = Buffer.from(JSON.parse(body).response.patch, "base64").toString("utf8");
  return patch.includes('"from":"store"');
}

describe("functions/inject, bundled, with a Parameter Store", () => {
  it("serves what is stored after one call", async () => {
    const store = await start([]);
    const { result, lines } = await invoke(store);
    expect(isFromStore(result.body)).toBe(true);
    expect(lines).toMatchObject([
      {
        decision: "injected",
        cluster: "east",
        release: "s1",
        served: "current",
        tokenSlot: 1,
        cold: true,
        Stage: "test",
      },
    ]);
    expect(store.service.calls()).toEqual({ GetParameters: 1 });
    expect(JSON.stringify(lines)).not.toContain(TOKEN);
  });

  it("takes a second call when the mirror is not of one piece", async () => {
    const store = await start([], { mirror: false, isBucketOpen: true });
    expect(isFromStore((await invoke(store)).result.body)).toBe(true);
    expect(store.service.calls()).toEqual({ GetParameters: 1 });
    // A machine that lets Parameter Store be late has the bucket's head read next to it: two calls more.
    expect([1, 3]).toContain(store.bucket.objectCalls()["GetObject"]);
  });

  it.each<[string, string, Fault]>([
    ["throttled", "store-unavailable", { kind: "error", name: "ThrottlingException" }],
    ["denied", "store-denied", { kind: "error", name: "AccessDeniedException" }],
    ["cut off", "store-unavailable", { kind: "reset" }],
  ])("serves what is published from the bucket, and says why, when a call is %s", async (_what, code, fault) => {
    const store = await start([fault], { isBucketOpen: true });
    const { result, lines } = await invoke(store);
    expect(isFromStore(result.body)).toBe(true);
    expect(lines).toMatchObject([
      { event: "store", level: "error", code },
      { decision: "injected", storeError: code, served: "current" },
    ]);
    expect([store.service.calls(), store.bucket.objectCalls()]).toEqual([{ GetParameters: 1 }, { GetObject: 2 }]);
  });

  it.each<[string, Fault]>([
    ["throttled", { kind: "error", name: "ThrottlingException" }],
    ["met by a fault of the service", { kind: "error", name: "InternalServerError", status: 500 }],
    ["cut off", { kind: "reset" }],
    ["answered with half an answer", { kind: "truncated" }],
    ["answered with garbage", { kind: "garbled" }],
  ])("tries again, by itself, when a call is %s and the bucket cannot be read", async (_what, fault) => {
    const store = await start([fault]);
    const { result, lines } = await invoke(store);
    expect(isFromStore(result.body)).toBe(true);
    expect(lines).toMatchObject([
      { event: "store", level: "error", code: "store-unavailable" },
      { decision: "injected", storeError: "store-unavailable", served: "current" },
    ]);
    expect(store.service.calls()).toEqual({ GetParameters: 2 });
  });

  it("fails, so that failurePolicy decides, when it may not read and no fallback was asked for", async () => {
    const store = await start([{ kind: "error", name: "AccessDeniedException", message: "not authorized" }]);
    const { result, lines } = await invoke(store);
    expect(result.statusCode).toBe(500);
    expect(lines.at(-1)).toMatchObject({ decision: "failed", reason: "store-denied" });
  });

  it("serves the bundled release at once where that is on, and says why, when it may not read", async () => {
    const denied: Fault = { kind: "error", name: "AccessDeniedException", message: "not authorized" };
    const store = await start([denied]);
    const { result, lines } = await invoke(store, { OUTRIGGER_BUNDLED_FALLBACK: "on" });
    expect(isFromStore(result.body)).toBe(false);
    expect(lines).toMatchObject([
      {
        event: "store",
        code: "store-denied",
        message: expect.stringContaining("AccessDeniedException: not authorized"),
      },
      { decision: "injected", storeError: "store-denied", served: "bundled" },
    ]);
    expect(store.service.calls()).toEqual({ GetParameters: 1 });
  });

  it("takes its settings from its environment, and what cannot be read of them as if it were not there", async () => {
    const store = await start([]);
    const { result, lines } = await invoke(store, { OUTRIGGER_TTL_SECONDS: "soon" });
    expect(result.statusCode).toBe(200);
    expect(lines[0]).toMatchObject({ code: "config-invalid", path: "OUTRIGGER_TTL_SECONDS" });
  });
});
