import { defined, type JsonObject, type JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readCases } from "../../../test/reference/read-reference.ts";
import { readSchema } from "../schema/schema.ts";
import { strategicMerge } from "./strategic-merge.ts";

function spec(value: JsonObject): JsonObject {
  return { spec: value };
}

function app(value: JsonObject): JsonObject {
  return { spec: { containers: [{ name: "app", ...value }] } };
}

const env = (...names: readonly string[]): JsonValue => names.map((name) => ({ name, value: name }));

describe("strategicMerge()", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "merges objects field by field",
      spec({ securityContext: { fsGroup: 1, runAsUser: 2 } }),
      spec({ securityContext: { runAsUser: 3 } }),
      spec({ securityContext: { fsGroup: 1, runAsUser: 3 } }),
    ],
    [
      "removes what the overlay sets to null, and only that",
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { a: null, c: null } } },
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "merges items by key and puts new ones in front",
      spec({ containers: [{ name: "app", image: "a", env: env("A") }] }),
      spec({ containers: [{ name: "proxy" }, { name: "app", image: "b", env: env("B") }] }),
      spec({ containers: [{ name: "proxy" }, { name: "app", image: "b", env: env("B", "A") }] }),
    ],
    ["replaces lists without a merge key", app({ args: ["a", "b"] }), app({ args: ["c"] }), app({ args: ["c"] })],
    ["leaves a list out when the overlay empties it", app({ args: ["a"] }), app({ args: [] }), app({})],
    [
      "keeps a required list of which every item is deleted",
      app({}),
      app({ $patch: "delete" }),
      spec({ containers: [] }),
    ],
    [
      "keeps a merged list when the overlay's is empty",
      app({ env: env("A") }),
      app({ env: [] }),
      app({ env: env("A") }),
    ],
    [
      "deletes items",
      app({ env: env("A", "B", "A") }),
      app({ env: [{ name: "A", $patch: "delete" }, { name: "C" }] }),
      app({ env: [{ name: "C" }, { name: "B", value: "B" }] }),
    ],
    [
      "replaces a list",
      app({ env: env("A", "B") }),
      app({ env: [{ $patch: "replace" }, { name: "C" }, { name: "A", $patch: "delete" }] }),
      app({ env: [{ name: "C" }] }),
    ],
    [
      "replaces an object",
      spec({ securityContext: { fsGroup: 1 } }),
      spec({ securityContext: { $patch: "replace", runAsUser: 3, runAsGroup: null } }),
      spec({ securityContext: { runAsUser: 3 } }),
    ],
    [
      "empties an object",
      spec({ securityContext: { fsGroup: 1 }, nodeSelector: { a: "b" } }),
      spec({ securityContext: { $patch: "delete" }, nodeSelector: { $patch: "delete" } }),
      spec({ securityContext: {} }),
    ],
    [
      "replaces an object and a map by nothing",
      spec({ securityContext: { fsGroup: 1 }, nodeSelector: { a: "b" } }),
      spec({ securityContext: { $patch: "replace" }, nodeSelector: { $patch: "replace" } }),
      spec({ securityContext: {} }),
    ],
    [
      "retains the keys that the directive names",
      spec({ volumes: [{ name: "v", emptyDir: {} }] }),
      spec({ volumes: [{ name: "v", secret: { secretName: "s" }, $retainKeys: ["name", "secret"] }] }),
      spec({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
    ],
    [
      "adds to and deletes from lists of scalars",
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { finalizers: ["c", "b"], "$deleteFromPrimitiveList/finalizers": ["a"] } },
      { metadata: { finalizers: ["c", "b"] } },
    ],
    [
      "orders a list as the directive says",
      app({ env: env("A", "B", "C") }),
      app({ env: env("D"), "$setElementOrder/env": [{ name: "C" }, { name: "D" }, { name: "A" }] }),
      app({ env: env("B", "C", "D", "A") }),
    ],
    [
      "orders a list that it does not change",
      app({ env: env("A", "B") }),
      app({ "$setElementOrder/env": [{ name: "B" }, { name: "A" }] }),
      app({ env: env("B", "A") }),
    ],
    [
      "puts a new item in the place of a deleted one when it orders",
      app({ env: env("A", "X", "Y") }),
      app({ env: [{ name: "A", $patch: "delete" }, { name: "B" }], "$setElementOrder/env": [{ name: "B" }] }),
      app({ env: [...(env("X", "Y") as JsonValue[]), { name: "B" }] }),
    ],
    [
      "merges the first of items with the same key and brings the others up to it",
      app({
        ports: [{ containerPort: 53, protocol: "TCP" }, { containerPort: 80 }, { containerPort: 53, protocol: "UDP" }],
      }),
      app({ ports: [{ containerPort: 53, name: "dns" }] }),
      app({
        ports: [
          { containerPort: 53, name: "dns", protocol: "TCP" },
          { containerPort: 53, protocol: "UDP" },
          { containerPort: 80 },
        ],
      }),
    ],
    [
      "takes nothing but fields from an overlay that has nothing to merge into",
      spec({}),
      spec({
        securityContext: { fsGroup: null, runAsUser: 1, seccompProfile: { $patch: "delete" } },
        imagePullSecrets: [{ name: "a", $patch: "delete" }, { name: "b" }],
        tolerations: [],
        nodeSelector: {},
        "$setElementOrder/volumes": [{ name: "v" }],
      }),
      spec({ securityContext: { runAsUser: 1 }, imagePullSecrets: [{ name: "b" }] }),
    ],
    [
      "writes required fields with their zero value",
      spec({ containers: [{ name: "app", livenessProbe: { httpGet: { path: "/", port: 80 } } }] }),
      spec({
        containers: [{ name: "app", livenessProbe: { httpGet: { port: null } }, volumeMounts: [{ mountPath: "/a" }] }],
      }),
      spec({
        containers: [
          {
            name: "app",
            livenessProbe: { httpGet: { path: "/", port: 0 } },
            volumeMounts: [{ mountPath: "/a", name: "" }],
          },
        ],
      }),
    ],
    [
      "keeps keys that only look like a directive",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $x: "2" }, annotations: { $: "3" } } },
      { metadata: { labels: { a: "1", $x: "2" }, annotations: { $: "3" } } },
    ],
    [
      "keeps keys that are called like methods apart",
      spec({}),
      { constructor: { a: 1 } },
      { spec: {}, constructor: { a: 1 } },
    ],
    [
      "replaces a list that no schema knows, and a scalar, and adds an object",
      spec({ newer: [1, 2], newest: "a" }),
      spec({ newer: [3], newest: "b", other: { a: [1] } }),
      spec({ newer: [3], newest: "b", other: { a: [1] } }),
    ],
  ])("%s", (_, target, overlay, expected) => {
    expect(strategicMerge(target, overlay)).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["spec.containers", spec({ containers: [] }), spec({ containers: {} })],
    ["spec.securityContext", spec({ securityContext: {} }), spec({ securityContext: [] })],
    ["spec.securityContext", spec({ securityContext: {} }), spec({ securityContext: "x" })],
    ["spec.hostNetwork", spec({ hostNetwork: true }), spec({ hostNetwork: {} })],
    ["spec.containers[0]", spec({ containers: [] }), spec({ containers: ["x"] })],
    ["spec.containers[1]", spec({ containers: [] }), spec({ containers: [{ name: "a" }, { image: "x" }] })],
    [
      "spec.containers[0].securityContext",
      spec({ containers: [{ name: "a", securityContext: {} }, { name: "b" }] }),
      spec({ containers: [{ name: "c" }, { name: "a", securityContext: "x" }] }),
    ],
    ["spec.containers[0]", spec({ containers: [] }), spec({ containers: [{ $patch: "delete" }] })],
    ["spec.containers[0]", spec({ containers: [] }), spec({ containers: [{ name: "a", $patch: "merge" }] })],
    ["spec.securityContext", spec({ securityContext: {} }), spec({ securityContext: { $patch: "merge" } })],
    ["", spec({}), { $patch: "update" }],
    ["spec.unknown", spec({ unknown: {} }), spec({ unknown: { a: 1 } })],
    ["spec.image", spec({ os: {} }), spec({ image: "x", $retainKeys: ["os"] })],
    ["spec", spec({}), spec({ $retainKeys: "os" })],
    ['spec["$setElementOrder/tolerances"]', spec({}), spec({ "$setElementOrder/tolerances": [] })],
    ['spec["$setElementOrder/containers"]', spec({ containers: [] }), spec({ "$setElementOrder/containers": "x" })],
    [
      'spec["$setElementOrder/containers"]',
      spec({ containers: [] }),
      spec({
        containers: [{ name: "a" }, { name: "b" }],
        "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
      }),
    ],
    ['["$deleteFromPrimitiveList/x"]', { x: [{}] }, { "$deleteFromPrimitiveList/x": ["a"] }],
    ["spec.tolerations", spec({}), spec({ tolerations: [null] })],
  ])("points at %j when that cannot be merged", (path, target, overlay) => {
    expect(() => strategicMerge(target, overlay)).toThrow(expect.objectContaining({ code: "overlay-invalid", path }));
  });

  it("returns the very same nodes where nothing changes", () => {
    const target = {
      metadata: { labels: { a: "1" } },
      spec: { containers: [{ name: "a", env: env("A") }, { name: "b" }] },
    };
    expect(strategicMerge(target, {})).toBe(target);
    expect(strategicMerge(target, { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "b" }] } })).toBe(
      target,
    );
    const overlay = {
      spec: {
        containers: [
          { name: "new", env: env("X") },
          { name: "b", image: "i" },
        ],
      },
    };
    const merged = strategicMerge(target, overlay);
    expect(merged.metadata).toBe(target.metadata);
    expect(merged.spec.containers[0]).toBe(overlay.spec.containers[0]);
    expect(merged.spec.containers[1]).toBe(target.spec.containers[0]);
  });

  it("defines own entries when an overlay has the key __proto__", () => {
    const overlay = JSON.parse(
      '{"metadata":{"annotations":{"__proto__":"x"}},"__proto__":{"polluted":true}}',
    ) as JsonObject;
    const merged = strategicMerge({ metadata: { annotations: { a: "1" } } } as JsonObject, overlay);
    expect(JSON.stringify(merged)).toBe(
      '{"metadata":{"annotations":{"a":"1","__proto__":"x"}},"__proto__":{"polluted":true}}',
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("merges by the keys of the given type when it is no pod", () => {
    const type = readSchema({ Mesh: "servers=[Server@host", Server: "host=s port=i" }, "Mesh");
    const target = { servers: [{ host: "a", port: 1 }] };
    expect(strategicMerge<JsonObject>(target, { servers: [{ host: "a", port: 2 }] }, type)).toEqual({
      servers: [{ host: "a", port: 2 }],
    });
  });

  it("decides like the reference in every measured case", () => {
    for (const { name, config, request, expect: expected } of readCases("merge")) {
      const overlay: JsonObject = JSON.parse(config.templates?.["overlay"] ?? "");
      const merged = strategicMerge(request.object as PodLike, overlay) as PodLike;
      expect({ name, ...decidedByMerging(merged) }).toEqual({ name, ...decidedByMerging(expected.pod as PodLike) });
    }
  });
});

type PodLike = JsonObject & { readonly metadata: JsonObject; readonly spec: Readonly<Record<string, JsonValue>> };

/** Containers, annotations and labels are the whole injector's work; the rest of these pods is the merge's alone. */
function decidedByMerging(pod: PodLike) {
  const { containers, initContainers, ...rest } = pod.spec;
  const names = (list: JsonValue | undefined) => ((list ?? []) as { name: string }[]).map(({ name }) => name).sort();
  const volumes = (rest["volumes"] as JsonObject[] | undefined)?.map((volume) =>
    Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume,
  );
  return {
    finalizers: pod.metadata["finalizers"],
    spec: defined({ ...rest, volumes }),
    containers: names([...((containers ?? []) as JsonValue[]), ...((initContainers ?? []) as JsonValue[])]),
  };
}
