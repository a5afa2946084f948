// What is found does not depend on what two pods share by reference, nor on what was judged before.
import { readRelease } from "outrigger:bundled-release";
import type { JsonObject, JsonValue } from "@outrigger/base";
import { injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { expect, it } from "vitest";
import { RUNS } from "../../test/support/arbitrary-pod.ts";
import { randomOf } from "../../test/support/random.ts";
import { podOf } from "../../tools/fuzz/pods.ts";
import { injectionPowers } from "./injection-powers.ts";
import { judgeInjection } from "./judge-injection.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

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

const BASELINE = parseGuardrails("baseline");

function injectionOf(pod: JsonObject) {
  try {
    const result = injectPod(injector, { pod: pod as Pod, namespace: "shop", parameters: {} });
    return result.injected ? { author: result.author as JsonObject, pod: result.pod as JsonObject } : undefined;
  } catch {
    return undefined;
  }
}
