// A storm of cold starts in processes: the zip that is deployed, on the deployed Node under Lambda's own runtime client, each
// container in a runtime interface emulator of its own, before the fakes over HTTP.
//
// No machine holds 2,000 at once. Containers share nothing but the stores, so a few run at a time, and only the stores' limits are
// of the storm: their clock moves on with each container that starts. What waits and asks again is given nothing more by it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ObjectStore } from "@outrigger/aws";
import { createFakeService, fakeObjectStore, fakeParameterStore, inBucket, startFakeServer } from "@outrigger/fake-aws";
import type { Release } from "@outrigger/injector";
import { applyPatch, type Pod } from "@outrigger/pod";
import { unzipSync } from "fflate";
import { buildArtifacts } from "../../scripts/build/package-functions.ts";
import { ENVIRONMENT, runtimeCommand } from "../../test/runtime/sandbox.ts";
import { endProcess } from "../../test/support/end-process.ts";
import { eventOf } from "../../test/support/gateway-event.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";

export interface EmulatedStormOptions {
  /** The emulator's binary. */
  readonly emulator: string;
  readonly containers: number;
  /** How many run at a time. */
  readonly atOnce: number;
  /** Calls a second that Parameter Store answers, and the bucket. */
  readonly rate: number;
  readonly reads: number;
  /** Milliseconds of the storm within which all start. */
  readonly spread: number;
  /** The webhook's timeout in milliseconds. */
  readonly timeout: number;
  readonly bundled: Release;
}

/** What a container answered, and how often: `published`, `bundled`, `another release` or `status 500`. */
type Answers = Readonly<Record<string, number>>;

export interface EmulatedStormReport {
  readonly answers: Answers;
  /** Milliseconds from a request to its answer, INIT included. */
  readonly longest: number;
  readonly median: number;
  /** How many waited for longer than the webhook's timeout. */
  readonly late: number;
  readonly calls: number;
  readonly throttled: number;
  readonly objectCalls: number;
}

const BUCKET = "releases";
const TOKEN = tokenOf("east-");
const POD: Pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };
/** Milliseconds of a call. */
const LATENCY = 20;
/** Below those that a system hands out to others meanwhile; each is used again only long after. */
const FIRST_PORT = 20_000;
const PORTS = 5000;
/** An annotation that only what is published writes. */
const MARK = "published";

/**
 * Where a store answers, the bundled fallback is on: that nobody is served it then says something. Where none does it is off, as by default.
 */
export async function emulatedStorm(options: EmulatedStormOptions): Promise<EmulatedStormReport> {
  const { emulator, containers, atOnce, timeout, rate, reads } = options;
  const directory = mkdtempSync(join(tmpdir(), "outrigger-storm-"));
  const task = join(directory, "inject");
  const started = { count: 0 };
  const stores = await startStores(options, () => (started.count * options.spread) / containers);
  try {
    await buildArtifacts(["inject"], directory);
    mkdirSync(task);
    const files = unzipSync(readFileSync(join(directory, "inject.zip")));
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(task, file), bytes);
    const env = { ...stores.env, LAMBDA_TASK_ROOT: task, OUTRIGGER_BUNDLED_FALLBACK: rate + reads > 0 ? "on" : "off" };
    const seen: { readonly answer: string; readonly elapsed: number }[] = [];
    const startInTurn = async () => {
      while (started.count < containers) {
        const port = FIRST_PORT + 2 * (started.count % PORTS);
        started.count += 1;
        seen.push(await answerOf({ emulator, task, env, timeout, port }));
      }
    };
    const turns = Array.from({ length: Math.min(atOnce, containers) }, startInTurn);
    try {
      await Promise.all(turns);
    } finally {
      // Where one fails, none starts any more, and those that run end.
      started.count = containers;
      await Promise.allSettled(turns);
    }
    const waits = seen.map(({ elapsed }) => elapsed).sort((a, b) => a - b);
    const kinds = [...new Set(seen.map(({ answer }) => answer))].sort();
    return {
      answers: Object.fromEntries(kinds.map((kind) => [kind, seen.filter(({ answer }) => answer === kind).length])),
      longest: waits.at(-1) ?? 0,
      median: waits[Math.floor(waits.length / 2)] ?? 0,
      late: waits.filter((wait) => wait > timeout).length,
      ...stores.counts(),
    };
  } finally {
    await stores.close();
    rmSync(directory, { recursive: true });
  }
}

