// A move as one action in three Regions: the command line, three publishers and three stores. It is interrupted at each call of a
// store and of a publisher, before it or with its answer lost: until the primary moves, no replica does, and run again, the same
// command ends as if nothing had happened.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ParameterStore } from "@outrigger/aws";
import { layoutOf } from "@outrigger/aws";
import { decorate, defined, OutriggerError } from "@outrigger/base";
import type { ObjectTable, ParameterTable } from "@outrigger/fake-aws";
import { fakeObjectStore, fakeParameterStore } from "@outrigger/fake-aws";
import type { PublisherDependencies, PublisherRequest } from "@outrigger/publisher";
import { parsePublisherRequest, runPublisher } from "@outrigger/publisher";
import { readSnapshot } from "@outrigger/serving";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { packFast } from "../../test/support/pack-quickly.ts";
import { compileWords, digestOfTree } from "../../test/support/publisher-setup.ts";
import { sha256Of, tokenOf } from "../../test/support/tokens.ts";
import type { ConnectAws } from "../connect/aws-connection.ts";
import { openDeployment } from "../connect/deployment.ts";
import { main } from "../main.ts";
import { askOnce } from "./ask-and-print.ts";

const STAGES = ["prod", "prod-b", "prod-c"] as const;
type Stage = (typeof STAGES)[number];

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const REPLICAS = "--replicas prod-b@eu-central-1,prod-c@us-east-1";
const ROLLBACK = `rollback stable --deployment prod ${REPLICAS}`;

type How = "stopped before" | "answer lost";

/** A call of a store, by whichever publisher or by the command line; or one of a publisher. */
type Kind = "read" | "write" | "ask";

/** The call that fails, counted over all of them, and how it fails. */
interface Interruption {
  readonly at: number;
  readonly how: How;
}

type Tables = Readonly<Record<Stage, { readonly parameters: ParameterTable; readonly objects: ObjectTable }>>;

type Request<Of = PublisherRequest> = Of extends unknown ? Omit<Of, "cause"> : never;

/** Three deployments, the second and third of which follow the first. */
function world({ tables, interruption, lag = 0 }: { tables?: Tables; interruption?: Interruption; lag?: number } = {}) {
  const clock = { time: Date.parse("2026-01-02T03:04:05Z") + (tables === undefined ? 0 : 60_000) };
  const called: Kind[] = [];
  const guarded =
    <Input extends readonly unknown[], Answer>(call: (...input: Input) => Promise<Answer>, kind: Kind = "read") =>
    async (...input: Input): Promise<Answer> => {
      const isHit = called.push(kind) - 1 === interruption?.at;
      if (isHit && interruption?.how === "stopped before") throw new Error("stopped");
      const answer = await call(...input);
      if (isHit) throw new OutriggerError("store-unavailable", "socket hang up");
      return answer;
    };
  const stores = Object.fromEntries(
    STAGES.map((stage) => [
      stage,
      fakeParameterStore({
        seed: false,
        now: () => clock.time,
        lag: () => lag,
        objects: fakeObjectStore({ now: () => clock.time, ...defined({ objects: tables?.[stage].objects }) }),
        ...defined({ table: tables?.[stage].parameters }),
      }),
    ]),
  ) as Record<Stage, ReturnType<typeof fakeParameterStore>>;
  const interrupted = (store: ParameterStore): ParameterStore => ({
    getParameters: guarded(store.getParameters),
    getParametersByPath: guarded(store.getParametersByPath),
    putParameter: guarded(store.putParameter, "write"),
    deleteParameters: guarded(store.deleteParameters, "write"),
    objects: decorate(store.objects, (method, args, call) =>
      guarded(async () => call(...args), method === "getObject" || method === "listObjects" ? undefined : "write")(),
    ),
  });
  const seen = Object.fromEntries(STAGES.map((stage) => [stage, interrupted(stores[stage])])) as Record<
    Stage,
    ParameterStore
  >;
  const primary = { store: seen.prod, layout: layoutOf("/outrigger/prod"), name: "eu-west-1" };
  const dependenciesOf = (stage: Stage): PublisherDependencies => ({
    store: seen[stage],
    layout: layoutOf(`/outrigger/${stage}`),
    tier: "Standard",
    bucket: stage,
    shipped: {},
    compile: compileWords,
    compare: () => [],
    load: () => undefined,
    pack: packFast,
    now: () => new Date(++clock.time),
    sleep: async (milliseconds) => {
      clock.time += milliseconds;
    },
    ...(stage === "prod" ? {} : { primary }),
  });
  const connect: ConnectAws = async ({ stage }) => {
    const own = stage as Stage;
    return {
      store: seen[own],
      caller: async () => "ann",
      guardrails: async () => "",
      hold: async () => "powers",
      environment: async () => "",
      functionVersion: async () => undefined,
      deployments: async () => undefined,
      place: async () => stage,
      askPublisher: guarded(async (request: PublisherRequest) => {
        // A function that stops gives no answer.
        const result = await runPublisher(
          parsePublisherRequest(JSON.parse(JSON.stringify(request))),
          dependenciesOf(own),
        ).catch(() => {
          throw new OutriggerError("aws-unavailable", "the function failed");
        });
        if (result.ok) return result;
        throw new OutriggerError(result.error.code, result.error.message);
      }, "ask"),
    };
  };
  return {
    stores,
    clock,
    connect,
    called: (): readonly Kind[] => called,
    ask: (stage: Stage, request: Request) =>
      runPublisher({ ...request, cause: { by: "ann", why: "" } } as PublisherRequest, dependenciesOf(stage)),
    tables: () => Object.fromEntries(STAGES.map((stage) => [stage, tablesOf(stores[stage])])) as unknown as Tables,
  };
}

