import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
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
      containers: [{ name: "app", ...app }, { name: "istio-proxy" }],
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

describe("appProbes.apply() for probes that the agent does not get", () => {
  const served = (path: string) => ({ httpGet: { path, port: 8080 } });

  it("leaves out probes and hooks that an earlier injection pointed at the agent", () => {
    const pod = appProbes.apply(
      podWith({
        readinessProbe: served("/app-health/app/readyz"),
        livenessProbe: served("/app-health/app/livez"),
        startupProbe: served("/live"),
        lifecycle: { preStop: served("/app-lifecycle/app/prestopz"), postStart: served("/started") },
      }),
      injection,
    );
    expect(Object.keys(probersOf(pod))).toEqual(["/app-health/app/startupz", "/app-lifecycle/app/poststartz"]);
  });

  it("includes a path that another container's probe is served under", () => {
    const pod = appProbes.apply(podWith({ readinessProbe: served("/app-health/other/readyz") }), injection);
    expect(probersOf(pod)).toEqual({ "/app-health/app/readyz": served("/app-health/other/readyz") });
  });

  it("adds no variable where there is nothing to record", () => {
    const exec = { exec: { command: ["true"] } };
    const pod = podWith({ readinessProbe: exec, lifecycle: { preStop: exec } });
    expect(appProbes.apply(pod, injection)).toBe(pod);
  });

  it("points a probe of the agent's own port at the agent, and leaves out what it was", () => {
    const pod = appProbes.apply(
      podWith({
        readinessProbe: { httpGet: { path: "/r", port: 15020 } },
        livenessProbe: { tcpSocket: { port: 15020 } },
      }),
      injection,
    );
    expect(pod.spec?.containers[0]?.readinessProbe).toEqual({
      httpGet: { path: "/app-health/app/readyz", port: 15020 },
    });
    expect(probersOf(pod)).toEqual({});
  });

  it("leaves out a port whose name no port has", () => {
    const ports = [{ containerPort: 8080 }, { name: "", containerPort: 8081 }, { name: "main", containerPort: 8082 }];
    const pod = appProbes.apply(
      podWith({ ports, readinessProbe: { tcpSocket: { port: "" } }, livenessProbe: { tcpSocket: { port: "other" } } }),
      injection,
    );
    expect(probersOf(pod)).toEqual({});
    const unnamed = appProbes.apply(podWith({ readinessProbe: { tcpSocket: { port: "main" } } }), injection);
    expect(probersOf(unnamed)).toEqual({});
  });

  it("takes the last port of a name", () => {
    const ports = [
      { name: "main", containerPort: 8080 },
      { name: "main", containerPort: 8081 },
    ];
    const pod = appProbes.apply(podWith({ ports, readinessProbe: { tcpSocket: { port: "main" } } }), injection);
    expect(probersOf(pod)).toEqual({ "/app-health/app/readyz": { tcpSocket: { port: 8081 } } });
  });
});

describe("appProbes.apply() by container", () => {
  const probe = { httpGet: { path: "/r", port: 80 } };

  it("covers init containers, in the order of their paths, and never the proxy", () => {
    const pod = appProbes.apply(
      {
        spec: {
          initContainers: [{ name: "z", startupProbe: probe }],
          containers: [
            { name: "b", readinessProbe: probe },
            { name: "a", livenessProbe: probe },
            { name: "istio-proxy", readinessProbe: probe },
          ],
        },
      },
      injection,
    );
    expect(Object.keys(probersOf(pod))).toEqual([
      "/app-health/a/livez",
      "/app-health/b/readyz",
      "/app-health/z/startupz",
    ]);
    expect(pod.spec?.initContainers?.[0]?.startupProbe?.httpGet).toEqual({
      path: "/app-health/z/startupz",
      port: 15020,
    });
    expect(pod.spec?.containers[2]?.readinessProbe).toEqual(probe);
  });

  it("keeps the variables that the proxy has", () => {
    const proxy = { name: "istio-proxy", env: [{ name: "A", value: "1" }] };
    const pod = appProbes.apply({ spec: { containers: [{ name: "app", readinessProbe: probe }, proxy] } }, injection);
    expect(pod.spec?.containers[1]?.env?.map(({ name }) => name)).toEqual(["A", proberVariable]);
    const bare = { spec: { containers: [{ name: "app", readinessProbe: probe }, { name: "istio-proxy" }] } };
    expect(appProbes.apply(bare, injection).spec?.containers[1]?.env?.map(({ name }) => name)).toEqual([
      proberVariable,
    ]);
  });

  it("goes by the annotation before the setting, and by the setting where the annotation is no boolean", () => {
    const off = {
      injector: { ...injection.injector, settings: { rewriteProbes: false } },
    } as unknown as RenderedInjection;
    const key = "sidecar.istio.io/rewriteAppHTTPProbers";
    const path = (pod: Pod) => pod.spec?.containers[0]?.readinessProbe?.httpGet?.path;
    expect(path(appProbes.apply(podWith({ readinessProbe: probe }), off))).toBe("/r");
    expect(path(appProbes.apply(podWith({ readinessProbe: probe }, { [key]: "true" }), off))).toBe(
      "/app-health/app/readyz",
    );
    expect(path(appProbes.apply(podWith({ readinessProbe: probe }, { [key]: "maybe" }), off))).toBe("/r");
    expect(path(appProbes.apply(podWith({ readinessProbe: probe }, { [key]: "maybe" }), injection))).toBe(
      "/app-health/app/readyz",
    );
  });

  it("rewrites the scheme of HTTPS only, and records no timeout where there is none", () => {
    const http = { httpGet: { path: "/r", port: 80, scheme: "HTTP", httpHeaders: [{ name: "a", value: "b" }] } };
    const pod = appProbes.apply(podWith({ readinessProbe: http, livenessProbe: probe }), injection);
    expect(pod.spec?.containers[0]?.readinessProbe?.httpGet).toEqual({
      ...http.httpGet,
      path: "/app-health/app/readyz",
      port: 15020,
    });
    expect(pod.spec?.containers[0]?.livenessProbe?.httpGet).toEqual({ path: "/app-health/app/livez", port: 15020 });
    expect(probersOf(pod)).toEqual({ "/app-health/app/readyz": http, "/app-health/app/livez": probe });
  });

  it("keeps what else a TCP or gRPC probe says", () => {
    const pod = appProbes.apply(
      podWith({
        livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: 3 },
        startupProbe: { grpc: { port: 2 }, failureThreshold: 4 },
        lifecycle: { postStart: { tcpSocket: { port: 3 } } },
      }),
      injection,
    );
    const [app] = pod.spec?.containers ?? [];
    expect(app?.livenessProbe).toEqual({ httpGet: { path: "/app-health/app/livez", port: 15020 }, periodSeconds: 3 });
    expect(app?.startupProbe).toEqual({
      httpGet: { path: "/app-health/app/startupz", port: 15020 },
      failureThreshold: 4,
    });
    expect(app?.lifecycle).toEqual({ postStart: { httpGet: { path: "/app-lifecycle/app/poststartz", port: 15020 } } });
  });
});

