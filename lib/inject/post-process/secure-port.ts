// The annotation that tells Prometheus the port of metrics over mTLS, from the proxy's own environment.

import type { Container, Pod } from "../../kube/pod-types.ts";
import { annotationKeys, containerNames } from "../keys.ts";
import { findContainerInPod, withAnnotations, withMetadata } from "../pod-edit.ts";

const variable = "ENVOY_SECURE_MERGED_METRICS_PORT";

/** Sets the annotation if the proxy serves such a port and the author has not set it, in any spelling. */
export function setSecurePort(pod: Pod): Pod {
  const port = securePortOf(findContainerInPod(pod, containerNames.proxy));
  if (port === undefined || hasSecurePort(pod)) return pod;
  return withAnnotations(pod, { [annotationKeys.securePort]: port });
}

/** Undoes setSecurePort: `proxy` is the container as an earlier injection left it. */
export function restoreSecurePort(pod: Pod, proxy: Container | undefined): Pod {
  const annotations = pod.metadata?.annotations ?? {};
  const port = securePortOf(proxy);
  if (port === undefined || annotations[annotationKeys.securePort] !== port) return pod;
  const { [annotationKeys.securePort]: _, ...others } = annotations;
  return withMetadata(pod, { annotations: others });
}

function securePortOf(proxy: Container | undefined): string | undefined {
  const entry = proxy?.env?.find(
    ({ name, value }) => name === variable && value !== undefined && value !== "" && value !== "0",
  );
  return entry?.value;
}

function hasSecurePort(pod: Pod): boolean {
  for (const key in pod.metadata?.annotations) {
    if (key.startsWith("prometheus") && key.replace(/[^a-zA-Z0-9_]/g, "_") === "prometheus_istio_io_secure_port")
      return true;
  }
  return false;
}
