// What the first pod of a process pays for, compiling all that injecting runs, is paid here instead by a pod that nobody
// sent: while the store's answer is on its way there is nothing else to do.
import { injectPod } from "../../lib/inject/inject-pod.ts";
import type { Pod } from "../../lib/kube/pod-types.ts";
import type { LoadedRelease } from "../../lib/serve/channel-releases.ts";

/** Injects a pod with the bundled release and forgets the pod. Never throws: a request would say what is wrong, and to whom. */
export function warmUp(bundled: () => LoadedRelease): void {
  try {
    injectPod(bundled().injector, { pod: POD, namespace: "default", parameters: {} });
  } catch {
    // The release that is served is another one.
  }
}

/** Of a shape that the release ships, so that no YAML is read: as a Deployment makes it, with ports, probes and metrics. */
export const POD: Pod = {
  metadata: {
    generateName: "web-6d4cf56db6-",
    labels: { app: "web", version: "v1", "pod-template-hash": "6d4cf56db6" },
    annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "9090" },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-6d4cf56db6", uid: "", controller: true }],
  },
  spec: {
    serviceAccountName: "web",
    containers: [
      {
        name: "web",
        image: "web",
        ports: [{ name: "http", containerPort: 8080 }],
        readinessProbe: { httpGet: { path: "/ready", port: "http" } },
        livenessProbe: { tcpSocket: { port: 8080 } },
      },
    ],
  },
};
