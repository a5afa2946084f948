// What is stored, served through the handler: who gets what, with how many calls, and what happens to a request when the
// store is in trouble. Time is the test's own.
import { readRelease } from "outrigger:bundled-release";
import { type JsonObject, once } from "@outrigger/base";
import { type Fault, fakeParameterStore, type ParameterTable } from "@outrigger/fake-aws";
import { loadRelease, RELEASE_FORMAT, type Release } from "@outrigger/injector";
import { type ClusterRecord, type Snapshot, serveStore } from "@outrigger/serving";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventOf } from "../../../test/support/gateway-event.ts";
import { sleep } from "../../../test/support/sleep.ts";
import { clusterOf, LAYOUT, PREFIX, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import { type VirtualClock, virtualClock } from "../../../test/support/virtual-clock.ts";
import { type Handler, handlerOf } from "../api-gateway.ts";

const TTL = 10_000;

const bundled = readRelease();
/** Releases that can be distinguished by an annotation of the pods that they inject. */
const stable = marked("stable");
const canary = marked("canary");

function marked(mark: string): Release {
  return { ...bundled, config: { ...bundled.config, injectedAnnotations: { mark } } };
}

/** A hundred clusters, one of them on canary. */
const clusters: Readonly<Record<string, ClusterRecord>> = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [
    `c${index}`,
    clusterOf([tokenOf(`c${index}-`)], { revisions: { default: index === 7 ? "canary" : "stable" } }),
  ]),
);
const IMAGE = snapshotOf({ clusters, channels: { stable: "s1", canary: "k1" }, releases: { s1: stable, k1: canary } });

let clock: VirtualClock;
let latency: number;
let fault: Fault | undefined;
let store: ReturnType<typeof fakeParameterStore>;
let table: ParameterTable;

beforeAll(async () => {
  const published = fakeParameterStore();
  await writeSnapshot(published, IMAGE, { tier: "Advanced" });
  table = published.table();
});

beforeEach(() => {
  clock = virtualClock();
  latency = 10;
  fault = undefined;
  store = storeWith({ table });
});

function storeWith(options: { readonly table?: ParameterTable }) {
  return fakeParameterStore({
    ...options,
    now: clock.now,
    fault: () => fault,
    around: async (_call, perform) => {
      if (latency > 0) await sleep(latency, clock);
      return perform();
    },
  });
}

async function publish(snapshot: Snapshot, mirror = true): Promise<void> {
  await clock.settle(writeSnapshot(store, snapshot, { tier: "Advanced", mirror }));
  store.forgetCalls();
}

interface Container {
  readonly call: (path: string, timeout?: string) => Promise<Answer>;
  readonly lines: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** The annotation's value that shows which release injected. */
  readonly mark: string | undefined;
  readonly pod: JsonObject;
  readonly warnings: readonly string[] | undefined;
  readonly log: JsonObject;
  readonly milliseconds: number;
}

/** A process of the function, its first read begun. */
function container({ fallback = true, ttl = TTL } = {}): Container {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { find, live } = serveStore({
    prefix: PREFIX,
    ttl,
    bundled: fallback ? once(() => ({ digest: "bundled", injector: loadRelease(bundled) })) : undefined,
    reader: store,
    clock,
    random: () => 0.5,
    report: ({ code, message }) => write(JSON.stringify({ event: "store", code, message })),
  });
  live.start();
  const handler = handlerOf({ find, now: clock.now }, write);
  return { lines, call: (path, timeout = "10s") => answerOf(handler, path, timeout, lines) };
}

async function answerOf(handler: Handler, path: string, timeout: string, lines: readonly string[]): Promise<Answer> {
  const event = eventOf({ object: { spec: { containers: [{ name: "a", image: "a" }] } }, namespace: "shop", path });
  const started = clock.now();
  const result = await clock.settle(handler({ ...event, queryStringParameters: { timeout } }));
  const milliseconds = clock.now() - started;
  const { response } = result.statusCode === 200 ? JSON.parse(result.body) : { response: {} };
  const patch = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString() || "[]");
  const annotations = patch.find(({ path }: JsonObject) => path === "/metadata")?.value.annotations;
  return {
    status: result.statusCode,
    retryAfter: result.headers["retry-after"],
    body: result.body,
    mark: response.allowed === true ? (annotations?.mark ?? "bundled") : undefined,
    pod: patch,
    warnings: response.warnings,
    log: JSON.parse(lines.at(-1) as string),
    milliseconds,
  };
}

