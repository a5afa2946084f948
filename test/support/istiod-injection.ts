// What Istio's injector does to a pod, at the least, by its source (pkg/kube/inject): it takes away what its own record names, adds its
// containers again, and lets its agent answer for probes and metrics. A stand-in for tests of what comes beside it.
import type { Pod } from "@outrigger/pod";

const RECORD = "sidecar.istio.io/status";
const PORT = 15020;

export function injectedByIstiod(pod: Pod): Pod {
  const { annotations } = pod.metadata ?? {};
  const record = JSON.parse(annotations?.[RECORD] ?? "{}") as Record<string, string[] | null>;
  const own = new Set([...(record["containers"] ?? []), ...(record["initContainers"] ?? [])]);
  const others = (list: NonNullable<Pod["spec"]>["initContainers"] = []) => list.filter(({ name }) => !own.has(name));
  const isProbed = (path: string | undefined) => path?.startsWith("/app-health/") === true;
  const status = { initContainers: ["istio-init", "istio-proxy"], containers: null, revision: "default" };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: {
        ...annotations,
        "prometheus.io/port": String(PORT),
        "prometheus.io/path": "/stats/prometheus",
        "prometheus.io/scrape": "true",
        [RECORD]: JSON.stringify(status),
      },
    },
    spec: {
      ...pod.spec,
      initContainers: [
        { name: "istio-init", image: "istio/proxyv2:1.28.0" },
        {
          name: "istio-proxy",
          image: "istio/proxyv2:1.28.0",
          restartPolicy: "Always",
          env: [{ name: "PROXY_CONFIG", value: "{}" }],
        },
        ...others(pod.spec?.initContainers),
      ],
      containers: others(pod.spec?.containers).map((container) => {
        const { httpGet } = container.readinessProbe ?? {};
        if (httpGet === undefined || httpGet === null || isProbed(httpGet.path)) return container;
        const path = `/app-health/${container.name}/readyz`;
        return { ...container, readinessProbe: { ...container.readinessProbe, httpGet: { path, port: PORT } } };
      }),
    },
  };
}
