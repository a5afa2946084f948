import type { JsonObject, JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { CONTAINER, type Rule } from "./fields.ts";
import { injectionPowers } from "./injection-powers.ts";
import {
  differing,
  type FreeParts,
  isOwnValue,
  judgeAdded,
  keepFree,
  nameIn,
  nameOf,
  type Options,
  text,
  type Walk,
} from "./judge-difference.ts";

const app = { name: "app", image: "registry.example/app:1" };

/** What an injection into a container of the author's changes of it. */
function closedIn(mine: JsonObject, now: JsonObject, volumes: readonly JsonObject[] = []) {
  return injectionPowers(
    { metadata: {}, spec: { containers: [{ ...app, ...mine }], volumes } },
    { metadata: {}, spec: { containers: [{ ...app, ...now }], volumes } },
  ).map(({ kind, value, effect }) => `${effect ?? kind} ${value.replace("spec.containers[app].", "")}`);
}

/** What an injection of a container, or of fields of the pod, reports as kinds and values. */
function added(container: JsonObject, spec: JsonObject = {}, metadata: JsonObject = {}) {
  return injectionPowers(
    { metadata: {}, spec: { containers: [app] } },
    { metadata, spec: { containers: [app, { name: "own", ...container }], ...spec } },
  ).map(({ kind, value }) => `${kind} ${value}`.trim());
}

describe("what is added", () => {
  it.each<[JsonObject, readonly string[]]>([
    [{ image: "a" }, ["image a"]],
    [{ ports: [{ containerPort: 1, hostPort: 80 }] }, ["hostPort 80"]],
    [{ ports: [{ containerPort: 1, hostPort: 0 }] }, []],
    [{ securityContext: { privileged: true } }, ["privileged"]],
    [{ securityContext: { privileged: false } }, []],
    [{ securityContext: { procMount: "Unmasked" } }, ["procMount Unmasked"]],
    [{ securityContext: { procMount: "Default" } }, []],
    [{ securityContext: { seccompProfile: { type: "Unconfined" } } }, ["unconfined"]],
    [{ securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "a" } } }, []],
    [{ securityContext: { seLinuxOptions: { type: "spc_t", level: "s0" } } }, ["seLinux spc_t"]],
    [{ securityContext: { windowsOptions: { hostProcess: true } } }, ["hostProcess"]],
    [{ securityContext: { capabilities: { add: ["A", "B"], drop: ["C"] } } }, ["capability A", "capability B"]],
    [{ livenessProbe: { httpGet: { host: "a.example", port: 1 } } }, ["host a.example"]],
    [{ livenessProbe: { httpGet: { host: "", port: 1 } } }, []],
    [{ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }, ["secret s"]],
    [{ envFrom: [{ configMapRef: { name: "c" } }, { secretRef: { name: "s" } }] }, ["configMap c", "secret s"]],
    [{ resources: { claims: [{ name: "gpu" }] } }, ["field spec.containers[own].resources.claims"]],
    [
      { resources: { limits: { cpu: "1", "example.com/gpu": "1" } } },
      ["field spec.containers[own].resources.limits[example.com/gpu]"],
    ],
  ])("of a container, %j, is reported as %j", (container, powers) => {
    expect(added(container)).toEqual(powers);
  });

  const volume = (source: JsonObject) => ({ volumes: [{ name: "v", ...source }] });

  it.each<[JsonObject, readonly string[]]>([
    [{ hostPID: true }, ["hostPID"]],
    [{ hostPID: false }, []],
    [{ serviceAccountName: "admin" }, ["serviceAccountName admin"]],
    [{ imagePullSecrets: [{ name: "pull" }] }, ["secret pull"]],
    [{ securityContext: { sysctls: [{ name: "a.b", value: "1" }] } }, ["sysctl a.b"]],
    [{ dnsConfig: { nameservers: ["1.1.1.1"] } }, ["field spec.dnsConfig.nameservers"]],
    [volume({ nfs: { server: "a", path: "/" } }), ["volumeType nfs"]],
    [volume({ hostPath: { path: "/run", type: "Directory" } }), ["hostPath /run"]],
    [volume({ emptyDir: { medium: "Memory" } }), []],
    [
      volume({ projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } }),
      ["audience vault"],
    ],
    [volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }), ["audience"]],
    [
      volume({ projected: { sources: [{ secret: { name: "s" } }, { configMap: { name: "c" } }] } }),
      ["secret s", "configMap c"],
    ],
    [volume({ csi: { driver: "csi.example", nodePublishSecretRef: { name: "s" } } }), ["csi csi.example", "secret s"]],
    [volume({ persistentVolumeClaim: { claimName: "data" } }), ["claim data"]],
  ])("to a pod, %j, is reported as %j", (spec, powers) => {
    expect(added({}, spec)).toEqual(powers);
  });

  it("to its metadata is reported by its key", () => {
    const metadata = {
      labels: { team: "a", "other.example/a": "b", "istio.io/rev": "c" },
      annotations: { note: "a", "vault.example/inject": "true" },
    };
    expect(added({}, {}, metadata)).toEqual(["label other.example/a", "annotation vault.example/inject"]);
  });

  it("is at the place where it is written", () => {
    const [power] = injectionPowers(
      { metadata: {}, spec: { containers: [app] } },
      {
        metadata: {},
        spec: { containers: [app, { name: "own", securityContext: { capabilities: { add: ["A", "B"] } } }] },
      },
    ).slice(1);
    expect(power).toMatchObject({
      value: "B",
      at: ["spec", "containers", 1, "securityContext", "capabilities", "add", 1],
      container: "own",
      holders: [{ container: "own", image: "" }],
    });
  });
});