/** What a pod of the release in the artifact is known by. */
const FALLBACK = "injected by the release in the artifact: no published one could be read; restart the pod later";
const ANNOTATED = expect.arrayContaining([
  expect.objectContaining({
    path: "/metadata",
    value: expect.objectContaining({ annotations: expect.objectContaining({ "outrigger/fallback": "bundled" }) }),
  }),
]);

const pathOf = (cluster: string, rest = "") => `/t/${tokenOf(`${cluster}-`)}${rest}/inject`;
const calls = () => store.calls().GetParameters ?? 0;

describe("calls, with 100 clusters, one of them on canary", () => {
  it("takes one for a cold start in the common case", async () => {
    const { call } = container();
    expect(await call(pathOf("c1"))).toMatchObject({ mark: "stable", milliseconds: 10 });
    expect(await call(pathOf("c7"))).toMatchObject({ mark: "canary", milliseconds: 0 });
    expect([calls(), store.calls().GetParametersByPath]).toEqual([1, undefined]);
  });

  it("takes two for a cold start while a commit is being written, of which the second is the bucket's", async () => {
    await publish({ ...IMAGE, seq: 2, channels: { ...IMAGE.channels, stable: "k1" } }, false);
    expect(await container().call(pathOf("c1"))).toMatchObject({ mark: "canary", milliseconds: 10 });
    expect([calls(), store.objects.objectCalls()["GetObject"]]).toEqual([1, 1]);
  });

  it("takes one per TTL and two per change in a warm container", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    store.forgetCalls();
    const minutes = 10;
    const changes = [60, 200, 340];
    let seq = 1;
    for (let second = 0; second < minutes * 60; second++) {
      await clock.advance(1000);
      const before = calls();
      if (changes.includes(second)) {
        seq += 1;
        latency = 0;
        const releases = { s1: stable, k1: canary, [`n${seq}`]: marked(`n${seq}`) };
        await clock.settle(
          writeSnapshot(
            store,
            { ...IMAGE, seq, releases, channels: { stable: `n${seq}`, canary: "k1" } },
            { tier: "Advanced" },
          ),
        );
        latency = 10;
      }
      expect(await call(pathOf("c1"))).toMatchObject({ status: 200 });
      expect(calls() - before).toBeLessThanOrEqual(3);
    }
    expect((await call(pathOf("c1"))).mark).toBe("n4");
    expect(calls()).toBeLessThanOrEqual((minutes * 60_000) / TTL + 2 * changes.length);
    expect(calls()).toBeGreaterThan(40);
  });

  it("takes none for tokens that are not known", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    store.forgetCalls();
    for (const path of ["/inject", "/t/short/inject", pathOf("unknown"), "/elsewhere"]) {
      expect(await call(path)).toMatchObject({ status: 404, body: "Not found\n", milliseconds: 0 });
    }
    expect(calls()).toBe(0);
  });

  it("takes none for what is no token, in a container that has read nothing yet", async () => {
    fault = { kind: "hang" };
    const { call } = container();
    for (const path of ["/inject", "/t/short/inject", "/t//inject", `/t/${"x".repeat(44)}/inject`, "/elsewhere"]) {
      expect(await call(path)).toMatchObject({ status: 404, body: "Not found\n", milliseconds: 0 });
    }
    expect(calls()).toBe(1);
  });
});

