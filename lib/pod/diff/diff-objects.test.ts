import type { JsonObject, JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { diffObjects, formatDifferencePath } from "./diff-objects.ts";

/** Returns lines like `changed containers[web].image: "a" → "b"` for two specs. */
function said(before: JsonObject, after: JsonObject, options?: Parameters<typeof diffObjects>[2]): readonly string[] {
  return diffObjects({ spec: before }, { spec: after }, options).map((difference) => {
    const { kind, path } = difference;
    const [was, is] = [difference.before, difference.after].map((value) => JSON.stringify(value) ?? "-");
    return `${kind} ${formatDifferencePath(path.slice(1))}: ${was} → ${is}`;
  });
}

const web = (fields: JsonObject) => ({ containers: [{ name: "web", ...fields }] });

describe("diffObjects()", () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["a field", { hostPID: true }, { hostPID: false }, ["changed hostPID: true → false"]],
    ["a field more", {}, { hostPID: true }, ["added hostPID: - → true"]],
    ["a field less", { hostPID: true }, { hostPID: undefined }, ["removed hostPID: true → -"]],
    ["an entry of nothing", { hostPID: undefined }, {}, []],
    ["another type", { dnsConfig: {} }, { dnsConfig: [] }, ["changed dnsConfig: {} → []"]],
    [
      "an object more",
      web({}),
      web({ securityContext: { privileged: true } }),
      ['added containers[web].securityContext: - → {"privileged":true}'],
    ],
    [
      "an item before others",
      web({}),
      { containers: [{ name: "a" }, { name: "web" }] },
      ['added containers[a]: - → {"name":"a"}'],
    ],
    [
      "an item less, after the rest",
      { containers: [{ name: "a" }, { name: "web" }] },
      web({ image: "i" }),
      ['added containers[web].image: - → "i"', 'removed containers[a]: {"name":"a"} → -'],
    ],
    [
      "a mount by its path",
      web({ volumeMounts: [{ name: "v", mountPath: "/a" }] }),
      web({
        volumeMounts: [
          { name: "v", mountPath: "/b" },
          { name: "w", mountPath: "/a" },
        ],
      }),
      [
        'added containers[web].volumeMounts[/b]: - → {"name":"v","mountPath":"/b"}',
        'changed containers[web].volumeMounts[/a].name: "v" → "w"',
      ],
    ],
    [
      "a port by number and protocol",
      web({ ports: [{ containerPort: 53 }] }),
      web({
        ports: [
          { containerPort: 53, protocol: "UDP" },
          { containerPort: 53, name: "dns" },
        ],
      }),
      [
        'added containers[web].ports[53/UDP]: - → {"containerPort":53,"protocol":"UDP"}',
        'added containers[web].ports[53/TCP].name: - → "dns"',
      ],
    ],
    [
      "items of one name in their order",
      web({
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "2" },
        ],
      }),
      web({
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "3" },
        ],
      }),
      ['changed containers[web].env[A#2].value: "2" → "3"'],
    ],
    [
      "the order",
      { volumes: [{ name: "a" }, { name: "b" }, { name: "gone" }] },
      { volumes: [{ name: "b" }, { name: "a" }] },
      ['removed volumes[gone]: {"name":"gone"} → -', 'reordered volumes: ["a","b"] → ["b","a"]'],
    ],
    [
      "a list that is absent as one without items",
      {},
      { volumes: [{ name: "a" }] },
      ['added volumes[a]: - → {"name":"a"}'],
    ],
    [
      "a list of items without keys as one value",
      { volumes: [{}] },
      { volumes: [{ name: "a" }] },
      ['changed volumes: [{}] → [{"name":"a"}]'],
    ],
    [
      "a list that is not merged as one value",
      { tolerations: [{ key: "a" }] },
      { tolerations: [{ key: "b" }] },
      ['changed tolerations: [{"key":"a"}] → [{"key":"b"}]'],
    ],
    [
      "a text as it is written",
      web({ command: ["a"] }),
      web({ command: ["b"] }),
      ['changed containers[web].command: ["a"] → ["b"]'],
    ],
    ["a key of a prototype", {}, { toString: "a" }, ['added toString: - → "a"']],
  ])("finds %s", (_what, before, after, expected) => {
    expect(said(before, after)).toEqual(expected);
  });

  it("has the merge key in the path", () => {
    const [difference] = diffObjects({ spec: web({ image: "a" }) }, { spec: web({ image: "b" }) });
    expect(difference).toEqual({
      kind: "changed",
      path: ["spec", "containers", { mergeKey: "name", item: "web" }, "image"],
      before: "a",
      after: "b",
    });
  });

  it("walks an object that only one side has where it is asked to, and no item of a list", () => {
    const after = {
      ...web({ env: [{ name: "A", value: "1" }] }),
      securityContext: { sysctls: [], seLinuxOptions: {} },
    };
    expect(said({}, after, { isDeep: true })).toEqual([
      'added containers[web]: - → {"name":"web","env":[{"name":"A","value":"1"}]}',
      "added securityContext.sysctls: - → []",
      "added securityContext.seLinuxOptions: - → {}",
    ]);
    expect(said(after, {}, { isDeep: true }).map((line) => line.split(":")[0])).toEqual([
      "removed containers[web]",
      "removed securityContext.sysctls",
      "removed securityContext.seLinuxOptions",
    ]);
  });

  it("reads texts as JSON where it is asked to", () => {
    const env = (value: JsonValue) => web({ env: [{ name: "A", value }] });
    const options = { readsJson: true };
    expect(said(env('{"a":1,"b":[]}'), env('{ "b": [], "a": 1 }'), options)).toEqual([]);
    expect(said(env('{"a":1,"b":[]}'), env('{ "b": [], "a": 1 }'))).toHaveLength(1);
    for (const other of ['{"a":2}', "{a}", 1]) expect(said(env('{"a":1}'), env(other), options)).toHaveLength(1);
  });

  it("knows the items of other lists by the keys that it is given, and nothing without a schema", () => {
    const [before, after] = [
      { rules: [{ id: "a" }] },
      { rules: [{ id: "b" }, { id: "a" }], containers: [{ name: "a" }] },
    ];
    const keysOf = (items: readonly JsonObject[], field: string) =>
      field === "rules" ? items.map(({ id }) => String(id)) : undefined;
    expect(said(before, after, { type: undefined, keysOf })).toEqual([
      'added rules[b]: - → {"id":"b"}',
      'added containers: - → [{"name":"a"}]',
    ]);
  });
});

describe("formatDifferencePath()", () => {
  it("has keys that are not plain names, and items, in brackets", () => {
    const item = { mergeKey: "name", item: "web" };
    expect(formatDifferencePath(["metadata", "annotations", "istio.io/rev"])).toBe(
      "metadata.annotations[istio.io/rev]",
    );
    expect(formatDifferencePath(["containers", item, "image"])).toBe("containers[web].image");
    expect(formatDifferencePath([])).toBe("");
  });
});
