// What Istio injects without a word, and what then does not do what its author meant. Each is a warning of the review, with the
// place and the fix; none is a reason to deny the pod. Runs for every injected pod: where nothing is wrong, it makes nothing.

import { metadataKeys, nearestName, once } from "@outrigger/base";
import { unknownProxyConfigFields } from "@outrigger/mesh";
import type { Container, Pod } from "@outrigger/pod";
import type { CompiledTemplates } from "@outrigger/template";
import { containerNames, reservedPorts } from "../data-plane.ts";
import type { InjectResult } from "../injection.ts";
import { findContainerInPod } from "../pod-edit.ts";
import type { Release } from "../release/load-release.ts";

const PROXY_USER = 1337;
const LOG_LEVEL = metadataKeys.logLevel;
const LOG_LEVELS = /^(?:trace|debug|info|warn|warning|error|critical|off)$/;
const INJECTION = metadataKeys.injection;
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const MAX_NAME = 30;

/**
 * What the author of an injected pod should correct. A pod without istio-proxy has no mistakes about it.
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
  const level = annotations?.[LOG_LEVEL];
  if (typeof level === "string" && !LOG_LEVELS.test(level)) {
    found.push(`${LOG_LEVEL} is ${shown(level)}: use trace, debug, info, warning, error, critical or off`);
  }
  ofLabels(labels, found);
  const hasProxy = findContainerInPod(injected, containerNames.proxy) !== undefined;
  for (const container of spec?.containers ?? []) {
    if (container.name === containerNames.proxy) continue;
    ofContainer(container, found);
    if (!hasProxy) continue;
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
    if (hasProxy && container.restartPolicy === "Always") ofPorts(container, found);
  }
  for (const container of [...(injected.spec?.initContainers ?? []), ...(injected.spec?.containers ?? [])]) {
    if (container.image !== "auto") continue;
    found.push(`${named(container)}: no template gives it an image: write one instead of "auto"`);
  }
  return found;
}

/** What the labels of a pod get wrong, whether or not it is injected. */
function ofLabels(labels: Readonly<Record<string, string>> | undefined, found: string[] = []): readonly string[] {
  for (const key in labels) {
    if (key === INJECTION) {
      found.push(`label ${INJECTION} is for namespaces: on the pod, write ${metadataKeys.inject}: "true"`);
    } else if (key !== metadataKeys.inject && isInjectLabel(key)) {
      found.push(`label ${key} has no effect: write ${metadataKeys.inject}, in lower case`);
    }
  }
  return found;
}

function isInjectLabel(key: string): boolean {
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

// For people who ask, and in part for callers of the webhook: annotations and labels under Istio's domains that nothing reads and
// whose name is near one that is read. A key that is near none is left alone: other programs may read it.

/** Domain → names. Source: istio.io/api/annotation and istio.io/api/label, those included that only other parts of Istio read. */
const KNOWN: Readonly<Record<string, string>> = {
  "istio.io":
    "rev tag reroute-virtual-interfaces dataplane-mode use-waypoint use-waypoint-namespace ingress-use-waypoint waypoint-for " +
    "autoRegistrationGroup workloadName workloadController connectedAt disconnectedAt dry-run owning-resource global",
  "ambient.istio.io": "redirection bypass-inbound-capture dns-capture waypoint-inbound-binding connect-strategy",
  "inject.istio.io": "templates",
  "networking.istio.io":
    "exportTo serviceType address-type traffic-distribution tunnel gatewayPort enable-autoallocate-ip service-type",
  "prometheus.istio.io": "merge-metrics port scrape-targets secure-port secure-ports",
  "proxy.istio.io": "config overrides",
  "readiness.status.sidecar.istio.io": "applicationPorts failureThreshold initialDelaySeconds periodSeconds",
  "security.istio.io": "tlsMode",
  "service.istio.io": "canonical-name canonical-revision workload-name",
  "sidecar.istio.io":
    "agentLogLevel bootstrapOverride capNetBindService componentLogLevel controlPlaneAuthPolicy discoveryAddress enableCoreDump " +
    "extraStatTags inject interceptionMode logLevel nativeSidecar proxyCPU proxyCPULimit proxyImage proxyImageType proxyMemory " +
    "proxyMemoryLimit rewriteAppHTTPProbers statsCompression statsHistogramBuckets statsInclusionPrefixes " +
    "statsInclusionRegexps statsInclusionSuffixes statsEvictionInterval status userVolume userVolumeMount",
  "status.sidecar.istio.io": "port",
  "topology.istio.io": "cluster controlPlaneClusters network subzone",
  "traffic.sidecar.istio.io":
    "excludeInboundPorts excludeInterfaces excludeOutboundIPRanges excludeOutboundPorts includeInboundPorts " +
    "includeOutboundIPRanges includeOutboundPorts kubevirtInterfaces",
};

/** Names that mean nothing without their domain. */
const GENERAL: readonly string[] = ["port", "config", "status", "tag", "global", "cluster", "network", "templates"];

/**
 * Finds what the author of a pod should correct, one sentence for each: what `inject`, `explain`, `lint` and the studio show. Makes
 * the check once for a release; one that keeps to the reference warns of nothing, as istioctl does not.
 *
 * @returns the check of a pod, with what was made of it; undefined where that was an error
 */
export function podWarnings({
  config,
  templates,
}: Pick<Release, "config" | "templates">): (pod: Pod, result?: InjectResult) => readonly string[] {
  if (config.compatibility !== undefined) return () => [];
  // They are read when a pod has such a key: few have.
  const known = once(() => keysRead(templates));
  return (pod, result) => [
    ...(result?.injected === true ? result.warnings : ofLabels(pod.metadata?.labels)),
    ...misspeltKeys(pod, known),
  ];
}

function misspeltKeys({ metadata = {} }: Pod, known: () => ReadonlySet<string>): readonly string[] {
  return (["annotations", "labels"] as const).flatMap((field) =>
    Object.keys(metadata[field] ?? {}).flatMap((key) => {
      if (!ISTIO_KEY.test(key) || (field === "labels" && isInjectLabel(key))) return [];
      const near = nearest(key, known());
      if (near === undefined) return [];
      return [`metadata.${field}['${key}'] is not read by any template or step: did you mean ${near}?`];
    }),
  );
}

const ISTIO_KEY = /^((?:[a-z0-9-]+\.)*istio\.io)\/(.+)$/;

/** What the templates read counts as known. */
function keysRead(templates: CompiledTemplates): ReadonlySet<string> {
  const read = JSON.stringify(templates).matchAll(/"([a-z.]*istio\.io\/[A-Za-z0-9_.-]+)\\?"/g);
  return new Set([
    ...Object.entries(KNOWN).flatMap(([domain, names]) => names.split(" ").map((name) => `${domain}/${name}`)),
    ...[...read].map((match) => match[1] as string),
  ]);
}

/** A near name of the same domain, or the same name of another. */
function nearest(key: string, known: ReadonlySet<string>): string | undefined {
  const [, domain = "", name = ""] = ISTIO_KEY.exec(key) ?? [];
  if (known.has(key)) return undefined;
  const names = [...known].flatMap((each) => (each.startsWith(`${domain}/`) ? [each.slice(domain.length + 1)] : []));
  const near = nearestName(name, names);
  if (near !== undefined) return `${domain}/${near}`;
  if (GENERAL.includes(name)) return undefined;
  return [...known].find((each) => each.endsWith(`/${name}`));
}
