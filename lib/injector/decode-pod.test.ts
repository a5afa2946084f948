import type { JsonObject, JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { decodePod, withContainer } from "./decode-pod.ts";

describe("decodePod()", () => {
  it("names the container of a field that is wrong, not by index alone", () => {
    const pod = { spec: { containers: [], initContainers: [{}, { name: "setup", image: ["a"] }] } };
    expect(() => decodePod(pod, "written")).toThrow(
      expect.objectContaining({
        message: 'spec.initContainers[1].image of container "setup" must be text',
        path: "spec.initContainers[1].image",
        logged: { message: "spec.initContainers[1].image must be text", path: "spec.initContainers[1].image" },
      }),
    );
    expect(withContainer("spec.initContainers[0].image", pod)).toBe("spec.initContainers[0].image");
  });

  it("leaves out null, keeps unknown fields, and changes nothing else", () => {
    const pod = {
      kind: "Pod",
      unknown: { a: null, b: 1 },
      metadata: { name: "web", labels: { a: "1" }, annotations: null },
      spec: { containers: [{ name: "app", ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } }] },
    };
    expect(decodePod(pod, "encoded")).toEqual({
      kind: "Pod",
      unknown: { a: null, b: 1 },
      metadata: { name: "web", labels: { a: "1" } },
      spec: pod.spec,
    });
  });

  it("leaves out null in a map that a person wrote, and rejects it from an API server, which never sends it", () => {
    const pod = { metadata: { labels: { a: "1", b: null } } };
    expect(decodePod(pod, "written")).toEqual({ metadata: { labels: { a: "1" } } });
    expect(() => decodePod(pod, "encoded")).toThrow("metadata.labels.b must be text");
  });

  it("converts numbers and booleans to text where a person wrote them", () => {
    const pod = { metadata: { labels: { a: true, b: 1 }, name: 5, creationTimestamp: 7 } };
    expect(decodePod(pod, "written")).toEqual({
      metadata: { labels: { a: "true", b: "1" }, name: "5", creationTimestamp: "7" },
    });
    expect(() => decodePod(pod, "encoded")).toThrow(
      expect.objectContaining({ code: "pod-invalid", path: "metadata.labels.a" }),
    );
    expect(() => decodePod({ metadata: { name: [] } }, "written")).toThrow(
      expect.objectContaining({ path: "metadata.name" }),
    );
  });

  it("asks for quotes around an integer of more than 53 bits where it becomes text", () => {
    const read = (json: string) => () => decodePod(JSON.parse(json), "written");
    expect(read('{"metadata":{"labels":{"a":9007199254740993}}}')).toThrow("metadata.labels.a must be text, in quotes");
    expect(read('{"spec":{"overhead":{"memory":9007199254740993}}}')).toThrow(
      "spec.overhead.memory must be a quantity",
    );
    expect(read('{"spec":{"terminationGracePeriodSeconds":9223372036854775807}}')).not.toThrow();
  });

  it.each(["many", "", "1".repeat(2000)])(
    "leaves the quantity %j to the API server, which sends none of them",
    (cpu) => {
      const pod = { spec: { containers: [], overhead: { cpu } } };
      expect(decodePod(pod, "written")).toEqual(pod);
      expect(() => decodePod(pod, "encoded")).toThrow("spec.overhead.cpu must be a quantity such as 100m, 1.5 or 2Gi");
    },
  );

  it.each<[string, JsonObject]>([
    ["metadata.labels[*]", { metadata: { labels: { secret: 1 } } }],
    ["metadata.annotations[*]", { metadata: { annotations: { secret: null } } }],
    ["spec.overhead[*]", { spec: { overhead: { secret: "x" } } }],
    [
      "spec.containers[1].resources.limits[*]",
      { spec: { containers: [{}, { resources: { limits: { secret: [] } } }] } },
    ],
    ["spec.nodeSelector[*]", { spec: { nodeSelector: { secret: {} } } }],
  ])("names no key that the author chose to the log: %s", (logged, pod) => {
    expect(() => decodePod(pod, "encoded")).toThrow(
      expect.objectContaining({
        path: logged.replace("[*]", ".secret"),
        logged: { path: logged, message: expect.stringMatching(/^[^ ]+\[\*\] must be /) },
      }),
    );
  });

  it("converts the numbers of quantities", () => {
    const limits = (cpu: JsonValue): JsonObject => ({
      spec: { containers: [{ name: "a", resources: { limits: { cpu } } }] },
    });
    expect(decodePod(limits(2), "encoded")).toEqual(limits("2"));
    expect(decodePod(limits("2"), "encoded")).toEqual(limits("2"));
    expect(() => decodePod(limits(true), "written")).toThrow(expect.objectContaining({ code: "pod-invalid" }));
  });

  it.each<[string, JsonObject, string]>([
    ["a mapping", { spec: "x" }, "spec"],
    ["a mapping", { metadata: { labels: ["x"] } }, "metadata.labels"],
    ["a list", { spec: { containers: {} } }, "spec.containers"],
    ["a mapping", { spec: { containers: ["x"] } }, "spec.containers[0]"],
    ["text", { spec: { containers: [{ name: "a" }, { name: {} }] } }, "spec.containers[1].name"],
    ["text", { metadata: { creationTimestamp: {} } }, "metadata.creationTimestamp"],
    ["a whole number", { spec: { priority: "1" } }, "spec.priority"],
    ["a whole number", { spec: { activeDeadlineSeconds: 1.5 } }, "spec.activeDeadlineSeconds"],
    ["a number within 32 bits", { spec: { priority: 2 ** 31 } }, "spec.priority"],
    ["a number within 64 bits", { spec: { activeDeadlineSeconds: 1e30 } }, "spec.activeDeadlineSeconds"],
    [
      "a number within 32 bits",
      { spec: { containers: [{ name: "a", livenessProbe: { tcpSocket: { port: 1e60 } } }] } },
      "spec.containers[0].livenessProbe.tcpSocket.port",
    ],
    ["true or false", { spec: { hostNetwork: "true" } }, "spec.hostNetwork"],
    [
      "a whole number or text",
      { spec: { containers: [{ name: "a", readinessProbe: { httpGet: { port: 1.5 } } }] } },
      "spec.containers[0].readinessProbe.httpGet.port",
    ],
    [
      "a whole number or text",
      { spec: { containers: [{ name: "a", readinessProbe: { httpGet: { port: true } } }] } },
      "spec.containers[0].readinessProbe.httpGet.port",
    ],
  ])("asks for %s in %j", (wanted, pod, path) => {
    for (const reading of ["encoded", "written"] as const) {
      expect(() => decodePod(pod, reading)).toThrow(
        expect.objectContaining({
          code: "pod-invalid",
          path,
          message: `${withContainer(path, pod)} must be ${wanted}`,
        }),
      );
    }
  });

  it.each<[JsonObject]>([
    [{ spec: { priority: 1, activeDeadlineSeconds: 2, hostNetwork: false } }],
    [{ spec: { containers: [{ name: "a", readinessProbe: { httpGet: { port: "http" } } }] } }],
    [{ spec: { containers: [{ name: "a", readinessProbe: { httpGet: { port: 80 } } }] } }],
    [{ metadata: { managedFields: [{ fieldsV1: { "f:a": 1 } }] } }],
  ])("takes %j as it is", (pod) => {
    expect(decodePod(pod, "encoded")).toEqual(pod);
  });
});
