import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { ownNames } from "@outrigger/webhook";
import { describe, expect, it } from "vitest";
import { readJournal, stopJournal, takeJournal } from "./journal.ts";
import type { RestartJournal } from "./journal-entry.ts";

const { name, namespace } = ownNames.restartJournal;
const PATH = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const START = Date.UTC(2026, 10, 23, 9);
const time = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const PLAN = { question: { namespace: "shop" }, parallel: 2, isResumed: false };
const conflict = new OutriggerError("cluster-conflict", "the object has been modified");

/** An API server with one ConfigMap, and commands that hold the journal in it. */
function cluster(kept?: Partial<RestartJournal> | string) {
  const state = { clock: START, version: 1, writes: 0, text: undefined as string | undefined };
  const ticks: (() => void)[] = [];
  /** Called before each write; what it gives is thrown: an error at once, `lost` after the write. */
  let before: () => Error | undefined | { readonly lost: Error } = () => undefined;
  const journal = () => JSON.parse(state.text ?? "null") as RestartJournal;
  const put = (change: Partial<RestartJournal>) => {
    state.text = JSON.stringify({ ...journal(), ...change });
    state.version++;
  };
  const write = async (path: string, object: JsonObject) => {
    expect(path).toBe(PATH);
    const answer = before();
    if (answer instanceof Error) throw answer;
    const { metadata, data } = object as { metadata: { resourceVersion: string }; data: { restart: string } };
    if (state.text !== undefined && metadata.resourceVersion !== String(state.version)) throw conflict;
    state.text = data.restart;
    state.version++;
    state.writes++;
    if (answer !== undefined) throw answer.lost;
    return { metadata: { resourceVersion: String(state.version) } };
  };
  const kube = {
    get: async () =>
      state.text === undefined
        ? undefined
        : { metadata: { resourceVersion: String(state.version) }, data: { restart: state.text } },
    replace: write,
    apply: write,
  } as unknown as KubeClient;
  if (typeof kept === "string") state.text = kept;
  else if (kept !== undefined) put({ ...OLD, ...kept });
  const ports = (id: string) => ({
    kube,
    now: () => state.clock,
    id,
    by: `user/${id}`,
    every: (_: number, call: () => void) => {
      ticks.push(call);
      return () => void ticks.splice(ticks.indexOf(call), 1);
    },
  });
  return {
    state,
    kube,
    journal,
    put,
    ticks,
    refuse: (next: typeof before) => {
      before = next;
    },
    wait: (seconds: number) => {
      state.clock += seconds * 1000;
    },
    take: (id = "a", plan: Parameters<typeof takeJournal>[1] = PLAN) => takeJournal("dev", plan, ports(id)),
  };
}

const OLD: RestartJournal = {
  question: { namespace: "shop" },
  parallel: 2,
  deployment: "dev",
  at: "2026-11-23T08:00:00Z",
  by: "user/z",
  state: "running",
  epoch: 3,
  done: 4,
  moving: [],
  waiting: 1,
  left: [],
};

describe("takeJournal()", () => {
  it("begins one with a lease of a minute, as what was asked for", async () => {
    const { take, journal } = cluster();
    await take("a", { ...PLAN, window: "22:00-04:00", pause: 5, bake: 60, why: "worse" });
    expect(journal()).toEqual({
      ...{ question: { namespace: "shop" }, parallel: 2, window: "22:00-04:00", pause: 5, bake: 60, why: "worse" },
      ...{ deployment: "dev", at: "2026-11-23T09:00:00Z", by: "user/a", state: "running", epoch: 1 },
      ...{ done: 0, moving: [], left: [] },
      lease: { id: "a", by: "user/a", until: time(60) },
    });
  });

  it("is refused while another command holds it, and takes it once the lease has run out", async () => {
    const { take, journal, wait } = cluster({ lease: { id: "z", by: "user/z", until: time(30) } });
    await expect(take()).rejects.toThrow(`Cannot restart workloads: user/z (until ${time(30)} at least) is at it`);
    wait(30);
    await take();
    expect(journal()).toMatchObject({
      epoch: 4,
      done: 4,
      at: OLD.at,
      by: "user/z",
      lease: { id: "a", until: time(90) },
    });
  });

  it("takes its own at once", async () => {
    const { take, journal } = cluster({ lease: { id: "a", by: "user/a", until: time(30) } });
    await take();
    expect(journal().epoch).toBe(4);
  });

  it("continues without what the last end said, and begins another without anything of it", async () => {
    const ended = { failure: { why: "no" }, ended: time(-5), unlisted: 7, left: [{ workload: "w", why: "no" }] };
    const resumed = cluster({ ...ended, state: "failed" });
    await resumed.take("a", { ...PLAN, isResumed: true });
    expect(resumed.journal()).toMatchObject({ state: "running", done: 4, left: ended.left });
    for (const key of ["failure", "ended", "unlisted"]) expect(resumed.journal()).not.toHaveProperty(key);
    const other = cluster({ ...ended, state: "done" });
    await other.take();
    expect(other.journal()).toMatchObject({ epoch: 4, done: 0, left: [], at: "2026-11-23T09:00:00Z" });
  });

  it("never has the time of the restart before: workloads are marked with it", async () => {
    const { take, journal } = cluster({ state: "done", at: "2026-11-23T09:00:00Z" });
    await take();
    expect(journal().at).toBe("2026-11-23T09:00:01Z");
  });

  it.each(["not JSON", "[]", '{"at":1,"state":"done"}', '{"at":"2026-11-23T09:00:00Z"}'])(
    "refuses a ConfigMap with %s, and says how to delete it",
    async (text) => {
      const { take, kube } = cluster(text);
      await expect(take()).rejects.toThrow("it is no journal of a restart; delete it (kubectl delete configmap -n");
      await expect(readJournal(kube)).rejects.toMatchObject({ code: "cluster-refused" });
    },
  );
});

