import { describe, expect, it } from "vitest";
import type { Pod } from "../generated/pod-types.ts";
import { changeViolations } from "../validate/validate-pod.ts";

const pod = (metadata: Pod["metadata"], spec: Partial<Pod["spec"]> = {}): Pod => ({
  metadata: metadata ?? {},
  spec: { containers: [{ name: "a", image: "b" }], ...spec },
});

describe("changeViolations()", () => {
  it.each<[string, before: Pod, after: Pod, path: string | undefined]>([
    ["another namespace", pod({ namespace: "a" }), pod({ namespace: "b" }), "metadata.namespace"],
    ["the same namespace", pod({ namespace: "a" }), pod({ namespace: "a" }), undefined],
    ["a namespace where there was none", pod({}), pod({ namespace: "b" }), undefined],
    ["no namespace, for which the request's is set", pod({ namespace: "a" }), pod({}), undefined],
    ["a resource version", pod({}), pod({ resourceVersion: "12" }), "metadata.resourceVersion"],
    ["the resource version 0", pod({}), pod({ resourceVersion: "0" }), undefined],
    ["a resource version that is no number", pod({}), pod({ resourceVersion: "v1" }), undefined],
    ["the author's resource version", pod({ resourceVersion: "1" }), pod({ resourceVersion: "1" }), undefined],
    ["overhead alone", pod({}), pod({}, { overhead: { cpu: "1" } }), "spec.overhead"],
    ["overhead of a class", pod({}), pod({}, { overhead: { cpu: "1" }, runtimeClassName: "gvisor" }), undefined],
    ["the author's overhead", pod({}, { overhead: { cpu: "1" } }), pod({}, { overhead: { cpu: "1" } }), undefined],
  ])("judges %s", (_what, before, after, path) => {
    expect(changeViolations(after, before).map((violation) => violation.path)).toEqual(
      path === undefined ? [] : [path],
    );
  });

  it("reads a pod without metadata or spec", () => {
    expect(changeViolations({} as Pod, {} as Pod)).toEqual([]);
  });
});
