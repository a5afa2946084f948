import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { cacheMemory, type JsonObject, type JsonValue } from "@outrigger/base";
import { POD_TYPE, type Pod, type TypeSchema } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { InjectAnswer, Injector, InjectRequest } from "../injection.ts";
import { rememberInjections } from "./remember-injections.ts";

const RELEASE = {} as Injector;
const TOKEN = "kube-api-access-x7k2p";

/** A pod as the ReplicaSet `uid` makes it, with a token's volume of that name. */
function replica(token = TOKEN, uid = "1"): Pod {
  return {
    metadata: {
      generateName: "web-6d4cf56db6-",
      labels: { app: "web" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-6d4cf56db6", uid, controller: true }],
    },
    spec: {
      volumes: [{ name: token, projected: { sources: [] } }],
      containers: [{ name: "web", image: "web:1", volumeMounts: [{ name: token, mountPath: "/var/run/secrets" }] }],
    },
  };
}

function request(pod: Pod, rest: Partial<InjectRequest> = {}): InjectRequest {
  return { pod, namespace: "shop", parameters: {}, ...rest };
}

/** Counts its calls. The answer shows everything that an injection can depend on. */
function memoryOf(answerOf: (request: InjectRequest) => string, mostBytes?: number) {
  let calls = 0;
  const inject = rememberInjections(
    (_, asked): InjectAnswer => {
      calls += 1;
      return {
        injected: true,
        reason: "policy-enabled",
        patchText: answerOf(asked),
        templates: ["sidecar"],
        warnings: [],
      };
    },
    mostBytes === undefined ? undefined : cacheMemory(() => mostBytes),
  );
  return {
    ask: (asked: InjectRequest, injector = RELEASE) => textOf(inject(injector, asked)),
    inject,
    calls: () => calls,
  };
}

const textOf = (answer: InjectAnswer) => (answer.injected ? answer.patchText : "");
const shown = (asked: InjectRequest) => JSON.stringify(asked);

describe("rememberInjections()", () => {
  it("injects the first two of a workload, and answers equal ones from memory", () => {
    const { ask, calls } = memoryOf(shown);
    const answers = [1, 2, 3, 4, 5].map(() => ask(request(replica())));
    expect(answers).toEqual(answers.map(() => shown(request(replica()))));
    expect(calls()).toBe(2);
  });

  it("compares the answers of two replicas once, and exchanges the name of the token's volume from then on", () => {
    const { ask, calls } = memoryOf(shown);
    const tokens = ["aaaaa", "bbbbb", "ccccc", "ddddd", "eeeee"].map((suffix) => `kube-api-access-${suffix}`);
    for (const token of tokens) expect(ask(request(replica(token)))).toBe(shown(request(replica(token))));
    expect(calls()).toBe(3);
  });

  it("injects every replica where a template makes something else of the name", () => {
    const digest = (asked: InjectRequest) => createHash("sha256").update(shown(asked)).digest("hex");
    const { ask, calls } = memoryOf(digest);
    const tokens = ["aaaaa", "bbbbb", "ccccc", "ddddd"].map((suffix) => `kube-api-access-${suffix}`);
    for (const token of tokens) expect(ask(request(replica(token)))).toBe(digest(request(replica(token))));
    expect(calls()).toBe(4);
  });

  it.each<[string, (token: string) => Pod]>([
    ["a part of another text", (token) => withLabel(`of-${token}`)],
    ["that text with another name in it", () => withLabel("kube-api-access-bbbbb")],
    ["a key", (token) => ({ ...replica(token), metadata: { ...replica().metadata, labels: { [token]: "" } } })],
  ])("is right where the name is also %s", (_, podOf) => {
    const { ask } = memoryOf(shown);
    for (const suffix of ["aaaaa", "bbbbb", "ccccc", "bbbbb", "ddddd", "aaaaa", "eeeee"]) {
      const asked = request(podOf(`kube-api-access-${suffix}`));
      expect(ask(asked)).toBe(shown(asked));
    }
  });

  it.each<[string, (token: string) => InjectRequest, string]>([
    ["is part of a text of the pod", (token) => request(withAnnotation(token, { volumes: `["${LATER}"]` })), ""],
    ["is a text of the pod", (token) => request(withAnnotation(token, { volume: LATER })), ""],
    ["is a key of the pod", (token) => request(withAnnotation(token, { [LATER]: "" })), ""],
    ["is a URL parameter", (token) => request(replica(token), { parameters: { volume: LATER } }), ""],
    ["is in the release's own part of the patch", (token) => request(replica(token)), LATER],
  ])("is right where another pod's new name %s", (_, askedOf, added) => {
    // As a merge by name: what is added under the name of the pod's volume is merged into it.
    const merged = (asked: InjectRequest) => {
      const name = asked.pod.spec?.volumes?.[0]?.name ?? "";
      const { annotations = {} } = asked.pod.metadata ?? {};
      return JSON.stringify([name, added, `${JSON.stringify([annotations, asked.parameters])}${added}`.includes(name)]);
    };
    const { ask, calls } = memoryOf(merged);
    for (const suffix of ["aaaaa", "aaaaa", "bbbbb", "ccccc", LATER.slice(-5), "ddddd"]) {
      const asked = askedOf(`kube-api-access-${suffix}`);
      expect(ask(asked)).toBe(merged(asked));
    }
    expect(calls()).toBeGreaterThan(4);
  });

  it.each<[string, Partial<InjectRequest>]>([
    ["namespace", { namespace: "other" }],
    ["URL parameter", { parameters: { ISTIO_META_NETWORK: "n2" } }],
    ["order of URL parameters", { parameters: { B: "1", A: "1" } }],
    ["cluster's revision", { cluster: { revision: "next" } }],
    ["cluster's network", { cluster: { network: "n2" } }],
    ["native sidecars of the cluster", { cluster: { nativeSidecars: false } }],
    ["owner", { owner: { name: "a", namespace: "b", kind: "c", apiVersion: "d" } }],
  ])("injects again for another %s", (_, rest) => {
    const { ask } = memoryOf(shown);
    const usual = request(replica(), { parameters: { A: "1", B: "1" } });
    const other = { ...usual, ...rest };
    for (const asked of [usual, usual, usual, other, usual, usual, other, other, other, usual]) {
      expect(ask(asked)).toBe(shown(asked));
    }
  });

  it("injects again with another release, at once", () => {
    const releases = [{}, {}] as Injector[];
    const inject = rememberInjections((injector) => ({
      injected: true,
      reason: "policy-enabled",
      patchText: String(releases.indexOf(injector)),
      templates: [],
      warnings: [],
    }));
    for (const at of [0, 0, 0, 1, 0, 0, 1, 1, 1, 0]) {
      expect(textOf(inject(releases[at] as Injector, request(replica())))).toBe(String(at));
    }
  });

  it("is right for pods that differ in any one field of a Pod", () => {
    const { ask, calls } = memoryOf(shown);
    const asks = (pod: Pod) => expect(ask(request(pod))).toBe(shown(request(pod)));
    const changed = [...changes(replica() as JsonObject, POD_TYPE, 0)];
    expect(changed.length).toBeGreaterThan(400);
    for (let round = 0; round < 3; round++) asks(replica());
    const before = calls();
    for (const pod of changed) {
      asks(pod);
      // Remembered again, so that each is compared with the pod that it was made of.
      asks(replica());
      asks(replica());
    }
    // One has another controller, one has none: the pod after them is remembered.
    expect(calls() - before).toBe(2 * changed.length - 2);
  });

  it("remembers no error, and nothing of a pod that is not injected", () => {
    const outcomes = [() => skip, () => skip, fail, () => skip, fail];
    let at = 0;
    const inject = rememberInjections(() => (outcomes[at++] as () => InjectAnswer)());
    for (const outcome of outcomes) {
      const answer = () => inject(RELEASE, request(replica()));
      if (outcome === fail) expect(answer).toThrow("denied");
      else expect(answer()).toBe(skip);
    }
  });

  it("holds no more than its bytes of pods that never come again", () => {
    const { ask, calls } = memoryOf(shown, 100_000);
    const uids = Array.from({ length: 200 }, (_, index) => String(index));
    for (const uid of uids) for (let time = 0; time < 3; time++) ask(request(replica(TOKEN, uid)));
    expect(calls()).toBe(400);
    for (const uid of uids.slice(0, 50)) ask(request(replica(TOKEN, uid)));
    expect(calls()).toBe(450);
  });

  it("keeps no release in memory that is served no more", async () => {
    const { ask } = memoryOf(shown);
    const ended = new WeakRef(servedFor(ask));
    await setImmediate();
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    expect(ended.deref()).toBe(undefined);
  });

  it("answers with what nobody can change", () => {
    const { inject } = memoryOf(shown);
    for (let time = 0; time < 2; time++) inject(RELEASE, request(replica()));
    const answer = inject(RELEASE, request(replica()));
    expect(
      [answer, answer.injected && answer.templates, answer.injected && answer.warnings].every(Object.isFrozen),
    ).toBe(true);
  });

  it.each<[string, JsonValue]>([
    ["no list", "x"],
    ["holding null", [null]],
    ["without a uid", [{ controller: true }]],
    ["with a uid that is no text", [{ controller: true, uid: {} }]],
    ["with an endless uid", [{ controller: true, uid: "x".repeat(65) }]],
  ])("injects each pod whose owners are %s", (_, ownerReferences) => {
    const { ask, calls } = memoryOf(shown);
    const pod = { ...replica(), metadata: { ownerReferences } } as unknown as Pod;
    for (let time = 0; time < 4; time++) ask(request(pod));
    expect(calls()).toBe(4);
  });
});

/** A release that has injected a workload, and that nothing else refers to. */
function servedFor(ask: (asked: InjectRequest, injector: Injector) => string): Injector {
  const injector = { config: {} } as Injector;
  for (let time = 0; time < 3; time++) ask(request(replica()), injector);
  return injector;
}

function withLabel(value: string): Pod {
  const pod = replica(value.slice(-TOKEN.length));
  return { ...pod, metadata: { ...pod.metadata, labels: { note: value } } };
}

const LATER = "kube-api-access-zzzzz";

function withAnnotation(token: string, annotations: Readonly<Record<string, string>>): Pod {
  const pod = replica(token);
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

const skip: InjectAnswer = { injected: false, reason: "opted-out", message: "" };

function fail(): never {
  throw new Error("denied");
}

const DEPTH = 6;

/** The object with each field that its type has changed, added or taken away, one at a time. */
function* changes(object: JsonObject, type: TypeSchema, depth: number): Generator<JsonObject> {
  for (const [field, { type: fieldType }] of type.fields) {
    const value = object[field];
    for (const changed of valuesFor(value, fieldType, depth)) yield { ...object, [field]: changed };
    if (value === undefined) continue;
    const { [field]: _, ...rest } = object;
    // Without its controller, a pod is not remembered.
    if (field !== "ownerReferences" && field !== "metadata") yield rest;
  }
}

function* valuesFor(value: JsonValue | undefined, type: TypeSchema, depth: number): Generator<JsonValue> {
  if (depth > DEPTH) return;
  const { kind, element } = type;
  if (kind === "object") yield* changes((value ?? {}) as JsonObject, type, depth + 1);
  else if (kind === "map" || kind === "opaque") yield { ...((value ?? {}) as JsonObject), added: "x" };
  else if (kind === "list") {
    const items = (value ?? []) as readonly JsonValue[];
    const isOwner = items.length === 1 && (items[0] as JsonObject | undefined)?.["controller"] === true;
    if (element === undefined) yield [...items, "x"];
    else {
      for (const item of valuesFor(items[0], element, depth + 1)) {
        if (!isOwner || (item as JsonObject)["controller"] === true) yield [item, ...items.slice(1)];
      }
    }
  } else if (kind === "boolean") yield value !== true;
  else if (kind === "string" || kind === "time" || kind === "quantity" || kind === "intOrString") yield `${value}x`;
  else yield Number(value ?? 0) + 1;
}
