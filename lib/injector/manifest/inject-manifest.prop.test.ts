// Injecting a manifest and uninjecting it: what the author wrote comes back byte for byte, but for what docs/inject.md names,
// and injecting it again gives the same injection.

import { type JsonObject, OutriggerError } from "@outrigger/base";
import { admittedForm, type Pod } from "@outrigger/pod";
import { formatYaml, parseYamlDocuments } from "@outrigger/yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { pick, type Random, randomOf } from "../../../test/support/random.ts";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { injectManifest, uninjectManifest } from "./inject-manifest.ts";

const RUNS = Number(process.env["OUTRIGGER_UNINJECT_RUNS"] ?? 40);

let injector: Injector;
let makePod: (random: Random) => Pod;

beforeAll(async () => {
  injector = loadRelease(compileRelease([await shippedTreeUntried()]));
  makePod = podGenerator();
}, 60_000);

const FORMS = {
  block: (value: JsonObject) => formatYaml(value),
  indented: (value: JsonObject) => formatYaml(value, { indent: 2, indentsLists: true }),
  json: (value: JsonObject) => `${JSON.stringify(value)}\n`,
  "json lines": (value: JsonObject) => `${JSON.stringify(value, undefined, 2)}\n`,
} as const;

/** A manifest as an author may have written it: a Pod or a Deployment, in one of the forms. */
function manifestOf(pod: Pod, random: Random): string {
  const isPod = random() < 0.5;
  const template = pod as unknown as JsonObject;
  const document: JsonObject = isPod
    ? { apiVersion: "v1", kind: "Pod", ...template }
    : { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { template } };
  const text = FORMS[pick(random, Object.keys(FORMS) as (keyof typeof FORMS)[])](document);
  return random() < 0.2 ? text.replaceAll("\n", "\r\n") : text;
}

const inject = (text: string) =>
  injectManifest(text, { source: "pod", inject: (request) => injectPod(injector, request) }).text;

/** Whether docs/inject.md says that something of the pod does not come back as it was. */
function isNamed({ metadata, spec }: Pod): boolean {
  const text = JSON.stringify([metadata, spec]).replaceAll('"emptyDir":{}', '"emptyDir":{"a":1}');
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return (
    /\[\]|\{\}|:null|"tcpSocket"|"grpc"/.test(text) ||
    containers.some(({ name }) => injector.isInjectable(name)) ||
    (spec?.volumes ?? []).some((volume) => injector.isInjectable(volume.name) || Object.keys(volume).length === 1) ||
    /gateway|grpc/.test(metadata?.annotations?.["inject.istio.io/templates"] ?? "")
  );
}

describe("uninjectManifest()", () => {
  it("gives back what the author wrote, and the same injection the next time", () => {
    const faults: string[] = [];
    let [injected, exact] = [0, 0];
    for (let seed = 1; seed <= RUNS && faults.length < 12; seed++) {
      const random = randomOf(seed);
      const pod = makePod(random);
      const text = manifestOf(pod, random);
      const first = attempt(() => inject(text));
      if (first === undefined || first === text) continue;
      injected += 1;
      const back = uninjectManifest(first, injector, { source: "pod" }).text;
      if (!isNamed(pod)) {
        exact += 1;
        if (back !== text) faults.push(`seed ${seed}: ${firstDifference(text, back)}`);
      }
      if (meaningOf(back) !== meaningOf(text))
        faults.push(`seed ${seed}: ${firstDifference(meaningOf(text), meaningOf(back))}`);
      const again = inject(back);
      if (sortedText(again) !== sortedText(first)) faults.push(`seed ${seed}: injects differently the next time`);
    }
    expect(faults).toEqual([]);
    expect(injected).toBeGreaterThan(RUNS / 2);
    expect(exact).toBeGreaterThan(RUNS / 16);
  });

  it("gives back the empty lists and maps of a container that it moved", () => {
    const own = "    - {name: istio-init, image: a, resizePolicy: [], env: [], securityContext: {}, lifecycle: null}\n";
    const text = `kind: Pod
metadata: {name: web, annotations: {a: b}}
spec:
  initContainers:
    - {name: setup, image: a, args: []}
${own}  containers:
    - {name: web, image: a, tolerations: []}
`;
    const injected = inject(text);
    expect(injected.indexOf("name: istio-init")).toBeLessThan(injected.indexOf("name: setup"));
    const [back] = parseYamlDocuments(uninjectManifest(injected, injector, { source: "pod" }).text, "pod");
    expect(back?.value).toEqual(parseYamlDocuments(text, "pod")[0]?.value);
  });
});

describe("injectPod() of an injected manifest that an API server has stored", () => {
  it("changes nothing", () => {
    const faults: string[] = [];
    let injected = 0;
    for (let seed = 1; seed <= RUNS && faults.length < 12; seed++) {
      const pod = makePod(randomOf(seed));
      const request = { namespace: "shop", parameters: {} };
      const first = attempt(() => injectPod(injector, { ...request, pod }));
      if (first?.injected !== true) continue;
      injected += 1;
      const stored = admittedForm(first.pod, { namespace: "shop" });
      const again = injectPod(injector, { ...request, pod: stored });
      const patch = again.injected ? again.patchText : again.message;
      if (patch !== "[]") faults.push(`seed ${seed}: ${patch.slice(0, 300)}`);
    }
    expect(faults).toEqual([]);
    expect(injected).toBeGreaterThan(RUNS / 2);
  });
});

/** Returns the result, or undefined for a pod that is denied. */
function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

/** Prints a value with its keys sorted, because a restored field may be at another place of its mapping. */
function sortedText(text: string): string {
  return parseYamlDocuments(text, "pod")
    .map(({ value }) => formatYaml(value))
    .join("---\n");
}

/** A text without what is null or empty in it: what an API server reads of it. */
function meaningOf(text: string): string {
  return parseYamlDocuments(text, "pod")
    .map(({ value }) => formatYaml((withoutEmpty(value) ?? {}) as JsonObject))
    .join("---\n");
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? {});
  if (typeof value !== "object") return value;
  const entries = Object.entries(value ?? {}).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  // A template's delay of 0 stays in a probe of the author's own proxy: it is what an API server takes for none.
  const kept = entries.filter(([key, inner]) => inner !== undefined && !(key === "initialDelaySeconds" && inner === 0));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function firstDifference(wanted: string, got: string): string {
  const [left, right] = [wanted.split("\n"), got.split("\n")];
  const at = left.findIndex((line, index) => line !== right[index]);
  return `line ${at + 1}: ${left[at]} → ${right[at]}`;
}
