// What Istio injects without a word, and what then does not do what its author meant. Each is a warning of the review, with the
// place and the fix; none is a reason to deny the pod. Runs for every injected pod: where nothing is wrong, it makes nothing.

import { metadataKeys } from "@outrigger/base";
import { unknownProxyConfigFields } from "@outrigger/mesh";
import type { Container, Pod } from "@outrigger/pod";
import { containerNames, reservedPorts } from "../data-plane.ts";
import { hasProxy } from "../pod-edit.ts";

const PROXY_USER = 1337;
const INJECTION = metadataKeys.injection;
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const MAX_NAME = 30;

/**
 * Returns what the author of an injected pod should correct. A pod without istio-proxy has no mistakes about it.
 *
 * @param author the pod without what is injected
 * @param injected the pod with it
 */
export function authorMistakes({ metadata, spec }: Pod, injected: Pod): readonly string[] {
  const found: string[] = [];
  const { annotations, labels } = metadata ?? {};
  const proxyConfig = annotations?.[metadataKeys.proxyConfig];
  const unknown = typeof proxyConfig === "string" ? unknownProxyConfigFields(proxyConfig) : [];
  for (const problem of unknown) found.push(`${metadataKeys.proxyConfig}: ${problem}`);
  labelMistakes(labels, found);
  const isMeshed = hasProxy(injected);
  for (const container of spec?.containers ?? []) {
    if (container.name === containerNames.proxy) continue;
    ofContainer(container, found);
    if (!isMeshed) continue;
    if ((container.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser) === PROXY_USER) {
      const why = `runAsUser ${PROXY_USER} is the proxy's, so its traffic bypasses it: use another`;
      found.push(`${named(container)}: ${why}`);
    }
    ofPorts(container, found);
  }
  // Those that end before the proxy starts listen where they want, and run as its user to reach the network.
  for (const container of spec?.initContainers ?? []) {
    if (container.name === containerNames.proxy) continue;
    ofContainer(container, found);
    if (isMeshed && container.restartPolicy === "Always") ofPorts(container, found);
  }
  for (const container of [...(injected.spec?.initContainers ?? []), ...(injected.spec?.containers ?? [])]) {
    if (container.image !== "auto") continue;
    found.push(`${named(container)}: no template gives it an image: write one instead of "auto"`);
  }
  return found;
}

/** Adds what is wrong with the labels of a pod to `found`, whether or not the pod is injected, and returns it. */
export function labelMistakes(
  labels: Readonly<Record<string, string>> | undefined,
  found: string[] = [],
): readonly string[] {
  for (const key in labels) {
    if (key === INJECTION) {
      found.push(`label ${INJECTION} is for namespaces: on the pod, write ${metadataKeys.inject}: "true"`);
    } else if (key !== metadataKeys.inject && isInjectLabel(key)) {
      found.push(`label ${key} has no effect: write ${metadataKeys.inject}, in lower case`);
    }
  }
  return found;
}

export function isInjectLabel(key: string): boolean {
  return key.length === metadataKeys.inject.length && key.toLowerCase() === metadataKeys.inject;
}

function ofContainer(container: Container, found: string[]): void {
  const { image, ports } = container;
  if (typeof image === "string" && /\s/.test(image)) {
    found.push(`${named(container)}: white space in its image cannot be pulled: remove it`);
  }
  for (const probe of PROBES) {
    const handler = container[probe];
    const port = handler?.httpGet?.port ?? handler?.tcpSocket?.port;
    // A number need not be declared.
    if (typeof port !== "string" || /^\d+$/.test(port) || ports?.some((each) => each.name === port)) continue;
    found.push(`${named(container)}: ${probe} is on port ${shown(port)}, which it does not have: add it to ports`);
  }
}

function ofPorts(container: Container, found: string[]): void {
  for (const { containerPort } of container.ports ?? []) {
    if (typeof containerPort !== "number" || !Object.hasOwn(reservedPorts, containerPort)) continue;
    found.push(`${named(container)}: port ${containerPort} is istio-proxy's: let the application listen on another`);
  }
}

function named({ name }: Container): string {
  return `container ${String(name).slice(0, MAX_NAME)}`;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, MAX_NAME));
}