/** The pod after undo(), where the agent has these probers. */
function restored(pod: Pod, probers: Readonly<Record<string, unknown>>, meshStatusPort: number): Pod | undefined {
  const value = JSON.stringify(probers);
  const [app] = pod.spec?.containers ?? [];
  const proxy = { name: "istio-proxy", env: [{ name: proberVariable, value }] };
  const injected = { ...pod, spec: { containers: [app as Container, proxy] } };
  return appProbes.undo?.(injected, { ...earlier, meshStatusPort });
}

describe("appProbes.undo() for a port of the agent's number", () => {
  const rewritten = (key: "readinessProbe" | "livenessProbe", path: string) =>
    ({ [key]: { httpGet: { path, port: 15020 } } }) as Partial<Container>;
  const ports = [
    { name: "old", containerPort: 15020 },
    { name: "agent", containerPort: 15020 },
    { containerPort: 15020 },
  ];

  it("gives the name back, the last of them", () => {
    const http = restored(
      podWith({ ports, ...rewritten("readinessProbe", "/app-health/app/readyz") }),
      { "/app-health/app/readyz": { httpGet: { path: "/r", port: 15020 } } },
      15020,
    );
    expect(http?.spec?.containers[0]?.readinessProbe).toEqual({ httpGet: { path: "/r", port: "agent" } });
    const tcp = restored(
      podWith({ ports, ...rewritten("livenessProbe", "/app-health/app/livez") }),
      { "/app-health/app/livez": { tcpSocket: { port: 15020 } } },
      15020,
    );
    expect(tcp?.spec?.containers[0]?.livenessProbe).toEqual({ tcpSocket: { port: "agent" } });
  });

  it("keeps the number where no port has a name, and any other number", () => {
    const probers = { "/app-health/app/readyz": { httpGet: { path: "/r", port: 15020 } } };
    const unnamed = podWith({
      ports: [{ containerPort: 15020 }],
      ...rewritten("readinessProbe", "/app-health/app/readyz"),
    });
    expect(restored(unnamed, probers, 15020)?.spec?.containers[0]?.readinessProbe).toEqual({
      httpGet: { path: "/r", port: 15020 },
    });
    const without = podWith(rewritten("readinessProbe", "/app-health/app/readyz"));
    expect(restored(without, probers, 15020)?.spec?.containers[0]?.readinessProbe).toEqual({
      httpGet: { path: "/r", port: 15020 },
    });
    const named = podWith({ ports, ...rewritten("readinessProbe", "/app-health/app/readyz") });
    expect(restored(named, probers, 15099)?.spec?.containers[0]?.readinessProbe).toEqual({
      httpGet: { path: "/r", port: 15020 },
    });
  });

  it("gives a hook its own back, without a timeout", () => {
    const pod = podWith({ lifecycle: { preStop: { httpGet: { path: "/app-lifecycle/app/prestopz", port: 15020 } } } });
    const probers = { "/app-lifecycle/app/prestopz": { tcpSocket: { port: 7 }, timeoutSeconds: 3 } };
    expect(restored(pod, probers, 15020)?.spec?.containers[0]?.lifecycle).toEqual({
      preStop: { tcpSocket: { port: 7 } },
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["the agent has no record of it", {}],
    ["the record is no object", { "/app-health/app/readyz": "x" }],
  ])("returns the pod itself where %s", (_what, probers) => {
    const pod = podWith(rewritten("readinessProbe", "/app-health/app/readyz"));
    expect(restored(pod, probers, 15020)?.spec?.containers[0]).toBe(pod.spec?.containers[0]);
  });
});
