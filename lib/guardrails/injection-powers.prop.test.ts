// What is found does not depend on what two pods share by reference, nor on what was judged before.
import { readRelease } from "outrigger:bundled-release";
import type { JsonObject, JsonValue } from "@outrigger/base";
import { injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { expect, it } from "vitest";
import { RUNS } from "../../test/support/arbitrary-pod.ts";
import { pick, randomOf, some } from "../../test/support/random.ts";
import { podOf } from "../../tools/fuzz/pods.ts";
import { injectionPowers } from "./injection-powers.ts";
import { type FreeParts, keepFree } from "./judge-difference.ts";
import { judgeInjection } from "./judge-injection.ts";
import { parseGuardrails } from "./parse-guardrails.ts";
import type { Guardrails } from "./read-guardrails.ts";

const injector = loadRelease(readRelease());
const FIRST = Number(process.env["OUTRIGGER_PROPERTY_SEED"] ?? 1);
const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
const strict = parseGuardrails("restricted,image:registry.example/*,imageDigest,secret:a,cpu:1");

it("injectionPowers() finds the same in copies, and judgeInjection() what is refused of it", () => {
  let injected = 0;
  // A third of the pods is injected: by chance fewer, so it is those that are counted.
  for (let seed = FIRST; injected < RUNS / 12; seed++) {
    expect(seed - FIRST, "pods tried, of which too few are injected").toBeLessThan(RUNS);
    const result = injectionOf(podOf(randomOf(seed)));
    if (result === undefined) continue;
    injected += 1;
    for (const isStrict of [false, true]) {
      const found = injectionPowers(result.author, result.pod, { isStrict });
      expect(found).toEqual(injectionPowers(copyOf(result.author), copyOf(result.pod), { isStrict }));
    }
    expect(judgeInjection(strict, result.author, result.pod)).toEqual(
      judgeInjection(strict, copyOf(result.author), copyOf(result.pod)),
    );
  }
});

it("injectionPowers() finds what is closed in a part that was free elsewhere, frozen or not", () => {
  const part = Object.freeze({ type: "Unconfined" });
  const author: JsonObject = { metadata: {}, spec: { containers: [{ name: "web", image: "web" }] } };
  const withPart = (field: string): JsonObject => {
    const own: JsonValue = { name: "own", image: "own", [field]: { type: part, seccompProfile: part } };
    return {
      metadata: {},
      spec: { containers: [own, ...(author["spec"] as { containers: JsonObject[] }).containers] },
    };
  };
  for (let time = 0; time < 3; time++) {
    injectionPowers(author, { metadata: { labels: part as JsonObject }, spec: author["spec"] as JsonObject });
    const kinds = injectionPowers(author, withPart("securityContext")).map(({ kind }) => kind);
    expect(kinds).toEqual(["image", "field", "unconfined"]);
  }
});

it("judgeInjection() admits a part to one container and refuses the same part to another, in whatever order they come", () => {
  const part = Object.freeze({ add: Object.freeze(["NET_ADMIN"]) });
  const open = Object.freeze({ capabilities: { add: [] as string[] } });
  const author: JsonObject = { metadata: {}, spec: { containers: [{ name: "web", image: "web" }] } };
  const kindsOf = (name: string, securityContext: JsonObject) => {
    const own: JsonValue = { name, image: "own", securityContext };
    const spec = { containers: [...(author["spec"] as { containers: JsonObject[] }).containers, own] };
    return judgeInjection(BASELINE, author, { metadata: {}, spec }).map(({ kind }) => kind);
  };
  for (let time = 0; time < 3; time++) {
    expect(kindsOf("istio-init", { capabilities: part })).toEqual([]);
    expect(kindsOf("own", { capabilities: part })).toEqual(["capability"]);
  }
  expect(kindsOf("own", open)).toEqual([]);
  // Frozen outside alone, it may be another one by now.
  open.capabilities.add.push("SYS_ADMIN");
  expect(kindsOf("own", open)).toEqual(["capability"]);
});

it("judgeInjection() finds the same in a container of the mesh whether its parts were judged before or not, in its order", () => {
  const author: JsonObject = { metadata: {}, spec: { containers: [{ name: "web", image: "web" }] } };
  const judge = (guardrails: Guardrails, own: JsonValue) => {
    const containers = [...(author["spec"] as { containers: JsonObject[] }).containers, own];
    return judgeInjection(guardrails, author, { metadata: {}, spec: { containers } });
  };
  let found = 0;
  for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
    const random = randomOf(seed);
    const fields = some(random, Object.entries(PARTS), 0.5);
    const own = Object.fromEntries(fields.map(([field, parts]) => [field, pick(random, parts)]));
    for (const name of ["istio-proxy", "istio-init", "own"]) {
      const container = { name, image: "own", ...own };
      const powers = judge(BASELINE, container);
      expect(powers).toEqual(judge(parseGuardrails("baseline"), copyOf(container)));
      expect(judge(BASELINE, Object.freeze(container))).toEqual(powers);
      expect(judge(BASELINE, container)).toEqual(powers);
      found += powers.length;
    }
  }
  expect(found).toBeGreaterThan(RUNS);
});