describe("who is served what", () => {
  it("serves a cluster that was registered just now, in a container without other callers", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    await publish({ ...IMAGE, seq: 2, clusters: { ...clusters, late: clusterOf([tokenOf("late-")]) } });
    await clock.advance(2 * TTL);
    expect(await call(pathOf("late"))).toMatchObject({ status: 200, mark: "stable" });
  });

  it("costs a read per TTL when it is flooded with tokens, and gives them all the same answer", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    store.forgetCalls();
    const answers = new Set<string>();
    const minutes = 5;
    for (let second = 0; second < minutes * 60; second++) {
      for (let guess = 0; guess < 4; guess++) {
        const { status, body } = await call(pathOf(`guess-${second}-${guess}`));
        answers.add(`${status} ${body}`);
      }
      await clock.advance(1000);
    }
    expect([...answers]).toEqual(["404 Not found\n"]);
    expect(calls()).toBeLessThanOrEqual((minutes * 60_000) / TTL);
  });

  it("refuses a token when it has been retired, and takes either of two", async () => {
    const two = { ...clusters, c1: clusterOf([tokenOf("c1-"), tokenOf("next-")]) };
    await publish({ ...IMAGE, seq: 2, clusters: two });
    const { call } = container();
    expect((await call(pathOf("c1"))).log).toMatchObject({
      cluster: "c1",
      tokenSlot: 1,
      served: "current",
      release: "s1",
    });
    expect((await call(pathOf("next"))).log).toMatchObject({ cluster: "c1", tokenSlot: 2 });
    await publish({ ...IMAGE, seq: 3, clusters: { ...clusters, c1: clusterOf([tokenOf("next-")]) } });
    await clock.advance(2 * TTL);
    expect((await call(pathOf("c1"))).status).toBe(404);
    expect((await call(pathOf("next"))).status).toBe(200);
  });

  it("serves a revision from its channel, under its name", async () => {
    const revisions = { default: "stable", next: "canary" };
    await publish({ ...IMAGE, seq: 2, clusters: { c1: clusterOf([tokenOf("c1-")], { revisions }) } });
    const { call } = container();
    expect((await call(pathOf("c1"))).mark).toBe("stable");
    const answer = await call(pathOf("c1", "/r/next"));
    expect(answer).toMatchObject({ mark: "canary", warnings: undefined });
    expect(JSON.stringify(answer.pod)).toContain('"istio.io/rev":"next"');
  });

  it("serves a revision that is not registered as the default one, with a warning", async () => {
    const answer = await container().call(pathOf("c1", "/r/gone"));
    expect(answer).toMatchObject({
      mark: "stable",
      warnings: ["revision gone is not registered for this cluster: injected as its default revision"],
    });
    expect(JSON.stringify(answer.pod)).not.toContain('"istio.io/rev":"gone"');
    expect((await container().call(pathOf("c1", "/r/constructor"))).mark).toBe("stable");
  });

  it("fails when a cluster has neither the revision nor a default one", async () => {
    const record = clusterOf([tokenOf("c1-")], { revisions: { next: "stable" } });
    await publish({ ...IMAGE, seq: 2, clusters: { c1: record } });
    expect(await container().call(pathOf("c1"))).toMatchObject({
      status: 500,
      retryAfter: undefined,
      body: 'Cannot serve cluster "c1": it has no revision "default" and none called "default"; register it with one\n',
      log: { reason: "cluster-invalid", cluster: "c1", uid: "705ab4f5-6393-11e8-b7cc-42010a800002" },
    });
  });

  it("fails by name when the cluster's record is damaged, and serves the other clusters", async () => {
    const damaged = { ...clusterOf([tokenOf("c1-")]), revisions: { Default: "stable" } };
    await publish({ ...IMAGE, seq: 2, clusters: { ...clusters, c1: damaged } });
    const { call } = container();
    const problem = expect.stringMatching(
      /^Cannot use "revisions" of c1 in outrigger\/test\/.*; register the cluster again/,
    );
    expect(await call(pathOf("c1"))).toMatchObject({
      status: 500,
      body: problem,
      log: { reason: "cluster-invalid", storeError: "cluster-invalid", error: { code: "cluster-invalid" } },
    });
    expect((await call(pathOf("c2"))).mark).toBe("stable");
  });

  it("fails when a channel has no release", async () => {
    const record = clusterOf([tokenOf("c1-")], { revisions: { default: "empty" } });
    await publish({ ...IMAGE, seq: 2, clusters: { c1: record } });
    expect(await container().call(pathOf("c1"))).toMatchObject({
      status: 500,
      body: 'Cannot serve channel "empty": it has no release; publish to it, or register the cluster on another\n',
      log: { reason: "channel-unknown" },
    });
  });

  it.each<[Partial<ClusterRecord>, boolean]>([
    [{}, true],
    [{ kubernetesVersion: "1.33" }, true],
    [{ kubernetesVersion: "1.32" }, false],
    [{ kubernetesVersion: "1.32", nativeSidecars: true }, true],
    [{ kubernetesVersion: "1.34", nativeSidecars: false }, false],
  ])("injects native sidecars or not as the cluster's record has it: %j", async (record, isNative) => {
    await publish({ ...IMAGE, seq: 2, clusters: { c1: clusterOf([tokenOf("c1-")], { ...record, network: "n9" }) } });
    const text = JSON.stringify((await container().call(pathOf("c1"))).pod);
    expect(text.includes('"restartPolicy":"Always"')).toBe(isNative);
    expect(text).toContain('{"name":"ISTIO_META_NETWORK","value":"n9"}');
  });
});

