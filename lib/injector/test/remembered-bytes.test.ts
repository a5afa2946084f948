// What a memory of injections takes of the heap. The file has a process of its own: a collection takes as long as all that the process
// holds, and there are a hundred.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { cacheMemory, type JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { InjectAnswer, Injector, InjectRequest } from "../injection.ts";
import { rememberInjections } from "../remember/remember-injections.ts";

const RELEASE = {} as Injector;

function request(rest: Partial<InjectRequest> & { readonly pod: Pod }): InjectRequest {
  return { namespace: "shop", parameters: {}, ...rest };
}

/** A pod as the ReplicaSet `uid` makes it. */
function replica(uid: string): Pod {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-6d4cf56db6", uid, controller: true };
  return {
    metadata: { generateName: "web-6d4cf56db6-", labels: { app: "web" }, ownerReferences: [owner] },
    spec: { containers: [{ name: "web", image: "web:1" }] },
  };
}

describe("rememberInjections()", () => {
  it.each<
    [string, (own: string) => Partial<InjectRequest> & { readonly spec?: JsonObject; readonly warning?: string }]
  >([
    ["long keys", (own) => ({ spec: { nodeSelector: { [own.padEnd(30_000, "x")]: "" } } })],
    ["long keys of two bytes", (own) => ({ spec: { nodeSelector: { [own.padEnd(15_000, "é€")]: "" } } })],
    ["long texts of two bytes", (own) => ({ spec: { nodeName: own.padEnd(15_000, "€") } })],
    ["keys of its own", (own) => ({ spec: { nodeSelector: fieldsOf(300, own) } })],
    [
      "objects with a key of their own",
      (own) => ({ spec: { tolerations: itemsOf(300, (at) => ({ [own + at]: 1 })) } }),
    ],
    ["objects with a number for a key", () => ({ spec: { tolerations: itemsOf(300, (at) => ({ [900 + at]: "" })) } })],
    ["lists with gaps", () => ({ spec: { tolerations: itemsOf(300, () => ({ 30: "" })) } })],
    ["empty objects", () => ({ spec: { tolerations: itemsOf(1000, () => ({})) } })],
    ["a long namespace", (own) => ({ namespace: own.padEnd(30_000, "x") })],
    ["long URL parameters", (own) => ({ parameters: { [own]: "x".repeat(30_000) } })],
    ["a long warning", (own) => ({ warning: own.padEnd(30_000, "x") })],
  ])("takes no more of the heap than its bytes for pods with %s", (_, restOf) => {
    const mostBytes = 2_000_000;
    const inject = rememberInjections(
      (__, { cluster }): InjectAnswer => {
        const warnings = cluster?.revision === undefined ? [] : [cluster.revision];
        return { injected: true, reason: "policy-enabled", patchText: "[]", templates: [], warnings };
      },
      cacheMemory(() => mostBytes),
    );
    const before = heapUsed();
    // More than twice as much as it may remember.
    for (let uid = 0; uid < 150; uid++) {
      const { spec, warning, ...rest } = restOf(`${uid}-`);
      const asked = request({ pod: { ...replica(String(uid)), ...(spec && { spec }) } as Pod, ...rest });
      const text = JSON.stringify({ ...asked, ...(warning !== undefined && { cluster: { revision: warning } }) });
      for (let time = 0; time < 2; time++) inject(RELEASE, JSON.parse(text));
    }
    expect(heapUsed() - before).toBeLessThan(mostBytes + NOISE);
    // So that what it remembers is not collected before.
    expect(inject(RELEASE, request({ pod: replica("1") }))).toBeDefined();
  });
});

/** Bytes that the process takes in the meantime for other things. */
const NOISE = 500_000;

function fieldsOf(count: number, own: string): JsonObject {
  return Object.fromEntries(itemsOf(count, (at) => [own + at, ""]));
}

function itemsOf<T>(count: number, itemAt: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => itemAt(at));
}

/** Bytes, after garbage collection: V8 takes some rounds until the hidden classes of objects are gone, and with them the keys. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");
  for (let round = 0; round < 5; round++) collectGarbage();
  return process.memoryUsage().heapUsed;
}
