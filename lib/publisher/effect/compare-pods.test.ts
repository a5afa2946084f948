import type { JsonObject } from "@outrigger/base";
import { expect, it } from "vitest";
import { comparePods } from "./compare-pods.ts";

const VOLUMES = [{ name: "a", emptyDir: {} }, { name: "b", secret: { secretName: "s" } }, { name: "c" }];
const CONTAINER = { name: "proxy", image: "p", command: ["run"], env: [{ name: "A", value: "1" }] };
const podOf = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata,
  spec: { containers: [CONTAINER], volumes: VOLUMES, ...spec },
});

it.each<[string, JsonObject, readonly string[]]>([
  ["the same", podOf({}), []],
  ["a volume more", podOf({ volumes: [...VOLUMES, { name: "d" }] }), ["added volume d"]],
  ["the order of volumes", podOf({ volumes: VOLUMES.toReversed() }), []],
  [
    "what a volume has",
    podOf({ volumes: [{ name: "a", emptyDir: { medium: "Memory" } }, ...VOLUMES.slice(1)] }),
    ["settings the pod"],
  ],
  ["a field of the pod", podOf({ dnsPolicy: "Default" }), ["pod-may-not-run field spec.dnsPolicy", "settings the pod"]],
  ["arguments", podOf({ containers: [{ ...CONTAINER, args: ["x"] }] }), ["command proxy"]],
  ["a variable", podOf({ containers: [{ ...CONTAINER, env: [] }] }), ["settings proxy"]],
  ["an image", podOf({ containers: [{ ...CONTAINER, image: "p:2" }] }), ["image proxy p:2"]],
  ["a container that becomes a native sidecar", podOf({ containers: [], initContainers: [CONTAINER] }), []],
  ["a label", podOf({}, { labels: { a: "b" } }), ["metadata labels or annotations"]],
  ["the record of the injection", podOf({}, { annotations: { "sidecar.istio.io/status": "{}" } }), []],
])("comparePods() says of %s what it is", (_what, after, expected) => {
  const before = podOf({}, { annotations: {} });
  expect(comparePods(before, after).map(({ name, example }) => `${name} ${example}`)).toEqual(expected);
});

it("comparePods() names the registry of an image that does not name one", () => {
  const [before, after] = ["busybox", "registry.example/busybox"].map((image) =>
    podOf({ containers: [{ ...CONTAINER, image }] }),
  ) as [JsonObject, JsonObject];
  expect(comparePods(after, before).map(({ name, example }) => `${name} ${example}`)).toContain(
    "image-registry proxy from docker.io",
  );
});

it.each([
  ["registry.istio.io/releas", ["registry-misspelt", "image-registry"]],
  ["registry.istio.io/release/more", ["image-registry"]],
  ["registry.example/istio", ["image-registry"]],
])("comparePods() takes %s for a slip, or for another registry", (repository, expected) => {
  const [before, after] = ["registry.istio.io/release", repository].map((from) =>
    podOf({ containers: [{ ...CONTAINER, image: `${from}/proxyv2:1` }] }),
  ) as [JsonObject, JsonObject];
  expect(comparePods(before, after).map(({ name }) => name)).toEqual(expected);
});