describe("a release that cannot be loaded", () => {
  const unknown = { ...stable, format: RELEASE_FORMAT + 1 };
  const broken = { ...stable, templates: null } as unknown as Release;

  it.each([
    ["is of a newer format", unknown],
    ["is not what it should be", broken],
  ])("keeps serving the one before, and every other channel, when it %s", async (_what, release) => {
    const { call, lines } = container();
    await call(pathOf("c7"));
    const releases = { ...IMAGE.releases, u1: release, s2: marked("s2") };
    await publish({ ...IMAGE, seq: 2, channels: { stable: "s2", canary: "u1" }, releases });
    await clock.advance(2 * TTL);
    expect((await call(pathOf("c1"))).mark).toBe("s2");
    const answer = await call(pathOf("c7"));
    expect(answer).toMatchObject({ mark: "canary", log: { release: "k1", storeError: "release-unsupported" } });
    await publish({ ...IMAGE, seq: 3, channels: { stable: "s2", canary: "s2" }, releases: { s2: marked("s2") } });
    await clock.advance(2 * TTL);
    const repaired = await call(pathOf("c7"));
    expect(repaired.mark).toBe("s2");
    expect(repaired.log["storeError"]).toBeUndefined();
    expect(lines.filter((line) => line.includes('"event":"store"'))).toHaveLength(1);
  });

  it("serves the one before even if it was never requested", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    await publish({
      ...IMAGE,
      seq: 2,
      channels: { stable: "s1", canary: "u1" },
      releases: { s1: stable, u1: unknown },
    });
    await clock.advance(2 * TTL);
    expect((await call(pathOf("c7"))).mark).toBe("canary");
  });

  it("is replaced with the bundled one in a new container, with the cluster's own settings", async () => {
    const east = clusterOf([tokenOf("east-")], { network: "n9" });
    await publish({ ...IMAGE, seq: 2, clusters: { east }, releases: { s1: unknown, k1: canary } });
    const answer = await container().call(pathOf("east"));
    expect(answer).toMatchObject({
      mark: "bundled",
      log: { cluster: "east", release: "bundled", served: "bundled", storeError: "release-unsupported" },
      warnings: [FALLBACK],
      pod: ANNOTATED,
    });
    expect(JSON.stringify(answer.pod)).toContain('"value":"n9"');
    expect(await container({ fallback: false }).call(pathOf("east"))).toMatchObject({
      status: 500,
      retryAfter: undefined,
      log: { reason: "release-unsupported", cluster: "east" },
    });
  });
});

const FAULTS: Readonly<Record<string, Fault>> = {
  failing: { kind: "error", name: "InternalServerError", status: 500 },
  throttling: { kind: "error", name: "ThrottlingException" },
  "denying access": { kind: "error", name: "AccessDeniedException" },
  "refusing the call": { kind: "error", name: "ValidationException" },
  hanging: { kind: "hang" },
  "hanging after the call": { kind: "hang", after: true },
  "resetting connections": { kind: "reset" },
  "answering garbage": { kind: "garbled" },
  "cutting answers off": { kind: "truncated" },
};

