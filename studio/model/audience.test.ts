import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import {
  audienceOf,
  type Condition,
  defaultsOf,
  forEvery,
  forNone,
  readCondition,
  withCondition,
  withoutCondition,
} from "./audience.ts";

const LOGS: Condition = { label: "logs", value: "yes" };
const ENTRY = { name: "agent", match: { podLabels: { logs: "yes", tier: ["web", "api"] }, namespaces: ["shop"] } };

describe("audienceOf()", () => {
  it.each<[string, readonly JsonValue[], ReturnType<typeof audienceOf>]>([
    ["a name is for every pod", ["sidecar", "agent"], { isEvery: true, groups: [] }],
    ["no entry is for pods that name it", ["sidecar"], { isEvery: false, groups: [] }],
    [
      "each entry with a match is a group, with a condition for each value",
      [ENTRY, { name: "agent", match: { namespaces: ["till"] } }],
      {
        isEvery: false,
        groups: [
          [LOGS, { label: "tier", value: "web" }, { label: "tier", value: "api" }, { value: "shop" }],
          [{ value: "till" }],
        ],
      },
    ],
    [
      "mistakes are shown as they are written",
      [
        { name: "agent", match: { podLabels: { logs: true }, namespaces: 7 } },
        { name: "agent", match: "all" },
      ],
      { isEvery: false, groups: [[{ label: "logs", value: "true" }, { value: "7" }], []] },
    ],
  ])("%s", (_, entries, wanted) => {
    expect(audienceOf(entries, "agent")).toEqual(wanted);
  });
});

describe("an entry that says what its containers come before", () => {
  const before = { name: "agent", before: "sidecar" };
  it("keeps that for every pod and for some", () => {
    expect(audienceOf(["sidecar", before], "agent")).toEqual({ isEvery: true, groups: [] });
    const some = withCondition(["sidecar", before], "agent", 0, LOGS);
    expect(some).toEqual(["sidecar", { ...before, match: { podLabels: { logs: "yes" } } }]);
    expect(audienceOf(some, "agent")).toEqual({ isEvery: false, groups: [[LOGS]] });
    expect(forEvery(some, "agent")).toEqual(["sidecar", before]);
  });
});

describe("withCondition()", () => {
  it("makes one entry for some pods of all that are for every pod, in the place of the first", () => {
    const entries = ["agent", "sidecar", "agent"];
    const made = { name: "agent", match: { podLabels: { logs: "yes" } } };
    expect(withCondition(entries, "agent", 0, LOGS)).toEqual([made, "sidecar"]);
  });

  it("adds to a group, makes a list of two values, and writes no value twice", () => {
    const once = withCondition([ENTRY], "agent", 0, { label: "logs", value: "full" });
    const twice = withCondition(once, "agent", 0, { value: "till" });
    expect(withCondition(twice, "agent", 0, { value: "shop" })).toEqual([
      {
        name: "agent",
        match: { podLabels: { ...ENTRY.match.podLabels, logs: ["yes", "full"] }, namespaces: ["shop", "till"] },
      },
    ]);
  });

  it("begins a group after those that are there", () => {
    const made = { name: "agent", match: { namespaces: ["till"] } };
    expect(withCondition(["sidecar"], "agent", 0, { value: "till" })).toEqual(["sidecar", made]);
    expect(withCondition([ENTRY, "sidecar"], "agent", 1, { value: "till" })).toEqual([ENTRY, "sidecar", made]);
  });
});

describe("withoutCondition()", () => {
  it("takes back what was added, to the letter", () => {
    for (const condition of [LOGS, { label: "tier", value: "x" }, { label: "zone", value: "a" }, { value: "till" }]) {
      const start = [{ name: "agent", match: { podLabels: { tier: "web" }, namespaces: ["shop"] } }, "sidecar"];
      const added = withCondition(start, "agent", 0, condition);
      expect(withoutCondition(added, "agent", 0, condition)).toEqual(start);
    }
  });

  it("takes a mistake away, and leaves out a group without conditions: nobody gets more by it", () => {
    const wrong = { name: "agent", match: { podLabels: { logs: true } } };
    expect(withoutCondition(["sidecar", wrong], "agent", 0, { label: "logs", value: "true" })).toEqual(["sidecar"]);
    expect(withoutCondition(["sidecar"], "agent", 0, LOGS)).toEqual(["sidecar"]);
  });
});

it("forEvery() and forNone() leave the entries of other templates in their order", () => {
  const entries = ["a", ENTRY, "b", { name: "agent", match: { namespaces: ["x"] } }];
  expect(forEvery(entries, "agent")).toEqual(["a", "agent", "b"]);
  expect(forEvery(["a"], "agent")).toEqual(["a", "agent"]);
  expect(forNone(entries, "agent")).toEqual(["a", "b"]);
});

it.each<[string, Condition]>([
  ["logs=yes", LOGS],
  ["logs: yes", LOGS],
  [' logs : "yes" ', LOGS],
  ["app.kubernetes.io/name=", { label: "app.kubernetes.io/name", value: "" }],
  ["a=b=c", { label: "a", value: "b=c" }],
  [" shop ", { value: "shop" }],
])("readCondition() reads %j", (text, wanted) => {
  expect(readCondition(text)).toEqual(wanted);
});

it("defaultsOf() takes the upper layer's list, and of a tree without a mesh nothing that is shipped", () => {
  const shipped = { config: "defaultTemplates: [sidecar]\n" };
  expect(defaultsOf([{ config: "policy: enabled\n" }, shipped])).toEqual({
    entries: ["sidecar"],
    isWithoutMesh: false,
  });
  expect(defaultsOf([{ config: "mesh: none\n" }, shipped])).toEqual({ entries: [], isWithoutMesh: true });
  expect(defaultsOf([{ config: "a: [\n" }, shipped]).entries).toEqual(["sidecar"]);
});