describe("what is changed of the author's container", () => {
  const probe = { httpGet: { path: "/own", port: 80 }, periodSeconds: 5 };
  const agent = (path: string, more: JsonObject = {}) => ({
    httpGet: { path, port: 15020, ...more },
    periodSeconds: 5,
  });

  it.each<[string, JsonObject | undefined, JsonObject | undefined, boolean]>([
    ["for the container", probe, agent("/app-health/app/livez"), true],
    ["for another container", probe, agent("/app-health/other/livez"), false],
    ["for a container whose name begins alike", probe, agent("/app-health/app2/livez"), false],
    ["by another path", probe, agent("/other/app/livez"), false],
    ["by a path that has the agent's in it", probe, agent("/x/app-health/app/livez"), false],
    ["at another host", probe, agent("/app-health/app/livez", { host: "evil.example" }), false],
    ["with another field too", probe, { ...agent("/app-health/app/livez"), periodSeconds: 1 }, false],
    ["in place of a program", { exec: { command: ["a"] }, periodSeconds: 5 }, agent("/app-health/app/livez"), true],
    [
      "besides a program that is another",
      { exec: { command: ["a"] } },
      { ...agent("/app-health/app/x"), exec: { command: ["b"] } },
      false,
    ],
    ["where there was none", undefined, agent("/app-health/app/livez"), false],
    ["no more", probe, undefined, false],
    [
      "at the author's host",
      { httpGet: { host: "a", port: 1 }, periodSeconds: 5 },
      agent("/app-health/app/x", { host: "a" }),
      true,
    ],
    ["without a handler", probe, { periodSeconds: 5 }, false],
    ["not at all", probe, structuredClone(probe), true],
  ])("a probe may ask the agent %s: %#", (_what, before, after, isFree) => {
    const [mine, now] = [{ ...(before && { livenessProbe: before }) }, { ...(after && { livenessProbe: after }) }];
    expect(closedIn(mine, now)).toEqual(isFree ? [] : ["author-changed livenessProbe"]);
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["its image", {}, { image: "evil" }, ["image"]],
    ["its command", { command: ["a"] }, { command: ["b"] }, ["command"]],
    ["an empty list for none, which is nothing", {}, { args: [] }, []],
    ["a copy, which is the same", { command: ["a"] }, { command: ["a"] }, []],
    ["a field more", {}, { stdin: true }, ["stdin"]],
    ["a field less", { stdin: true }, {}, ["stdin"]],
    [
      "a variable's value",
      { env: [{ name: "A", value: "1" }] },
      { env: [{ name: "A", value: "2" }] },
      ["env[A]", "env"],
    ],
    [
      "a telemetry variable of the author's",
      { env: [{ name: "DD_ENV", value: "1" }] },
      { env: [{ name: "DD_ENV", value: "2" }] },
      ["env[DD_ENV]", "env"],
    ],
    ["a variable that is nobody's", {}, { env: [{ name: "LD_PRELOAD", value: "/a" }] }, ["env[LD_PRELOAD]"]],
    [
      "variables of telemetry and gRPC, which are free",
      { env: [{ name: "A" }] },
      { env: [{ name: "DD_ENV", value: "1" }, { name: "A" }, { name: "GRPC_VERBOSITY", value: "x" }] },
      [],
    ],
    [
      "a variable's value from one before it, which is the author's",
      { env: [{ name: "A" }] },
      { env: [{ name: "A" }, { name: "DD_ENV", value: "$(A)" }] },
      ["env[DD_ENV]"],
    ],
  ])("closes %s", (_what, mine, now, fields) => {
    expect(closedIn(mine, now)).toEqual(fields.map((field) => `author-changed ${field}`));
  });

  it("closes a volume of the author's that is another", () => {
    const podOf = (source: JsonObject) => ({
      metadata: {},
      spec: { containers: [app], volumes: [{ name: "own", ...source }] },
    });
    const powers = injectionPowers(podOf({ emptyDir: {} }), podOf({ emptyDir: { medium: "Memory" } }));
    expect(powers).toMatchObject([{ kind: "field", value: "spec.volumes[own].emptyDir", effect: "author-changed" }]);
  });
});

