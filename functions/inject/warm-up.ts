// Injects a pod before the first request, so that the code is compiled by then.

import { metadataKeys } from "@outrigger/base";
import { type Injector, injectPod } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";

/** Injects a pod with the bundled release and discards the result. Never throws: the first request reports any error. */
export function warmUp(bundled: () => { readonly injector: Injector }): void {
  try {
    injectPod(bundled().injector, { pod: POD, namespace: "default", parameters: {} });
  } catch {
    // The release that is served may be another one.
  }
}

/** A Deployment's pod with ports, probes and metrics. The release ships a shape for it, so no YAML is parsed. */
export const POD: Pod = {
  metadata: {
    generateName: "web-6d4cf56db6-",
    labels: { app: "web", version: "v1", "pod-template-hash": "6d4cf56db6" },
    annotations: { [metadataKeys.scrape]: "true", [metadataKeys.scrapePort]: "9090" },
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