/** @param now milliseconds of the storm, by which the limits count */
async function startStores({ rate, reads, bundled }: EmulatedStormOptions, now: () => number) {
  const written = fakeObjectStore();
  const published = { ...fakeParameterStore(), objects: inBucket(BUCKET, written) };
  const release = { ...bundled, config: { ...bundled.config, injectedAnnotations: { [MARK]: "yes" } } };
  await writeSnapshot(published, snapshotOf({ releases: { s1: release }, clusters: { east: clusterOf([TOKEN]) } }));
  const objects = [...written.objectTable()].map(([key, { text }]) => [key, { text, at: 0 }] as const);
  const bucket = fakeObjectStore({ objects: new Map(objects), rate: reads, now });
  const service = createFakeService({ table: published.table(), rate, now, latency: () => LATENCY });
  const delayed: ObjectStore = {
    ...bucket,
    getObject: (...call) => pause(LATENCY).then(() => bucket.getObject(...call)),
  };
  const server = await startFakeServer({ service, objects: delayed });
  return {
    env: {
      AWS_ENDPOINT_URL_SSM: server.url,
      AWS_ENDPOINT_URL_S3: server.url,
      OUTRIGGER_PREFIX: PREFIX,
      OUTRIGGER_RELEASE_BUCKET: BUCKET,
      OUTRIGGER_STAGE: "test",
    },
    counts: () => ({
      calls: service.calls().GetParameters ?? 0,
      throttled: service.throttled(),
      objectCalls: bucket.objectCalls().GetObject ?? 0,
    }),
    close: server.close,
  };
}

interface Container {
  readonly emulator: string;
  readonly task: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: number;
  /** The emulator's own; the next one is its Runtime API's. */
  readonly port: number;
}

/** Starts a container, sends it its first request, and ends it. */
async function answerOf({ emulator, task, env, timeout, port }: Container) {
  const [address, api] = [`127.0.0.1:${port}`, `127.0.0.1:${port + 1}`];
  const addresses = ["--runtime-interface-emulator-address", address, "--runtime-api-address", api];
  const command = [...addresses, "--log-level", "error", ...runtimeCommand(), ENVIRONMENT._HANDLER];
  const container = spawn(emulator, command, { cwd: task, env: { ...ENVIRONMENT, ...env }, stdio: "ignore" });
  try {
    await untilReachable(`http://${address}`);
    const event = {
      ...eventOf({ object: POD, namespace: "shop", path: `/t/${TOKEN}/inject` }),
      queryStringParameters: { timeout: `${timeout / 1000}s` },
    };
    const sent = performance.now();
    const response = await fetch(`http://${address}/2015-03-31/functions/function/invocations`, {
      method: "POST",
      body: JSON.stringify(event),
    });
    const answer = await response.text();
    return { answer: kindOf(answer), elapsed: performance.now() - sent };
  } finally {
    await endProcess(container);
  }
}

function kindOf(answer: string): string {
  const { statusCode, body } = JSON.parse(answer) as { readonly statusCode?: number; readonly body: string };
  if (statusCode !== 200) return statusCode === undefined ? answer.slice(0, 200) : `status ${statusCode}`;
  const { patch = "" } = JSON.parse(body).response as { readonly patch?: string };
  const { metadata }: Pod = applyPatch(POD, JSON.parse(Buffer.from(patch, "base64").toString() || "[]"));
  if (metadata?.annotations?.[MARK] === "yes") return "published";
  return metadata?.annotations?.["outrigger/fallback"] === undefined ? "another release" : "bundled";
}

/** Resolves when something answers there: the emulator starts the function only when it is called. */
async function untilReachable(url: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await pause(30);
  }
  throw new Error(`The emulator has not answered at ${url} within 30 seconds`);
}