describe.each(Object.entries(FAULTS))("with Parameter Store %s", (what, trouble) => {
  it("fails no request that has a release in memory, and answers in time", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    fault = trouble;
    const seen = new Set<unknown>();
    for (let second = 0; second < 150; second += 3) {
      await clock.advance(3000);
      const { status, mark, log, milliseconds } = await call(pathOf("c1"));
      expect([status, mark]).toEqual([200, "stable"]);
      expect(milliseconds).toBeLessThanOrEqual(log["served"] === "stale" ? 2500 : 150);
      seen.add(log["served"]);
    }
    expect([...seen]).toEqual(["current", "stale"]);
    fault = undefined;
    await clock.advance(2 * TTL);
    expect((await call(pathOf("c1"))).log["served"]).toBe("current");
  });

  it("serves the bundled release to a well-formed token when the budget is spent, and what is stored afterwards", async () => {
    fault = trouble;
    const { call, lines } = container();
    const passes = !["denying access", "refusing the call"].includes(what);
    const answer = await call(pathOf("stranger"));
    expect(answer).toMatchObject({ status: 200, mark: "bundled", log: { release: "bundled", served: "bundled" } });
    expect(answer).toMatchObject({ warnings: [FALLBACK], pod: ANNOTATED });
    expect(answer.log["storeError"]).toBe(
      what === "denying access" ? "store-denied" : passes ? "store-unavailable" : "parameter-refused",
    );
    if (passes) expect(answer.milliseconds).toBe(7000);
    else expect(answer.milliseconds).toBeLessThan(20);
    expect((await call("/t/short/inject")).status).toBe(404);
    expect(lines.filter((line) => line.includes('"event":"store"')).length).toBeGreaterThanOrEqual(1);
    expect(lines.join()).not.toContain(tokenOf("stranger-"));
    fault = undefined;
    await clock.advance(2 * TTL);
    const current = await call(pathOf("c1"));
    expect(current).toMatchObject({ mark: "stable", log: { served: "current" }, warnings: undefined });
    expect(JSON.stringify(current.pod)).not.toContain("outrigger/fallback");
    expect((await call(pathOf("stranger"))).status).toBe(404);
  });

  it("fails in time when the bundled release may not be served", async () => {
    fault = trouble;
    const { call } = container({ fallback: false });
    const answer = await call(pathOf("c1"), "4s");
    expect(answer.milliseconds).toBeLessThanOrEqual(2800);
    expect(answer).toMatchObject({
      status: 500,
      // The budget is spent: a repetition would run into the deadline.
      retryAfter: undefined,
      log: { decision: "failed", uid: "705ab4f5-6393-11e8-b7cc-42010a800002", pod: "shop/" },
    });
    fault = undefined;
    await clock.advance(2 * TTL);
    expect((await call(pathOf("c1"))).mark).toBe("stable");
  });

  it.each(["1ms", "1s", "10s", "30s", "100h"])("outlives no deadline of %s", async (timeout) => {
    fault = trouble;
    const deadline = { "1ms": 1, "1s": 1000, "10s": 10_000 }[timeout] ?? 30_000;
    for (const fallback of [true, false]) {
      const { call } = container({ fallback });
      for (let request = 0; request < 3; request++) {
        expect((await call(pathOf("c1"), timeout)).milliseconds).toBeLessThan(deadline);
      }
    }
  });
});

describe("with Parameter Store slow", () => {
  it("waits up to 150 ms of a request, and uses an answer that arrives later", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    await publish({ ...IMAGE, seq: 2, channels: { stable: "k1", canary: "k1" }, releases: { k1: canary } });
    latency = 600;
    await clock.advance(2 * TTL);
    expect(await call(pathOf("c1"))).toMatchObject({ mark: "stable", milliseconds: 150 });
    expect(await call(pathOf("c1"))).toMatchObject({ mark: "stable", milliseconds: 0 });
    await clock.advance(1200);
    expect((await call(pathOf("c1"))).mark).toBe("canary");
  });

  it("waits for the first answer as long as the budget lasts", async () => {
    latency = 1900;
    expect(await container().call(pathOf("c1"))).toMatchObject({ mark: "stable", milliseconds: 1900 });
  });
});

describe("before anything was published", () => {
  beforeEach(() => {
    store = storeWith({});
  });

  it("refuses calls with the reason, and serves what is published with the next call", async () => {
    const { call, lines } = container();
    for (let calls = 0; calls < 3; calls++) {
      const { status, mark, milliseconds } = await call(pathOf("c1"));
      expect({ status, mark }).toEqual({ status: 500, mark: undefined });
      expect(milliseconds).toBeLessThanOrEqual(500 + 2 * latency);
    }
    expect(lines[0]).toContain(`there is no ${PREFIX}/serve/head; publish first`);
    await publish(IMAGE);
    expect(await call(pathOf("c1"))).toMatchObject({ mark: "stable" });
  });

  it("refuses calls also where the store does not answer after that", async () => {
    const { call } = container();
    await call(pathOf("c1"));
    fault = { kind: "error", name: "InternalServerError", status: 500 };
    expect((await call(pathOf("c1"))).mark).toBeUndefined();
    expect((await container().call(pathOf("c1"))).mark).toBe("bundled");
  });

  it("serves what is published where the head alone is gone, and the bundled release where the bucket's is too", async () => {
    await publish(IMAGE);
    await clock.settle(store.deleteParameters([LAYOUT.head]));
    expect((await container().call(pathOf("c1"))).mark).toBe("stable");
    await clock.settle(store.objects.deleteObject(LAYOUT.bucketHead));
    expect((await container().call(pathOf("c1"))).mark).toBe("bundled");
  });
});
