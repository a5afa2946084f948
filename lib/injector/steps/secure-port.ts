// The annotation that names the port of metrics over mTLS for Prometheus, taken from the proxy's own environment.

import type { Container, Pod } from "@outrigger/pod";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { annotationKeys, containerNames } from "../keys.ts";
import { findContainerInPod, withAnnotations, withMetadata, withoutKeys } from "../pod-edit.ts";
import type { EarlierInjection } from "../undo/earlier-injection.ts";
import { asLabelName } from "./prometheus-merge.ts";

export const securePort: InjectionStep = { apply: setSecurePort, undo: removeSecurePort };

const variable = "ENVOY_SECURE_MERGED_METRICS_PORT";

/** Since Istio 1.31: sets the annotation if the proxy serves such a port and the author has not set it, in any spelling. */
function setSecurePort(pod: Pod, { injector }: RenderedInjection): Pod {
  if (!injector.rules.setsSecurePort) return pod;
  const port = securePortOf(findContainerInPod(pod, containerNames.proxy));
  if (port === undefined || hasSecurePort(pod)) return pod;
  return withAnnotations(pod, { [annotationKeys.securePort]: port });
}

/** A whole status notes the annotation; without one, it counts as injected if it names the port of the injected proxy. */
function removeSecurePort(pod: Pod, { trust }: EarlierInjection): Pod {
  if (trust === "whole") return pod;
  const annotations = pod.metadata?.annotations ?? {};
  const port = securePortOf(findContainerInPod(pod, containerNames.proxy));
  if (port === undefined || annotations[annotationKeys.securePort] !== port) return pod;
  return withMetadata(pod, { annotations: withoutKeys(annotations, [annotationKeys.securePort]) });
}

function securePortOf(proxy: Container | undefined): string | undefined {
  const entry = proxy?.env?.find(
    ({ name, value }) => name === variable && value !== undefined && value !== "" && value !== "0",
  );
  return entry?.value;
}

function hasSecurePort(pod: Pod): boolean {
  for (const key in pod.metadata?.annotations) {
    if (key.startsWith("prometheus") && asLabelName(key) === "prometheus_istio_io_secure_port") return true;
  }
  return false;
}
