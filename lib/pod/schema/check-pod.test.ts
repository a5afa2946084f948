import { describe, expect, it } from "vitest";
import { checkPod, isScalar } from "./check-pod.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { app: "a" }, creationTimestamp: "2024-01-01T00:00:00Z", managedFields: [] },
  spec: {
    containers: [
      {
        name: "app",
        image: "i",
        resources: { limits: { cpu: "100m", memory: 1 } },
        livenessProbe: { httpGet: { path: "/", port: "http" }, initialDelaySeconds: 1 },
        ports: [{ containerPort: 80 }],
      },
    ],
    volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
    terminationGracePeriodSeconds: 30,
    nodeSelector: null,
  },
  status: { anything: [1] },
};

function withContainer(container: unknown) {
  return { ...pod, spec: { ...pod.spec, containers: [container] } };
}

describe("checkPod()", () => {
  it("finds nothing when the pod is right", () => {
    expect(checkPod(pod)).toEqual([]);
  });

  it.each([
    ["", "pod"],
    ["", []],
    ["spec", { spec: "x" }],
    ["sepc", { sepc: {} }],
    ["metadata.labels.a", { metadata: { labels: { a: 1 } } }],
    ['metadata.annotations["a.b/c"]', { metadata: { annotations: { "a.b/c": true } } }],
    ["metadata.creationTimestamp", { metadata: { creationTimestamp: "yesterday" } }],
    ["spec.containers", { spec: { containers: {} } }],
    ["spec.containers[0]", withContainer("x")],
    ["spec.containers[0].foo", withContainer({ name: "a", foo: 1 })],
    ["spec.containers[0].args[1]", withContainer({ name: "a", args: ["a", 1] })],
    ["spec.containers[0].stdin", withContainer({ name: "a", stdin: "true" })],
    ["spec.containers[0].env[0].value", withContainer({ name: "a", env: [{ name: "A", value: 1 }] })],
    ["spec.containers[0].ports[0].containerPort", withContainer({ name: "a", ports: [{ containerPort: 2 ** 31 }] })],
    ["spec.containers[0].resources.limits.cpu", withContainer({ name: "a", resources: { limits: { cpu: "1x" } } })],
    ["spec.containers[0].livenessProbe.tcpSocket.port", withContainer({ livenessProbe: { tcpSocket: { port: 1.5 } } })],
    ["spec.terminationGracePeriodSeconds", { spec: { terminationGracePeriodSeconds: 1.5 } }],
    ["spec.constructor", { spec: { constructor: {} } }],
  ])("points at %j when that is wrong", (path, wrong) => {
    expect(checkPod(wrong).map((violation) => violation.path)).toEqual([path]);
  });

  it("skips what is the same node when the pod before is given", () => {
    const wrong = { name: "theirs", foo: 1 };
    const before = { ...pod, unknown: {}, spec: { ...pod.spec, containers: [wrong] } };
    const after = { ...before, spec: { ...before.spec, containers: [{ name: "ours", bar: 1 }, wrong] } };
    expect(checkPod(before, before)).toEqual([]);
    expect(checkPod(after, before).map(({ path }) => path)).toEqual(["spec.containers[0].bar"]);
  });

  it("marks an integer that JavaScript does not hold exactly, unless the pod before has it there", () => {
    const large = JSON.parse('{"spec":{"terminationGracePeriodSeconds":9007199254740993}}');
    expect(checkPod(large)).toMatchObject([{ path: "spec.terminationGracePeriodSeconds", isInexact: true }]);
    expect(checkPod({ ...large, metadata: {} }, large)).toEqual([]);
    expect(isScalar(large.spec.terminationGracePeriodSeconds, "int64")).toBe(true);
  });

  it("stops reporting at fifty when everything is wrong", () => {
    const containers = Array.from({ length: 10_000 }, () => ({ foo: 1 }));
    expect(checkPod({ spec: { containers } })).toHaveLength(50);
    expect(checkPod({ spec: { containers: [...containers, {}] } }, { spec: { containers } })).toEqual([]);
  });

  it("enters nothing unknown when nesting is deep", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(checkPod({ spec: { deep } }).map(({ path }) => path)).toEqual(["spec.deep"]);
    expect(checkPod({ spec: { containers: deep } }).map(({ path }) => path)).toEqual(["spec.containers[0]"]);
  });
});
