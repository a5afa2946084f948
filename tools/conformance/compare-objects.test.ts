import { describe, expect, it } from "vitest";
import { readCases } from "../../test/reference/read-reference.ts";
import { compareObjects } from "./compare-objects.ts";

const container = (fields: object) => ({ spec: { containers: [{ name: "a", ...fields }] } });
const volume = (fields: object) => ({ spec: { volumes: [{ name: "v", ...fields }] } });
const annotated = (text: string) => ({ metadata: { annotations: { a: text } } });

describe("compareObjects()", () => {
  it.each<readonly [string, unknown, unknown]>([
    ["keys in another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["null and absence", { a: null }, {}],
    ["a status", { status: { phase: "Running" } }, {}],
    ["managed fields", { metadata: { managedFields: [] } }, { metadata: {} }],
    ["an empty creationTimestamp", { metadata: { creationTimestamp: null } }, { metadata: {} }],
    ["empty resources", container({ resources: {} }), container({})],
    ["empty labels", { metadata: { labels: {} } }, { metadata: {} }],
    [
      "quantities",
      container({ resources: { limits: { cpu: "0.1" } } }),
      container({ resources: { limits: { cpu: "100m" } } }),
    ],
    ["binary quantities", volume({ emptyDir: { sizeLimit: "1Gi" } }), volume({ emptyDir: { sizeLimit: "1024Mi" } })],
    ["JSON in an annotation", annotated('{"a": [], "b": 1}'), annotated('{"b":1}')],
    ["JSON in an argument", container({ args: ['{"a":1}'] }), container({ args: ['{ "a": 1 }'] })],
    ["a volume without a source", volume({}), volume({ emptyDir: {} })],
    ["zero seconds", container({ livenessProbe: { initialDelaySeconds: 0 } }), container({ livenessProbe: {} })],
    ["an empty variable", container({ env: [{ name: "A", value: "" }] }), container({ env: [{ name: "A" }] })],
  ])("finds no difference in %s", (_title, expected, actual) => {
    expect(compareObjects(expected, actual)).toEqual([]);
    expect(compareObjects(actual, expected)).toEqual([]);
  });

  it.each<readonly [string, unknown, unknown]>([
    ["a list's order", { spec: { args: ["a", "b"] } }, { spec: { args: ["b", "a"] } }],
    ["a list's length", { spec: { args: ["a"] } }, { spec: { args: ["a", "b"] } }],
    ["a type", { spec: { port: 1 } }, { spec: { port: "1" } }],
    [
      "a quantity",
      container({ resources: { limits: { cpu: "1" } } }),
      container({ resources: { limits: { cpu: "1m" } } }),
    ],
    ["JSON in an annotation", annotated('{"a":1}'), annotated('{"a":2}')],
    ["a volume's source", volume({ secret: { secretName: "s" } }), volume({})],
    ["a zero that Kubernetes keeps", { spec: { replicas: 0 } }, { spec: {} }],
    ["an absent field", { spec: { nodeName: "n" } }, { spec: {} }],
  ])("finds a difference in %s", (_title, expected, actual) => {
    expect(compareObjects(expected, actual)).not.toEqual([]);
    expect(compareObjects(actual, expected)).not.toEqual([]);
  });

  it("ignores the namespace when the input has none", () => {
    const expected = { metadata: { namespace: "a" } };
    expect(compareObjects(expected, { metadata: {} }, { metadata: {} })).toEqual([]);
    expect(compareObjects(expected, { metadata: {} }, expected)).toHaveLength(1);
  });

  it("finds every single leaf of a measured pod that is altered", () => {
    const pod = readCases("generated").find(({ expect: { pod } }) => pod !== undefined)?.expect.pod;
    const text = JSON.stringify(pod);
    const names = [...text.matchAll(/"(?:name|image|mountPath|key)":"[^"]+/g)];
    expect(names.length).toBeGreaterThan(50);
    for (const { index, 0: match } of names) {
      const end = index + match.length;
      const altered = JSON.parse(`${text.slice(0, end)}-altered${text.slice(end)}`);
      expect({ match, index, count: compareObjects(pod, altered).length }).toEqual({ match, index, count: 1 });
    }
  });
});
