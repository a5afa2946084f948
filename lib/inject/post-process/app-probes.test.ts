import { describe, expect, it } from "vitest";
import type { Container, Pod } from "../../kube/pod-types.ts";
import type { RenderedInjection } from "../injector.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { agentSettings } from "./agent-settings.ts";
import { appProbes, proberVariable } from "./app-probes.ts";

const injection = {
  injector: { config: {}, settings: { rewriteProbes: true }, meshConfig: { defaultConfig: { statusPort: 15020 } } },
} as unknown as RenderedInjection;

const earlier = { ...neverInjected, meshStatusPort: 15020 };

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

const probersOf = (pod: Pod) => agentSettings(pod, proberVariable);

describe("appProbes.apply()", () => {
  it("sends an HTTP probe to the agent and gives the agent the original", () => {
    const pod = appProbes.apply(
      podWith({ readinessProbe: { httpGet: { path: "/r", port: 80, scheme: "HTTPS" }, timeoutSeconds: 3 } }),
      injection,
    );
    expect(pod.spec?.containers[0]?.readinessProbe).toEqual({
      httpGet: { path: "/app-health/app/readyz", port: 15020, scheme: "HTTP" },
      timeoutSeconds: 3,
    });
    expect(probersOf(pod)).toEqual({
      "/app-health/app/readyz": { httpGet: { path: "/r", port: 80, scheme: "HTTPS" }, timeoutSeconds: 3 },
    });
  });

  it("turns TCP and gRPC into HTTP and resolves a named port", () => {
    const ports = [{ name: "main", containerPort: 8080 }];
    const pod = appProbes.apply(
      podWith({ ports, livenessProbe: { tcpSocket: { port: "main" } }, startupProbe: { grpc: { port: 9 } } }),
      injection,
    );
    const [app] = pod.spec?.containers ?? [];
    expect(app?.livenessProbe).toEqual({ httpGet: { path: "/app-health/app/livez", port: 15020 } });
    expect(app?.startupProbe).toEqual({ httpGet: { path: "/app-health/app/startupz", port: 15020 } });
    expect(probersOf(pod)).toEqual({
      "/app-health/app/livez": { tcpSocket: { port: 8080 } },
      "/app-health/app/startupz": { grpc: { port: 9 } },
    });
  });

  it("rewrites hooks, and leaves exec alone", () => {
    const lifecycle = { preStop: { httpGet: { path: "/stop", port: 80 } }, postStart: { exec: { command: ["true"] } } };
    const pod = appProbes.apply(podWith({ lifecycle }), injection);
    expect(pod.spec?.containers[0]?.lifecycle).toEqual({
      preStop: { httpGet: { path: "/app-lifecycle/app/prestopz", port: 15020 } },
      postStart: { exec: { command: ["true"] } },
    });
  });

  it("uses the annotation's port, and does nothing if the annotation says so", () => {
    const probe = { readinessProbe: { httpGet: { path: "/r", port: 80 } } };
    const moved = appProbes.apply(podWith(probe, { "status.sidecar.istio.io/port": "15099" }), injection);
    expect(moved.spec?.containers[0]?.readinessProbe?.httpGet?.port).toBe(15099);
    const pod = podWith(probe, { "sidecar.istio.io/rewriteAppHTTPProbers": "false" });
    expect(appProbes.apply(pod, injection)).toBe(pod);
  });

  it("returns the pod itself if there is no proxy", () => {
    const pod: Pod = { spec: { containers: [{ name: "app", readinessProbe: { httpGet: { port: 80 } } }] } };
    expect(appProbes.apply(pod, injection)).toBe(pod);
  });
});

describe("appProbes.undo()", () => {
  it("undoes apply(), but for the name of a port", () => {
    const original = podWith({
      ports: [{ name: "main", containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/r", port: 80, scheme: "HTTPS" }, periodSeconds: 5, timeoutSeconds: 2 },
      livenessProbe: { tcpSocket: { port: 8080 }, failureThreshold: 2 },
      startupProbe: { grpc: { port: 9, service: "s" } },
      lifecycle: { preStop: { httpGet: { path: "/stop", port: 80 } } },
    });
    const rewritten = appProbes.apply(original, injection);
    expect(appProbes.undo?.(rewritten, earlier)).toEqual(original);
  });

  it("leaves a probe alone that points elsewhere", () => {
    const readinessProbe = { httpGet: { path: "/mine", port: 80 } };
    const probers = JSON.stringify({ "/app-health/app/readyz": { tcpSocket: { port: 1 } } });
    const proxy = { name: "istio-proxy", env: [{ name: proberVariable, value: probers }] };
    const pod: Pod = { spec: { containers: [{ name: "app", readinessProbe }, proxy] } };
    expect(appProbes.undo?.(pod, earlier).spec?.containers[0]).toBe(pod.spec?.containers[0]);
  });
});
