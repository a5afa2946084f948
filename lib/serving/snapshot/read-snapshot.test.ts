import type { Parameter } from "@outrigger/aws";
import { packParts } from "@outrigger/aws";
import type { Call, Fault, Reply } from "@outrigger/fake-aws";
import { fakeObjectStore, fakeParameterStore } from "@outrigger/fake-aws";
import type { Release } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { LAYOUT, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { readOpened, readSnapshot } from "./read-snapshot.ts";
import { type Head, parseSnapshot, type Snapshot, snapshotText } from "./snapshot.ts";

/** A release of which only the size matters here: two parts and more. */
const RELEASE = { format: 1, values: noise(12_000) } as unknown as Release;
const IMAGE = snapshotOf({ seq: 5, releases: { a: RELEASE } });

function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return String.fromCharCode(33 + (state % 90));
  }).join("");
}

async function storeWith(snapshot: Snapshot, options?: Parameters<typeof writeSnapshot>[2]) {
  const calls: Call[] = [];
  const around = (call: Call, perform: () => Promise<Reply>) => {
    calls.push(call);
    return perform();
  };
  const store = fakeParameterStore({ around });
  const head = await writeSnapshot(store, snapshot, options);
  calls.length = 0;
  const put = (name: string, value: string) => store.putParameter({ name, value, overwrite: true, tier: "Standard" });
  return { store, head, calls, put };
}

const namesOf = (calls: readonly Call[]) => calls.map(({ input }) => (input["Names"] as readonly string[]).length);

describe("readSnapshot() with nothing in memory", () => {
  it("takes one call of ten names when the mirror is of one piece", async () => {
    const { store, head, calls } = await storeWith(IMAGE);
    expect(head.parts).toBeGreaterThan(1);
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ kind: "snapshot", head, snapshot: IMAGE });
    expect(namesOf(calls)).toEqual([10]);
  });

  it("takes a second call when the mirror has not been written", async () => {
    const { store, head, calls } = await storeWith(IMAGE, { mirror: false });
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ kind: "snapshot", head, snapshot: IMAGE });
    expect([namesOf(calls), store.objects.objectCalls()["GetObject"]]).toEqual([[10], 1]);
  });

  it.each<[string, (whole: string, other: string) => string]>([
    ["belongs to another snapshot", (_whole, other) => other],
    ["is cut short", (whole) => whole.slice(0, -5)],
    ["is altered", (whole) => `${whole.slice(0, 60)}${whole[60] === "A" ? "B" : "A"}${whole.slice(61)}`],
    ["is garbage", () => "garbage"],
    ["has the right tag and nothing else", (whole) => whole.slice(0, 37)],
  ])("takes a second call when a part of the mirror %s", async (_what, change) => {
    const { store, head, calls, put } = await storeWith(IMAGE);
    const [part] = await store.getParameters([LAYOUT.mirrorPart(1)]);
    const other = packParts(snapshotText({ ...IMAGE, seq: 4 }), "Standard", "another", "b").parts[1] as string;
    await put(LAYOUT.mirrorPart(1), change((part as Parameter).value, other));
    calls.length = 0;
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ kind: "snapshot", head, snapshot: IMAGE });
    expect([namesOf(calls), store.objects.objectCalls()["GetObject"]]).toEqual([[10], 1]);
  });

  it("gives the snapshot when a part of the mirror is missing or of another type", async () => {
    for (const type of [undefined, "StringList", "SecureString"]) {
      const { store, head } = await storeWith(IMAGE);
      const [part] = await store.getParameters([LAYOUT.mirrorPart(0)]);
      await store.deleteParameters([LAYOUT.mirrorPart(0)]);
      if (type !== undefined) {
        const Value = (part as Parameter).value;
        await store.service.call("PutParameter", { Name: LAYOUT.mirrorPart(0), Value, Type: type });
      }
      expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ kind: "snapshot", head, snapshot: IMAGE });
    }
  });

  it("ignores what is left in the mirror of a larger snapshot", async () => {
    const { store } = await storeWith(IMAGE);
    const small = snapshotOf({ seq: 6, releases: {} });
    const head = await writeSnapshot(store, small);
    expect(head.parts).toBe(1);
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ kind: "snapshot", head, snapshot: small });
  });
});

