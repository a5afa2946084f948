import { describe, expect, it } from "vitest";
import { assertOneList } from "./assert-one-list.ts";

const APP = { name: "app" };
const PROXY = { name: "istio-proxy" };

describe("assertOneList()", () => {
  it("names both places of a proxy that is in both lists", () => {
    const pod = { spec: { containers: [APP, PROXY], initContainers: [PROXY] } };
    expect(() => assertOneList(pod)).toThrow("in two lists, spec.containers[1] and spec.initContainers[0]");
  });

  it.each([
    { containers: [APP, PROXY] },
    { containers: [APP], initContainers: [PROXY] },
    { containers: [PROXY], initContainers: [APP] },
    { initContainers: [PROXY] },
    {},
  ])("takes %j", (spec) => {
    expect(() => assertOneList({ spec: spec as never })).not.toThrow();
  });
});