function tablesOf(store: ReturnType<typeof fakeParameterStore>) {
  return { parameters: store.table(), objects: store.objects.objectTable() };
}

let prepared: Tables;
let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

async function run(words: string, { connect }: Pick<ReturnType<typeof world>, "connect">) {
  const io = fakeIo({ connect, env: { XDG_STATE_HOME: state } });
  const code = await main(words.split(" "), io);
  return { code, out: io.out(), err: io.err() };
}

/** Stable serves B and served A before, in all three, to one cluster with one token. */
async function deployed(): Promise<Tables> {
  const made = world();
  const put = (value: string) =>
    made.stores.prod.putParameter({ name: "/outrigger/prod/source/mesh", value, overwrite: true, tier: "Standard" });
  for (const text of ["a", "b"]) {
    await put(text);
    expect(await made.ask("prod", { action: "publish" })).toMatchObject({ ok: true });
  }
  const record = {
    revisions: { default: "stable" },
    arn: "",
    tokens: [{ sha256: sha256Of(tokenOf("a")), created: "2026-01-01" }],
  };
  await made.ask("prod", { action: "put-cluster", cluster: "shop", record });
  for (const stage of ["prod-b", "prod-c"] as const) await made.ask(stage, { action: "replicate" });
  await put("c");
  return made.tables();
}

/** A move with one replica, without the command line's own words: it is run some hundred times. */
async function rollBack({ connect }: Pick<ReturnType<typeof world>, "connect">): Promise<void> {
  const io = fakeIo({ connect, env: { XDG_STATE_HOME: state } });
  const replicas = [{ stage: "prod-b", region: "eu-central-1" }];
  const deployment = await openDeployment({ deployment: "prod" }, io);
  await askOnce({ action: "rollback", channel: "stable" }, { replicas }, deployment, io);
}

/** Returns what each deployment serves, how often its channel moved, and the tokens. */
async function served({ stores, clock }: ReturnType<typeof world>, stages: readonly Stage[] = STAGES) {
  clock.time += 10_000;
  const all = stages.map(async (stage) => {
    const layout = layoutOf(`/outrigger/${stage}`);
    const reading = await readSnapshot(stores[stage], layout, undefined);
    if (reading.kind !== "snapshot") throw new Error("nothing is served");
    const { channels, clusters, pins } = reading.snapshot;
    const { history } = JSON.parse(stores[stage].values()[layout.channel("stable")] ?? "{}");
    return { channel: channels["stable"], pins, moves: history.length, tokens: clusters["shop"]?.tokens };
  });
  return Promise.all(all);
}

const channels = (all: Awaited<ReturnType<typeof served>>) => all.map(({ channel }) => channel);