describe("a journal that is held", () => {
  it("is written when something changed, and otherwise only after a quarter of the lease", async () => {
    const { take, state, wait, journal } = cluster();
    const held = await take();
    await held.write({});
    wait(14.9);
    await held.write({});
    expect(state.writes).toBe(1);
    await held.write({ done: 1 });
    expect([state.writes, held.current().done, journal().done]).toEqual([2, 1, 1]);
    wait(14.9);
    await held.write({});
    expect(state.writes).toBe(2);
    wait(0.1);
    await held.write({});
    expect([state.writes, journal().lease?.until]).toEqual([3, time(89.9)]);
  });

  it("is renewed by a timer, until it is released", async () => {
    const { take, ticks, wait, journal } = cluster();
    const held = await take();
    wait(20);
    ticks[0]?.();
    await held.write({});
    expect(journal().lease?.until).toBe(time(80));
    await held.release({ state: "done" });
    expect(ticks).toEqual([]);
    expect(journal()).toMatchObject({ state: "done", ended: time(20) });
    expect(journal()).not.toHaveProperty("lease");
  });

  it("can be left to another command, which has it at once", async () => {
    const { take, journal, refuse } = cluster();
    await (await take()).leave();
    expect(journal()).toMatchObject({ state: "running", lease: { id: "a", until: time(0) } });
    const other = await take("b");
    expect(journal().lease?.id).toBe("b");
    refuse(() => new OutriggerError("cluster-unreachable", "no"));
    await other.leave();
  });

  it("fails for the command that has lost it, at the next write too", async () => {
    const { take, put, wait, ticks } = cluster();
    const held = await take();
    put({ epoch: 2, lease: { id: "b", by: "user/b", until: time(99) } });
    await expect(held.write({ done: 1 })).rejects.toThrow("user/b (until");
    wait(20);
    ticks[0]?.();
    await expect(held.write({})).rejects.toThrow("user/b (until");
  });

  it("takes a lost answer for what it is, and another's change into its own", async () => {
    const { take, put, refuse, journal } = cluster();
    const held = await take();
    refuse(() => ({ lost: conflict }));
    await held.write({ done: 1 });
    expect(held.current().done).toBe(1);
    refuse(() => undefined);
    await held.write({ done: 2 });
    put({ state: "stopping" });
    await held.write({ done: 3 });
    expect([journal().state, journal().done, held.current().state]).toEqual(["stopping", 3, "stopping"]);
    // One that ends is not asked to stop any more.
    put({ state: "stopping" });
    await held.release({ state: "done" });
    expect(journal().state).toBe("done");
  });

  it("is not begun again when it was stopped while the command was suspended", async () => {
    const { take, put, wait } = cluster();
    const held = await take();
    wait(120);
    put({ state: "stopped" });
    await expect(held.write({ done: 1 })).rejects.toThrow(
      "Cannot continue the restart that began at 2026-11-23T09:00:00Z: it is stopped by now",
    );
  });

  it("gives up after five conflicts, and at once on anything else", async () => {
    const { take, refuse } = cluster();
    const held = await take();
    let tries = 0;
    refuse(() => {
      tries++;
      return conflict;
    });
    await expect(held.write({ done: 1 })).rejects.toThrow("the object has been modified");
    expect(tries).toBe(5);
    refuse(() => new OutriggerError("cluster-denied", "not allowed"));
    await expect(held.write({ done: 1 })).rejects.toThrow("not allowed");
    refuse(() => undefined);
    await held.write({ done: 1 });
  });

  it("fits into a ConfigMap however much is left, and counts what is not listed", async () => {
    const { take, state, journal } = cluster();
    const held = await take();
    const left = Array.from({ length: 4000 }, (_, index) => ({ workload: `w-${index}`, why: "é".repeat(200) }));
    await held.write({ left });
    expect(Buffer.byteLength(state.text ?? "")).toBeLessThan(1_000_000);
    expect(journal().left).toEqual(left.slice(0, 2000));
    expect(journal().unlisted).toBe(2000);
    await held.write({ left: left.slice(0, 3) });
    expect(journal().left).toHaveLength(3);
    expect(journal()).not.toHaveProperty("unlisted");
  });
});

describe("stopJournal()", () => {
  it("asks the command that holds it, and stops it where none does", async () => {
    const held = cluster({ lease: { id: "z", by: "user/z", until: time(1) } });
    expect(await stopJournal(held.kube, START)).toMatchObject({ state: "stopping", lease: { id: "z" } });
    expect(held.journal()).toMatchObject({ state: "stopping", lease: { id: "z" } });
    const left = cluster({ lease: { id: "z", by: "user/z", until: time(0) } });
    expect(await stopJournal(left.kube, START)).toMatchObject({ state: "stopped", ended: time(0) });
    expect(left.journal()).not.toHaveProperty("lease");
  });

  it("leaves what has ended as it is", async () => {
    const { kube, state } = cluster({ state: "done" });
    expect(await stopJournal(kube, START)).toMatchObject({ state: "done" });
    expect(state.writes).toBe(0);
    expect(await stopJournal(cluster().kube, START)).toBeUndefined();
  });
});