describe("judgeAdded()", () => {
  const judge = (value: JsonValue, options: Options = {}, free: FreeParts<Rule> = new Map()) => {
    const of: Walk = { was: {}, is: {}, options, container: "own", free, needs: [], at: [], found: [] };
    return {
      isFree: judgeAdded(value, CONTAINER, of),
      found: of.found.map(({ kind }) => kind),
      kept: [...free.values()],
    };
  };
  const frozen = <Value extends JsonValue>(value: Value): Value => {
    if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
    return value;
  };

  it("keeps what is frozen and has nothing to report, part by part", () => {
    const securityContext = frozen({ runAsUser: 1, privileged: false });
    const own = frozen({ name: "own", securityContext });
    expect(judge(own)).toEqual({ isFree: true, found: [], kept: [[securityContext], [own]] });
    expect(judge({ name: "own", securityContext })).toEqual({ isFree: false, found: [], kept: [[securityContext]] });
    expect(judge(frozen({ ports: [{ containerPort: 1 }] }))).toMatchObject({ isFree: true, found: [] });
    expect(judge(Object.freeze({ ports: [{ containerPort: 1 }] }))).toEqual({ isFree: false, found: [], kept: [] });
  });

  it("keeps nothing that holds something to report, and what is beside it", () => {
    const [free, closed] = [frozen({ limits: {} }), frozen({ privileged: true })];
    const { isFree, found, kept } = judge(frozen({ resources: free, securityContext: closed, env: [] }));
    expect([isFree, found]).toEqual([false, ["privileged"]]);
    expect(kept.flat()).toContain(free);
    expect(kept.flat()).not.toContain(closed);
  });

  it("keeps what is reported and admitted, and does not look at what it has kept", () => {
    const own = frozen({ image: "a", securityContext: { privileged: true } });
    const { isFree, kept } = judge(own, { isAdmitted: () => true });
    expect(isFree).toBe(true);
    expect(kept.flat()).toContain(own);
    const free: FreeParts<Rule> = new Map([[CONTAINER, [own]]]);
    expect(judge(own, {}, free)).toMatchObject({ isFree: true, found: [] });
    expect(judge(structuredClone(own), {}, free)).toMatchObject({ isFree: false, found: ["image", "privileged"] });
  });
});