describe("a move in three deployments", () => {
  beforeEach(async () => {
    prepared ??= await deployed();
  });

  it("serves the same release in each, to the same clusters with the same tokens", async () => {
    const three = world({ tables: prepared });
    expect(channels(await served(three))).toEqual([B, B, B]);
    const { code, out, err } = await run(ROLLBACK, three);
    expect([code, err, out]).toEqual([
      0,
      "",
      expect.stringContaining(`stable serves ${A} now (${B} before), pinned, in 3 deployments`),
    ]);
    const [first, ...others] = await served(three);
    expect(first).toMatchObject({ channel: A, pins: ["stable"], moves: 3 });
    expect(others.map(({ channel, pins, tokens }) => ({ channel, pins, tokens }))).toEqual(
      others.map(() => ({ channel: A, pins: ["stable"], tokens: first?.tokens })),
    );
  });

  it("publishes a tree that no replica has yet: each keeps its release before the first one serves it", async () => {
    const three = world({ tables: prepared });
    const { code } = await run(`publish --deployment prod ${REPLICAS}`, three);
    expect(code).toBe(0);
    expect(new Set(channels(await served(three)))).toEqual(new Set([digestOfTree({ mesh: "c" })]));
  });

  it.each([
    ["each call of a store or a publisher", 0, ["read", "write", "ask"]],
    ["each publisher's answer", 1200, ["ask"]],
  ] as const)("ends right wherever it is interrupted: at %s, with readings %i ms behind", async (_what, lag, kinds) => {
    const undisturbed = world({ tables: prepared, lag });
    await rollBack(undisturbed);
    const called = undisturbed.called();
    const calls = [...called.entries()].filter(([, kind]) => kinds.some((each) => each === kind));
    const two = ["prod", "prod-b"] as const;
    const expected = await served(undisturbed, two);
    expect(calls.length).toBeGreaterThan(lag === 0 ? 40 : 2);
    let halves = 0;
    for (const how of ["stopped before", "answer lost"] as const) {
      // A read that is not made and one whose answer is lost are the same to its caller.
      for (const [at] of calls.filter(([, kind]) => how === "answer lost" || kind !== "read")) {
        const first = world({ tables: prepared, interruption: { at, how }, lag });
        const isDone = await rollBack(first).then(
          () => true,
          () => false,
        );
        const [primary, ...replicas] = channels(await served(first, two));
        if (primary === B) expect({ at, how, replicas }).toEqual({ at, how, replicas: [B] });
        if (primary === A && replicas.includes(B)) halves++;
        const again = world({ tables: first.tables(), lag });
        again.clock.time = first.clock.time;
        // What changes for pods need not be known for the way back: a read of it that fails keeps nobody from it.
        if (!isDone) await rollBack(again);
        expect({ at, how, all: await served(again, two) }).toEqual({ at, how, all: expected });
      }
    }
    expect(halves).toBeGreaterThan(lag === 0 ? 10 : 1);
  });

  it("changes nothing anywhere when a replica cannot keep the release, and names it", async () => {
    const three = world({ tables: prepared });
    const connect: ConnectAws = async (target) => {
      const connection = await three.connect(target);
      if (target.stage !== "prod-c") return connection;
      const askPublisher = async () => {
        throw new OutriggerError("aws-unavailable", "Cannot call function: no answer");
      };
      return { ...connection, askPublisher };
    };
    expect(await run(ROLLBACK, { connect })).toEqual({
      code: 3,
      out: "",
      err: "Cannot prepare prod-c in us-east-1: Cannot call function: no answer; nothing has changed in any deployment\n",
    });
    expect(channels(await served(three))).toEqual([B, B, B]);
  });

  it("names the replica that does not follow, with the command that finishes it; run again, it ends right", async () => {
    const three = world({ tables: prepared });
    let isDown = true;
    const connect: ConnectAws = async (target) => {
      const connection = await three.connect(target);
      return {
        ...connection,
        askPublisher: async (request) => {
          const isMove = request.action === "replicate" && request.copy === undefined;
          if (isDown && isMove && target.stage === "prod-b") throw new OutriggerError("aws-unavailable", "no answer");
          return connection.askPublisher(request);
        },
      };
    };
    const failed = await run(ROLLBACK, { connect });
    expect(failed).toMatchObject({ code: 3, out: "" });
    expect(failed.err).toContain(
      `Cannot switch every replica: stable serves ${A} now (${B} before), pinned, but not in prod-b in eu-central-1 (no answer): outrigger repair --replica --deployment prod-b --region eu-central-1.`,
    );
    expect(channels(await served(three))).toEqual([A, B, A]);
    isDown = false;
    expect(await run(ROLLBACK, { connect })).toMatchObject({ code: 0 });
    expect(channels(await served(three))).toEqual([A, A, A]);
    expect((await served(three))[0]?.moves).toBe(3);
  });

  it("writes nothing in a dry run, and says what cannot be", async () => {
    const three = world({ tables: prepared });
    expect(await run(`${ROLLBACK} --dry-run`, three)).toMatchObject({ code: 0 });
    expect(channels(await served(three))).toEqual([B, B, B]);
    expect(await run(`rollback stable --replicas prod_b`, three)).toMatchObject({ code: 2 });
    expect(await run(`publish --dir . --replicas prod-b`, three)).toMatchObject({ code: 2 });
    // The one that is named is no replica.
    const wrong = await run("rollback stable --deployment prod-b --replicas prod@eu-west-1", three);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("this deployment follows no other") });
    expect(channels(await served(three))).toEqual([B, B, B]);
  });
});