it("judgeInjection() does not take a part that is free in one field of the proxy, or of one command, for free in another", () => {
  const author: JsonObject = { metadata: {}, spec: { containers: [{ name: "web", image: "web" }] } };
  const [mount, args] = [frozen({ name: "istio-envoy", mountPath: "/etc/istio/proxy" }), frozen(["proxy", "sidecar"])];
  const foundIn = (own: JsonObject) => {
    const containers = [...(author["spec"] as { containers: JsonObject[] }).containers, own];
    return judgeInjection(BASELINE, author, { metadata: {}, spec: { containers } }).map(({ value }) => value);
  };
  for (let time = 0; time < 3; time++) {
    expect(foundIn({ name: "istio-proxy", args, volumeMounts: [mount] })).toEqual([]);
    expect(foundIn({ name: "istio-proxy", env: [mount] })).toContain(
      "spec.containers[istio-proxy].env[/etc/istio/proxy]",
    );
    expect(foundIn({ name: "istio-proxy", command: args })).toEqual(["spec.containers[istio-proxy].command"]);
    expect(foundIn({ name: "istio-init", args })).toContain("spec.containers[istio-init].args[0]");
  }
});

it("judgeInjection() keeps few parts, and no long texts, however many pods choose them", () => {
  const parts: FreeParts = new Map();
  for (let pod = 0; pod < 1000; pod++) keepFree(parts, "args", Object.freeze([`--log_output_level=${pod}`]));
  keepFree(parts, "args", "x".repeat(1000));
  expect(parts.get("args")).toHaveLength(64);
  expect(parts.get("args")?.[0]).toEqual(["--log_output_level=999"]);
});

const frozen = <Value>(value: Value): Value => {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

/** Values of fields, frozen as those of releases are, of which each container is given some: some are free, some only in one container. */
const PARTS: Readonly<Record<string, readonly JsonValue[]>> = frozen({
  securityContext: [{ runAsUser: 1337 }, { capabilities: { add: ["NET_ADMIN"] } }, { privileged: true }],
  args: [["proxy", "sidecar"], ["istio-iptables", "-p", "15001"], ["--evil"]],
  command: [["evil"]],
  env: (["PILOT_CERT_PROVIDER", "EVIL", "CA_ADDR"] as const).map((name) => [
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name, value: "istiod" },
    { name: "OF_SECRET", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
  ]),
  volumeMounts: [[{ name: "istio-envoy", mountPath: "/etc/istio/proxy" }], [{ name: "other", mountPath: "/etc/evil" }]],
  lifecycle: [
    { postStart: { exec: { command: ["pilot-agent", "wait"] } } },
    { preStop: { exec: { command: ["evil"] } } },
  ],
  readinessProbe: [
    { httpGet: { path: "/healthz/ready", port: 15021 } },
    { httpGet: { host: "evil.example", port: 1 } },
  ],
  unheardOf: [{ evil: true }],
});

const BASELINE = parseGuardrails("baseline");

function injectionOf(pod: JsonObject) {
  try {
    const result = injectPod(injector, { pod: pod as Pod, namespace: "shop", parameters: {} });
    return result.injected ? { author: result.author as JsonObject, pod: result.pod as JsonObject } : undefined;
  } catch {
    return undefined;
  }
}