describe("readSnapshot() with a snapshot in memory", () => {
  it("asks for the head alone when nothing has changed", async () => {
    const { store, head, calls } = await storeWith(IMAGE);
    expect(await readSnapshot(store, LAYOUT, head)).toEqual({ kind: "same" });
    expect(calls.map(({ input }) => input["Names"])).toEqual([[LAYOUT.head]]);
  });

  it.each([
    [true, undefined],
    [false, 1],
  ])("takes at most two calls more when there is another (mirror written: %s)", async (mirror, fromBucket) => {
    const { store, head, calls } = await storeWith(IMAGE);
    const snapshot = snapshotOf({ seq: 6, releases: {} });
    const next = await writeSnapshot(store, snapshot, { mirror });
    calls.length = 0;
    expect(await readSnapshot(store, LAYOUT, head)).toEqual({ kind: "snapshot", head: next, snapshot });
    expect([namesOf(calls), store.objects.objectCalls()["GetObject"]]).toEqual([[1, 10], fromBucket]);
  });

  it("ignores an earlier commit when the store shows one", async () => {
    const { store, head, calls } = await storeWith(IMAGE);
    const seen = { ...head, digest: "0".repeat(32), seq: 6 };
    expect(await readSnapshot(store, LAYOUT, seen)).toEqual({ kind: "older" });
    expect(namesOf(calls)).toEqual([1]);
  });

  it("takes another snapshot of the same number: two writers met, and the last one counts", async () => {
    const { store, head } = await storeWith(IMAGE);
    expect(await readSnapshot(store, LAYOUT, { ...head, digest: "0".repeat(32) })).toMatchObject({ kind: "snapshot" });
  });
});

describe("readSnapshot() where it cannot", () => {
  const headText = (head: object) => JSON.stringify({ digest: "a".repeat(32), parts: 1, seq: 1, ...head }, null, 1);

  it.each([
    ["is garbage", "garbage", "it is not JSON of a mapping"],
    ["is a list", "[]", "it is not JSON of a mapping"],
    ["names no snapshot", headText({ digest: "../x" }), "it names no snapshot"],
    ["has no parts", headText({ parts: 0 }), "parts is not 1 to 9"],
    ["has ten parts", headText({ parts: 10 }), "parts is not 1 to 9"],
    ["has half a seq", headText({ seq: 1.5 }), "seq is not a whole number"],
  ])("names the head when it %s", async (_what, text, why) => {
    const { store, put } = await storeWith(IMAGE, { bucketHead: false });
    await put(LAYOUT.head, text);
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({
      code: "store-corrupt",
      path: LAYOUT.head,
      message: `Cannot use ${LAYOUT.head}: ${why}; publish again`,
    });
  });

  it("says to publish when there is no head, and that it is the first time when there is nothing", async () => {
    const { store } = await storeWith(IMAGE, { bucketHead: false });
    await store.deleteParameters([LAYOUT.head]);
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({
      code: "store-corrupt",
      message: `Cannot use ${LAYOUT.head}: there is no such parameter; publish again`,
    });
    await store.deleteParameters(Object.keys(store.values()));
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({
      code: "release-unknown",
      message: `Cannot serve anything yet: there is no ${LAYOUT.head}; publish first, with outrigger publish`,
    });
  });

  it.each(["StringList", "SecureString"])("says what to delete when the head is a %s", async (type) => {
    const { store } = await storeWith(IMAGE, { bucketHead: false });
    await store.deleteParameters([LAYOUT.head]);
    await store.service.call("PutParameter", { Name: LAYOUT.head, Value: headText({}), Type: type });
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({
      code: "store-corrupt",
      message: `Cannot use ${LAYOUT.head}: it is a ${type} and must be a String: delete it; publish again`,
    });
  });

  it("says that the head is empty when a store gives it so", async () => {
    const reader = {
      objects: fakeObjectStore(),
      getParameters: async () => [{ name: LAYOUT.head, value: "", type: "String", version: 1 } as const],
      getParametersByPath: async () => ({ parameters: [], next: undefined }),
    };
    await expect(readSnapshot(reader, LAYOUT, undefined)).rejects.toMatchObject({
      message: `Cannot use ${LAYOUT.head}: it is empty; publish again`,
    });
  });

  it.each<[string, (text: string) => string | undefined, string]>([
    ["is missing", () => undefined, "there is no such object in the deployment's bucket"],
    ["is cut short", (text) => text.slice(0, -4), "its bytes do not match its digest"],
    ["holds something else", () => "nonsense", "its bytes do not match its digest"],
  ])("names the snapshot's object when it %s", async (_what, change, why) => {
    const { store, head } = await storeWith(IMAGE, { mirror: false });
    const key = LAYOUT.snapshot(head.digest);
    const text = change((await store.objects.getObject(key))?.text ?? "");
    if (text === undefined) await store.objects.deleteObject(key);
    else await store.objects.putObject({ key, text });
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({
      code: "store-corrupt",
      path: key,
      message: expect.stringContaining(why),
    });
  });

  it.each<[string, object, string, string]>([
    ["is of a newer format", { format: 2 }, "release-unsupported", "its format is 2 and this version reads 1"],
    ["has another number than its head", {}, "store-corrupt", "its seq is not that of the head"],
    ["has no channels", { channels: null }, "store-corrupt", "channels is not a mapping"],
    [
      "has a channel that is no text",
      { channels: { stable: 1 } },
      "store-corrupt",
      'channels has a wrong entry "stable"',
    ],
    ["has an invalid release", { releases: { a: {} } }, "store-corrupt", 'releases has a wrong entry "a"'],
    ["has an invalid cluster", { clusters: { east: { tokens: [] } } }, "cluster-invalid", '"revisions" of east in'],
  ])("names the snapshot when it %s", async (what, change, code, why) => {
    const { store, put } = await storeWith(IMAGE);
    const { digest, parts } = packParts(
      JSON.stringify({ ...snapshotOf({ releases: {} }), ...change }),
      "Standard",
      "it",
      "b",
    );
    await store.objects.emptyFolder(LAYOUT.objects);
    await put(LAYOUT.mirrorPart(0), parts[0] as string);
    await put(LAYOUT.head, headText({ digest, seq: what.includes("another number") ? 2 : 1 }));
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(why),
    });
  });

  it("passes the error of Parameter Store on where the bucket cannot be read either", async () => {
    const store = fakeParameterStore({ fault: () => ({ kind: "error", name: "AccessDeniedException", status: 400 }) });
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({ code: "store-denied" });
  });
});

