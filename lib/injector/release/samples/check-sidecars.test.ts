import { describe, expect, it } from "vitest";
import { sidecarFaults } from "./check-sidecars.ts";

const app = { name: "app", image: "registry.example/app:1", ports: [{ containerPort: 80 }] };

/** The messages about an app with another container, below `containers` unless the list says otherwise. */
function faultsWith(more: object, list: "containers" | "initContainers" = "containers"): readonly string[] {
  const agent = { name: "agent", image: "registry.example/agent:1", ...more };
  const spec = list === "containers" ? { containers: [agent, app] } : { initContainers: [agent], containers: [app] };
  return sidecarFaults({ spec }).map(({ message }) => message);
}

describe("sidecarFaults()", () => {
  it.each([
    ["a port of another protocol", { ports: [{ containerPort: 80, protocol: "UDP" }] }],
    ["a port that nobody else opens", { ports: [{ containerPort: 81 }] }],
    ["a digest for a tag", { image: "registry.example/agent@sha256:0" }],
    ["a registry with a port", { image: "registry.example:5000/agent:1" }],
    ["image: auto", { image: "auto" }],
    [
      "a probe by name",
      { ports: [{ name: "health", containerPort: 81 }], livenessProbe: { httpGet: { port: "health" } } },
    ],
    ["a probe of a container that lists no ports", { livenessProbe: { tcpSocket: { port: 81 } } }],
    [
      "a probe of a port that the program is told",
      {
        ports: [{ containerPort: 81 }],
        env: [{ name: "HEALTH", value: "82" }],
        livenessProbe: { httpGet: { port: 82 } },
      },
    ],
    [
      "a probe of the proxy's",
      { name: "istio-proxy", ports: [{ containerPort: 15090 }], readinessProbe: { httpGet: { port: 15021 } } },
    ],
  ] as const)("takes %s", (_what, more) => {
    expect(faultsWith(more)).toEqual([]);
  });

  it("takes a port of an init container, which has ended by then, and not of a native sidecar", () => {
    const ports = [{ containerPort: 80 }];
    expect(faultsWith({ ports }, "initContainers")).toEqual([]);
    expect(faultsWith({ ports, restartPolicy: "Always" }, "initContainers")).toHaveLength(2);
  });

  it("knows the port of a registry from a tag", () => {
    expect(faultsWith({ image: "registry.example:5000/agent" })).toEqual([expect.stringContaining("has no tag")]);
  });

  it("knows an image without a tag by the one rule for image references, whatever its registry", () => {
    for (const image of ["busybox", "fluent/fluent-bit", "localhost:5000/agent"]) {
      expect(faultsWith({ image })).toEqual([expect.stringContaining("the image of container agent has no tag")]);
    }
    // What is no image's name is an error of its own.
    for (const image of ["busybox:1.36", "Not An Image", ""]) expect(faultsWith({ image })).toEqual([]);
  });

  it("says where each is", () => {
    const spec = { containers: [{ ...app, ports: [{ containerPort: 80 }, { containerPort: 80 }] }] };
    expect(sidecarFaults({ spec }).map(({ steps }) => steps)).toEqual([
      ["spec", "containers", 0, "ports", 0, "containerPort"],
      ["spec", "containers", 0, "ports", 1, "containerPort"],
    ]);
  });
});
