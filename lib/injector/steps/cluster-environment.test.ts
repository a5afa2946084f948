import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { clusterEnvironment } from "./cluster-environment.ts";

const apply = (pod: Pod, environment: Readonly<Record<string, string>>) =>
  clusterEnvironment.apply(pod, { environment } as RenderedInjection);

const podWith = (env?: readonly { readonly name: string; readonly value?: string }[]): Pod => ({
  spec: {
    containers: [
      { name: "app", env: [{ name: "B", value: "app" }] },
      { name: "istio-proxy", ...(env && { env }) },
    ],
  },
});

describe("clusterEnvironment", () => {
  it("appends the variables in the order of their names, and drops what the template had under them", () => {
    const pod = podWith([
      { name: "B", value: "old" },
      { name: "A", value: "kept" },
      { name: "toString", value: "kept" },
    ]);
    expect(apply(pod, { C: "3", B: "2" })).toEqual(
      podWith([
        { name: "A", value: "kept" },
        { name: "toString", value: "kept" },
        { name: "B", value: "2" },
        { name: "C", value: "3" },
      ]),
    );
  });

  it("gives variables to a proxy that has none", () => {
    expect(apply(podWith(), { B: "2" })).toEqual(podWith([{ name: "B", value: "2" }]));
  });

  it("returns the pod itself where there is no variable, or no proxy", () => {
    const pod = podWith([{ name: "A" }]);
    expect(apply(pod, {})).toBe(pod);
    const other: Pod = { spec: { containers: [{ name: "app" }] } };
    expect(apply(other, { B: "2" })).toBe(other);
  });
});