describe("readSnapshot() where Parameter Store cannot be read", () => {
  const FAULTS: readonly (readonly [string, Fault, string])[] = [
    ["throttles", { kind: "error", name: "ThrottlingException", status: 400 }, "store-unavailable"],
    ["denies", { kind: "error", name: "AccessDeniedException", status: 400 }, "store-denied"],
    ["ends the connection", { kind: "reset" }, "store-unavailable"],
  ];

  const published = (head: Head) => ({ kind: "snapshot", head, snapshot: IMAGE });

  async function behind(fault: Fault | undefined) {
    const failing = { fault };
    const store = fakeParameterStore({ fault: () => failing.fault });
    failing.fault = undefined;
    const head = await writeSnapshot(store, IMAGE);
    failing.fault = fault;
    return { store, head };
  }

  it.each(FAULTS)("gives what the bucket's head names when it %s, and says so", async (_what, fault, code) => {
    const { store, head } = await behind(fault);
    const instead = expect.objectContaining({ code });
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ ...published(head), instead });
    expect(store.objects.objectCalls()).toMatchObject({ GetObject: 2 });
    expect(await readSnapshot(store, LAYOUT, head)).toEqual({ kind: "same", instead });
    const seen = { ...head, digest: "0".repeat(32), seq: 6 };
    expect(await readSnapshot(store, LAYOUT, seen)).toEqual({ kind: "older", instead });
  });

  it("gives it when all parameters were deleted, or the head was altered", async () => {
    const { store, head } = await behind(undefined);
    await store.putParameter({ name: LAYOUT.head, value: "nonsense", overwrite: true, tier: "Standard" });
    const because = (why: string) => expect.objectContaining({ message: `Cannot use ${LAYOUT.head}: ${why}` });
    const altered = because("it is not JSON of a mapping; publish again");
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ ...published(head), instead: altered });
    await store.deleteParameters(Object.keys(store.values()));
    // Something was published: it is not the first time.
    const deleted = because("there is no such parameter; publish again");
    expect(await readSnapshot(store, LAYOUT, undefined)).toEqual({ ...published(head), instead: deleted });
  });

  it("does not say that nothing was published where the bucket cannot be asked", async () => {
    const objects = fakeObjectStore({ fault: () => ({ kind: "error", name: "AccessDenied", status: 403 }) });
    const store = fakeParameterStore({ objects });
    await expect(readSnapshot(store, LAYOUT, undefined)).rejects.toMatchObject({ code: "store-denied" });
  });

  it("asks the bucket next to it when it is late, and takes what comes first", async () => {
    const { store, head } = await behind({ kind: "hang" });
    const late = Promise.resolve();
    expect(await readOpened(store, LAYOUT, undefined, { open: parseSnapshot, late })).toEqual(published(head));
  });
});
