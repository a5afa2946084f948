import { describe, expect, it } from "vitest";
import type { Container, Pod } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";
import { proberVariable, restoreProbes, rewriteAppProbes } from "./app-probes.ts";

const injection = {
  injector: { settings: { rewriteProbes: true }, meshConfig: { defaultConfig: { statusPort: 15020 } } },
} as unknown as Injection;

function podWith(app: Partial<Container>, annotations: Readonly<Record<string, string>> = {}): Pod {
  return {
    metadata: { annotations },
    spec: {
      containers: [
        { name: "app", ...app },
        { name: "istio-proxy", env: [] },
      ],
    },
  };
}

function told(pod: Pod): Readonly<Record<string, unknown>> {
  const proxy = pod.spec?.containers.find(({ name }) => name === "istio-proxy");
  const text = proxy?.env?.find(({ name }) => name === proberVariable)?.value;
  return text === undefined ? {} : JSON.parse(text);
}

describe("rewriteAppProbes()", () => {
  it("sends an HTTP probe to the agent and tells the agent what it was", () => {
    const pod = rewriteAppProbes(
      podWith({ readinessProbe: { httpGet: { path: "/r", port: 80, scheme: "HTTPS" }, timeoutSeconds: 3 } }),
      injection,
    );
    expect(pod.spec?.containers[0]?.readinessProbe).toEqual({
      httpGet: { path: "/app-health/app/readyz", port: 15020, scheme: "HTTP" },
      timeoutSeconds: 3,
    });
    expect(told(pod)).toEqual({
      "/app-health/app/readyz": { httpGet: { path: "/r", port: 80, scheme: "HTTPS" }, timeoutSeconds: 3 },
    });
  });

  it("turns TCP and gRPC into HTTP and resolves a named port", () => {
    const ports = [{ name: "main", containerPort: 8080 }];
    const pod = rewriteAppProbes(
      podWith({ ports, livenessProbe: { tcpSocket: { port: "main" } }, startupProbe: { grpc: { port: 9 } } }),
      injection,
    );
    const [app] = pod.spec?.containers ?? [];
    expect(app?.livenessProbe).toEqual({ httpGet: { path: "/app-health/app/livez", port: 15020 } });
    expect(app?.startupProbe).toEqual({ httpGet: { path: "/app-health/app/startupz", port: 15020 } });
    expect(told(pod)).toEqual({
      "/app-health/app/livez": { tcpSocket: { port: 8080 } },
      "/app-health/app/startupz": { grpc: { port: 9 } },
    });
  });

  it("rewrites hooks, and leaves exec alone", () => {
    const lifecycle = { preStop: { httpGet: { path: "/stop", port: 80 } }, postStart: { exec: { command: ["true"] } } };
    const pod = rewriteAppProbes(podWith({ lifecycle }), injection);
    expect(pod.spec?.containers[0]?.lifecycle).toEqual({
      preStop: { httpGet: { path: "/app-lifecycle/app/prestopz", port: 15020 } },
      postStart: { exec: { command: ["true"] } },
    });
  });

  it("uses the annotation's port, and does nothing where the annotation says so", () => {
    const probe = { readinessProbe: { httpGet: { path: "/r", port: 80 } } };
    const moved = rewriteAppProbes(podWith(probe, { "status.sidecar.istio.io/port": "15099" }), injection);
    expect(moved.spec?.containers[0]?.readinessProbe?.httpGet?.port).toBe(15099);
    const pod = podWith(probe, { "sidecar.istio.io/rewriteAppHTTPProbers": "false" });
    expect(rewriteAppProbes(pod, injection)).toBe(pod);
  });

  it("returns the pod itself where there is no proxy", () => {
    const pod: Pod = { spec: { containers: [{ name: "app", readinessProbe: { httpGet: { port: 80 } } }] } };
    expect(rewriteAppProbes(pod, injection)).toBe(pod);
  });
});

describe("restoreProbes()", () => {
  it("undoes rewriteAppProbes(), but for the name of a port", () => {
    const original = podWith({
      ports: [{ name: "main", containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/r", port: 80, scheme: "HTTPS" }, periodSeconds: 5, timeoutSeconds: 2 },
      livenessProbe: { tcpSocket: { port: 8080 }, failureThreshold: 2 },
      startupProbe: { grpc: { port: 9, service: "s" } },
      lifecycle: { preStop: { httpGet: { path: "/stop", port: 80 } } },
    });
    const rewritten = rewriteAppProbes(original, injection);
    expect(restoreProbes(rewritten, told(rewritten), 15020).spec?.containers[0]).toEqual(original.spec?.containers[0]);
  });

  it("leaves a probe alone that points elsewhere", () => {
    const pod = podWith({ readinessProbe: { httpGet: { path: "/mine", port: 80 } } });
    expect(restoreProbes(pod, { "/app-health/app/readyz": { tcpSocket: { port: 1 } } }, 15020)).toBe(pod);
  });
});
