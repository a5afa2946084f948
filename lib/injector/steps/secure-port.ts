// The step that writes the port of merged metrics with mutual TLS.

import { metadataKeys } from "@outrigger/base";
import { isSince } from "@outrigger/mesh";
import type { Container, Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { findContainerInPod, withAnnotations, withMetadata, withoutKeys } from "../pod-edit.ts";
import type { EarlierInjection } from "../undo/earlier-injection.ts";
import { asLabelName } from "./prometheus-merge.ts";

/** The annotation that names the port of metrics over mTLS for Prometheus, taken from the proxy's own environment. */
export const securePort: InjectionStep = { apply: setSecurePort, undo: removeSecurePort };

const variable = "ENVOY_SECURE_MERGED_METRICS_PORT";

/**
 * Sets the annotation since Istio 1.31, if the proxy serves such a port and the author has not set it in any spelling.
 */
function setSecurePort(pod: Pod, { injector }: RenderedInjection): Pod {
  if (!isSince("1.31", injector.config.istio)) return pod;
  const port = securePortOf(findContainerInPod(pod, containerNames.proxy));
  if (port === undefined || hasSecurePort(pod)) return pod;
  return withAnnotations(pod, { [metadataKeys.securePort]: port });
}

/**
 * Removes the annotation of a pod whose status is not whole, if it names the port of the injected proxy: it then counts
 * as injected. A whole status notes the annotation itself.
 */
function removeSecurePort(pod: Pod, { trust }: EarlierInjection): Pod {
  if (trust === "whole") return pod;
  const annotations = pod.metadata?.annotations ?? {};
  const port = securePortOf(findContainerInPod(pod, containerNames.proxy));
  if (port === undefined || annotations[metadataKeys.securePort] !== port) return pod;
  return withMetadata(pod, { annotations: withoutKeys(annotations, [metadataKeys.securePort]) });
}

function securePortOf(proxy: Container | undefined): string | undefined {
  return proxy?.env?.find(({ name, value }) => name === variable && value && value !== "0")?.value;
}

function hasSecurePort(pod: Pod): boolean {
  for (const key in pod.metadata?.annotations) {
    if (key.startsWith("prometheus") && asLabelName(key) === "prometheus_istio_io_secure_port") return true;
  }
  return false;
}