describe("isOwnValue()", () => {
  const at = (env: readonly JsonValue[], index: number, authors: readonly JsonValue[] = []) =>
    isOwnValue(env, index, authors);

  it.each<[readonly JsonValue[], boolean]>([
    [[{ name: "A" }], true],
    [[{ name: "A", value: "text" }], true],
    [[{ name: "A", valueFrom: { fieldRef: {} } }], true],
    [[{ name: "A", valueFrom: { resourceFieldRef: {} } }], true],
    [[{ name: "A", valueFrom: { fieldRef: {}, secretKeyRef: {} } }], false],
    [[{ name: "A", valueFrom: { fileKeyRef: {} } }], false],
    [[{ name: "A", value: "$(B)" }], false],
    [[{ name: "A", value: "$B $" }], true],
    [[{ name: "A", value: "$$(B)" }], true],
    [[{ name: "A", value: "$$$(B)" }], false],
    [[{ name: "A", value: 5 }], true],
  ])("of %j is %s", (env, isOwn) => {
    expect(at(env, 0)).toBe(isOwn);
  });

  it("takes only variables that come before, and none of the author's", () => {
    const env = [
      { name: "A", value: "$(C)" },
      { name: "B", value: "$(A)" },
      { name: "C", value: "$(A) $(B)" },
    ];
    expect([0, 1, 2].map((index) => at(env, index))).toEqual([false, true, true]);
    expect([0, 1, 2].map((index) => at(env, index, [{ name: "B" }]))).toEqual([false, true, false]);
  });
});

describe("what an item is called", () => {
  it.each<[JsonValue | undefined, JsonValue | undefined, string]>([
    [{ name: "a" }, "a", "a"],
    [{ name: "a", mountPath: "/a" }, "/a", "a"],
    [{ name: "a", containerPort: 80 }, 80, "a"],
    [{}, undefined, ""],
    [{ name: 5 }, 5, "5"],
    ["a", undefined, ""],
    [null, undefined, ""],
    [undefined, undefined, ""],
  ])("%j", (item, name, own) => {
    expect(nameOf(item)).toEqual(name);
    expect(nameIn(item)).toBe(own);
  });

  it("text() is a text as it is, and anything else as JSON", () => {
    expect([text("a"), text(5), text({ a: [1] }), text(null), text(undefined)]).toEqual([
      "a",
      "5",
      '{"a":[1]}',
      "null",
      "",
    ]);
  });
});

it.each<[JsonObject, JsonObject, readonly string[]]>([
  [{}, {}, []],
  [{ a: 1, b: 2 }, { a: 1, b: 2 }, []],
  [{ a: 1 }, { a: 2 }, ["a"]],
  [{ a: 1 }, { a: 1, b: 1 }, ["b"]],
  [{ a: 1, b: 1 }, { b: 1 }, ["a"]],
  [{ a: 1, b: 1 }, { b: 2, c: 1 }, ["b", "c", "a"]],
  [{ a: 1, b: 1, c: 1 }, { d: 1 }, ["d", "a", "b", "c"]],
  [{ a: [] }, { a: [] }, ["a"]],
])("differing() finds in %j and %j the keys %j", (was, is, keys) => {
  expect(differing(was, is)).toEqual(keys);
});

it("differing() takes a key without a value for one that is there", () => {
  const none = { a: undefined } as unknown as JsonObject;
  expect(differing(none, none)).toEqual([]);
  expect(differing({ b: 1 }, none)).toEqual(["b"]);
  expect(differing(none, { b: 1 })).toEqual(["b", "a"]);
});

it("keepFree() has the newest part first, texts of at most 256 characters, and does without a place to keep them", () => {
  const parts: FreeParts = new Map();
  keepFree(parts, "a", "one");
  keepFree(parts, "a", "x".repeat(256));
  keepFree(parts, "a", "x".repeat(257));
  keepFree(parts, "b", 5);
  expect([...parts]).toEqual([
    ["a", ["x".repeat(256), "one"]],
    ["b", [5]],
  ]);
  expect(() => keepFree(undefined, "a", "one")).not.toThrow();
});
