import type { JsonObject } from "@outrigger/base";
import { expect, it } from "vitest";
import { podChanges } from "./pod-changes.ts";

const podOf = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  metadata: { annotations, managedFields: [{ manager: Object.keys(annotations).join() }] },
  spec: { containers: [{ name: "a", image: "a:1" }], ...spec },
});
const web = (fields: JsonObject) => ({ containers: [{ name: "a", image: "a:1", ...fields }] });

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  [
    "an amount of its own, where the other has none",
    podOf({}),
    podOf(web({ resources: { limits: { cpu: "1" } } })),
    ["containers[a].resources.limits.cpu"],
  ],
  [
    "a toleration by all that it says",
    podOf({ tolerations: [{ key: "a" }] }),
    podOf({ tolerations: [{ key: "b" }] }),
    ['tolerations[[["key","b"]]]', 'tolerations[[["key","a"]]]'],
  ],
  [
    "a source of a volume by its type",
    podOf({ volumes: [{ name: "v", projected: { sources: [{ secret: { name: "a" } }] } }] }),
    podOf({ volumes: [{ name: "v", projected: { sources: [{ secret: { name: "b" } }] } }] }),
    ["volumes[v].projected.sources[secret].secret.name"],
  ],
  [
    "the order of containers",
    podOf({ containers: [{ name: "a" }, { name: "b" }] }),
    podOf({ containers: [{ name: "b" }, { name: "a" }] }),
    ["containers (order)"],
  ],
  [
    "JSON in a variable by what it means",
    podOf(web({ env: [{ name: "E", value: "[1]" }] })),
    podOf(web({ env: [{ name: "E", value: "[ 1 ]" }] })),
    [],
  ],
  [
    "an annotation, and not the injection's record",
    podOf({}),
    podOf({}, { "sidecar.istio.io/status": "{}", "a/b": "c" }),
    ["annotations[a/b]"],
  ],
])("podChanges() finds %s", (_what, running, now, expected) => {
  expect(podChanges(running, now).map(({ field }) => field)).toEqual(expected);
});
