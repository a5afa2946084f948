import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { buildWebhookConfigurations } from "./build-webhook-configuration.ts";
import { differences, findDrift } from "./drift.ts";

const SETTINGS = {
  deployment: "dev",
  url: "https://example.test",
  token: "a".repeat(43),
  revision: "default",
  tags: [],
  phase: "cluster",
  namespaces: [],
  timeoutSeconds: 10,
} as const;

const [EXPECTED] = buildWebhookConfigurations(SETTINGS);
const PLACE = "outrigger-sidecar-injector: webhooks[object.sidecar-injector.outrigger]";

/** The expected configuration with the last webhook edited, and what an API server adds. */
function edited(change: JsonObject): JsonObject {
  const expected = EXPECTED as JsonObject;
  const webhooks = expected["webhooks"] as readonly JsonObject[];
  return {
    ...expected,
    metadata: { name: "outrigger-sidecar-injector", uid: "1", managedFields: [] },
    webhooks: webhooks.map((webhook, index) => (index === 3 ? { ...webhook, ...change } : webhook)),
  };
}

describe("findDrift()", () => {
  it("finds none when the object is as it should be, with what an API server fills in", () => {
    expect(findDrift(EXPECTED as JsonObject, edited({}))).toEqual([]);
  });

  it("leaves alone what an API server adds by itself, and nothing else", () => {
    const added = { metadata: {}, status: {}, scope: "*", matchPolicy: "Equivalent" };
    expect(differences({ name: "a" }, { name: "a", ...added }, "")).toEqual([]);
    expect(differences({ name: "a" }, { name: "a", more: 1 }, "").map(({ place }) => place)).toEqual(["more"]);
  });

  it("says so when the object is missing", () => {
    expect(findDrift(EXPECTED as JsonObject, undefined)).toEqual([
      { place: "outrigger-sidecar-injector", expected: "to be there", actual: "missing" },
    ]);
  });

  it.each([
    [{ failurePolicy: "Fail" }, "failurePolicy", "Ignore", "Fail"],
    [{ timeoutSeconds: 3 }, "timeoutSeconds", "10", "3"],
    [
      { clientConfig: { url: "https://evil.test/t/x/inject" } },
      "clientConfig.url",
      "https://example.test/t/…/inject",
      "https://evil.test/t/…/inject",
    ],
    [
      { clientConfig: { url: `https://example.test/t/${"b".repeat(43)}/inject` } },
      "clientConfig.url",
      "https://example.test/t/…/inject",
      "the same with another token",
    ],
  ])("names the place when %j was edited", (change, field, expected, actual) => {
    const drift = findDrift(EXPECTED as JsonObject, edited(change));
    expect(drift).toEqual([{ place: `${PLACE}.${field}`, expected, actual }]);
  });

  it("names a CA that was added by hand", () => {
    const url = `https://example.test/t/${SETTINGS.token}/inject`;
    const drift = findDrift(EXPECTED as JsonObject, edited({ clientConfig: { url, caBundle: "QUJD" } }));
    expect(drift).toEqual([{ place: `${PLACE}.clientConfig.caBundle`, expected: "nothing", actual: "QUJD" }]);
  });

  it("names webhooks that are missing and that should not be there", () => {
    const drift = findDrift(EXPECTED as JsonObject, edited({ name: "other" }));
    expect(drift).toEqual([
      { place: PLACE, expected: "to be there", actual: "missing" },
      { place: "outrigger-sidecar-injector: webhooks[other]", expected: "nothing", actual: "there" },
    ]);
  });

  it("names what is missing from the object in the cluster, and cuts what is long", () => {
    expect(differences({ a: { b: "x".repeat(201) } }, { a: {} }, "")).toEqual([
      { place: "a.b", expected: `${"x".repeat(200)}…`, actual: "nothing" },
    ]);
    expect(differences({ a: "x".repeat(200) }, { a: 1 }, "spec")).toEqual([
      { place: "spec.a", expected: "x".repeat(200), actual: "1" },
    ]);
  });

  it("compares lists without names as values, and lists that are empty", () => {
    const lists = (a: unknown, b: unknown) => differences({ a } as JsonObject, { a: b } as JsonObject, "");
    expect(lists([1, 2], [1, 2])).toEqual([]);
    expect(lists([1], [2])).toEqual([{ place: "a", expected: "[1]", actual: "[2]" }]);
    expect(lists([], [{ name: "x" }])).toEqual([{ place: "a", expected: "[]", actual: '[{"name":"x"}]' }]);
    expect(lists([{ name: "x" }, {}], [{ name: "x" }])).toHaveLength(1);
    expect(lists([{ name: "x", b: 1 }], [{ name: "x", b: 2 }])).toEqual([
      { place: "a[x].b", expected: "1", actual: "2" },
    ]);
  });

  it("leaves the order of named items alone", () => {
    const [a, b] = [{ name: "a" }, { name: "b" }];
    expect(differences({ webhooks: [a, b] }, { webhooks: [b, a] }, "")).toEqual([]);
  });

  it("compares the metadata of what is in the object, and not the object's own", () => {
    expect(differences({ metadata: { name: "a" } }, {}, "")).toEqual([]);
    expect(differences({ metadata: { name: "a" } }, {}, "template")).toEqual([
      { place: "template.metadata", expected: '{"name":"a"}', actual: "nothing" },
    ]);
  });

  it("names an object without metadata by an empty name", () => {
    expect(findDrift({}, undefined)).toEqual([{ place: "", expected: "to be there", actual: "missing" }]);
  });
});
