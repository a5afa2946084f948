// The marks of Istio's own injector, whose record names containers and volumes only: takes away what its templates write beside
// them, and finds what is left of the mesh. Outrigger's own record needs none of this.

import { metadataKeys, OutriggerError } from "@outrigger/base";
import { type Container, containersOf, type Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { Injector } from "../injection.ts";
import { findContainer, findContainerInPod, withMetadata, withoutKeys, withSpec } from "../pod-edit.ts";
import { scrapesAgent } from "../steps/prometheus-merge.ts";
import { isRenderedProxy } from "./earlier-injection.ts";
import { readStatus } from "./injection-status.ts";

type Strings = Readonly<Record<string, string>>;

/** What the templates of Istio's injector write into metadata, where the pod's author wrote nothing. */
interface Written {
  readonly labels: Strings;
  readonly annotations: Strings;
}

const { proxy, init, validation, coreDump } = containerNames;

const SHORTEST_CUT = 40;

/** Annotations by which the CNI plugin redirects traffic, with the value under `global.proxy` that each defaults to. */
const REDIRECTION: Strings = {
  [metadataKeys.includeOutboundRanges]: "includeIPRanges",
  [metadataKeys.excludeOutboundRanges]: "excludeIPRanges",
  [metadataKeys.includeInboundPorts]: "includeInboundPorts",
  [metadataKeys.excludeInboundPorts]: "excludeInboundPorts",
  [metadataKeys.includeOutboundPorts]: "includeOutboundPorts",
  [metadataKeys.excludeOutboundPorts]: "excludeOutboundPorts",
};

/**
 * Returns the restored pod without the labels, annotations, pull secrets and sysctls that Istio's templates write.
 *
 * @param injected the pod as Istio's injector left it
 * @param restored the same pod, without what its record names
 * @throws OutriggerError `manifest-invalid` where something of the mesh is left, with its name
 */
export function withoutIstio(injected: Pod, restored: Pod, injector: Injector, workload: string): Pod {
  const { labels, annotations } = writtenBy(injected, restored, injector, workload);
  const { metadata, spec } = restored;
  const cleaned = withMetadata(restored, {
    ...(metadata?.labels && { labels: withoutEqual(metadata.labels, labels) }),
    ...(metadata?.annotations && { annotations: withoutEqual(metadata.annotations, annotations) }),
  });
  const recorded = new Set(readStatus(injected)?.imagePullSecrets);
  const secrets = spec?.imagePullSecrets?.filter(({ name }) => name === undefined || !recorded.has(name));
  const withSecrets =
    secrets === undefined || recorded.size === 0
      ? cleaned
      : withSpec(cleaned, { imagePullSecrets: secrets.length === 0 ? undefined : secrets });
  const plain = withoutGatewaySysctl(withSecrets, annotationOf(restored, metadataKeys.templates));
  assertLeft(plain, injected);
  return plain;
}

function writtenBy(injected: Pod, { metadata, spec }: Pod, injector: Injector, workload: string): Written {
  const own = metadata?.labels ?? {};
  const first = (...keys: string[]) => keys.map((key) => own[key]).find((value) => value);
  // The label of the network is the author's or the mesh's, and means nothing outside of the mesh.
  const network = own[metadataKeys.network];
  const name = first(metadataKeys.appName, "app") ?? workload;
  const label = own[metadataKeys.canonicalName] ?? "";
  // Istio cuts a long name, at a place that depends on its release and on what made the name.
  const canonical = label.length >= SHORTEST_CUT && name.startsWith(label) ? label : name;
  const labels = {
    [metadataKeys.tlsMode]: "istio",
    [metadataKeys.tunnel]: "http",
    [metadataKeys.canonicalName]: canonical,
    [metadataKeys.canonicalRevision]: first(metadataKeys.appVersion, "version") ?? "latest",
    ...(network !== undefined && { [metadataKeys.network]: network }),
  };
  const container = spec?.containers?.find(({ name }) => name !== proxy)?.name;
  const revision = annotationOf(injected, metadataKeys.revision);
  const mode = annotationOf(injected, metadataKeys.interceptionMode);
  return {
    labels,
    annotations: {
      ...(revision !== undefined && { [metadataKeys.revision]: revision }),
      ...(container !== undefined && {
        [metadataKeys.defaultContainer]: container,
        [metadataKeys.defaultLogsContainer]: container,
      }),
      ...(isProxyless(injected) && { [metadataKeys.rewriteProbes]: "false" }),
      ...injector.config.injectedAnnotations,
      ...(isRedirectedByCni(injected) && {
        ...(mode !== undefined && { [metadataKeys.interceptionMode]: mode }),
        ...redirectionOf(injected, injector),
      }),
    },
  };
}

/** The templates of proxyless gRPC write an agent or a bootstrap file, and turn the rewriting of probes off. */
function isProxyless(injected: Pod): boolean {
  const generator = findContainerInPod(injected, proxy)?.env?.find(({ name }) => name === "ISTIO_META_GENERATOR");
  return (
    generator?.value === "grpc" || findContainer(injected.spec?.initContainers, "grpc-bootstrap-init") !== undefined
  );
}

/** Without `istio-init`, the CNI plugin redirects the traffic of a proxy, by annotations that the template writes. */
function isRedirectedByCni(injected: Pod): boolean {
  return (
    findContainerInPod(injected, proxy) !== undefined &&
    findContainer(injected.spec?.initContainers, init) === undefined &&
    annotationOf(injected, metadataKeys.interceptionMode) !== undefined
  );
}

function redirectionOf(injected: Pod, { values }: Injector): Strings {
  const settings = ((values["global"] as { proxy?: Strings } | undefined)?.proxy ?? {}) as Strings;
  const statusPort = annotationOf(injected, metadataKeys.statusPort) ?? String(settings["statusPort"] ?? "");
  const written: Record<string, string> = {};
  for (const [key, name] of Object.entries(REDIRECTION)) written[key] = String(settings[name] ?? "");
  const excluded = written[metadataKeys.excludeInboundPorts] as string;
  written[metadataKeys.excludeInboundPorts] = excluded === "" ? statusPort : `${excluded},${statusPort}`;
  const networks = annotationOf(injected, metadataKeys.networks);
  return { ...written, ...(networks === "default/istio-cni" && { [metadataKeys.networks]: networks }) };
}

function withoutEqual(map: Strings, written: Strings): Strings {
  return withoutKeys(
    map,
    Object.keys(written).filter((key) => map[key] === written[key]),
  );
}

/** The template of gateways lets every port be bound without a privilege. */
function withoutGatewaySysctl(pod: Pod, templates: string | undefined): Pod {
  const { sysctls, ...others } = pod.spec?.securityContext ?? {};
  if (sysctls === undefined || !/gateway/.test(templates ?? "")) return pod;
  const left = sysctls.filter(({ name, value }) => name !== "net.ipv4.ip_unprivileged_port_start" || value !== "0");
  if (left.length === sysctls.length) return pod;
  const securityContext = { ...others, ...(left.length > 0 && { sysctls: left }) };
  return withSpec(pod, { securityContext: Object.keys(securityContext).length === 0 ? undefined : securityContext });
}

/**
 * Throws if something of the mesh is left in a pod: its callers would speak mutual TLS to it, or its probes would ask an
 * agent that is gone.
 *
 * @throws OutriggerError `manifest-invalid`
 */
function assertLeft(pod: Pod, injected: Pod): void {
  const found = meshLeft(pod, injected);
  if (found === undefined) return;
  const message = `something of the mesh is left that its record does not explain: ${found.what}; ${found.remedy}`;
  throw new OutriggerError("manifest-invalid", message, { path: found.path });
}

interface Left {
  readonly path: string;
  readonly what: string;
  readonly remedy: string;
}

function meshLeft(pod: Pod, injected: Pod): Left | undefined {
  const rendered = renderedProxy(pod);
  if (rendered !== undefined) return rendered;
  const volumes = new Set(pod.spec?.volumes?.map(({ name }) => name));
  const removed = new Set(injected.spec?.volumes?.flatMap(({ name }) => (volumes.has(name) ? [] : [name])));
  for (const container of containersOf(pod.spec) as readonly Container[]) {
    const path = `spec.containers[${container.name}]`;
    const probe = agentProbe(container);
    const remedy = "write what its author wrote there";
    if (probe !== undefined)
      return { path: `${path}.${probe}`, what: `${path}.${probe} asks the proxy's agent`, remedy };
    const mount = container.volumeMounts?.find(({ name }) => removed.has(name));
    if (mount !== undefined) {
      return { path, what: `${path} mounts volume ${mount.name} of the injection`, remedy: "remove the mount" };
    }
  }
  const written = [metadataKeys.interceptionMode, metadataKeys.networks, ...Object.keys(REDIRECTION)];
  const cni = isRedirectedByCni(injected) ? written.find((key) => annotationOf(pod, key) !== undefined) : undefined;
  const key = cni ?? (scrapesAgent(pod) ? metadataKeys.scrapePath : undefined);
  if (key === undefined) return undefined;
  const remedy = `remove it, or name the values of that Istio with --values so that it is recognised`;
  return { path: `metadata.annotations["${key}"]`, what: `annotation ${key}`, remedy };
}

/** A proxy that a template rendered, in a pod whose record does not name it. */
export function renderedProxy(pod: Pod): Left | undefined {
  for (const name of [proxy, init, validation, coreDump]) {
    const container = findContainerInPod(pod, name);
    const isRendered = name === proxy ? isRenderedProxy(container) : container?.args?.[0] === "istio-iptables";
    if (isRendered !== true) continue;
    return { path: "spec", what: `container ${name}`, remedy: "remove it, with its volumes" };
  }
  return undefined;
}

const AGENT_PATH = /^\/app-(?:health|lifecycle)\//;

function agentProbe({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string | undefined {
  const handlers = {
    livenessProbe,
    readinessProbe,
    startupProbe,
    "lifecycle.preStop": lifecycle?.preStop,
    "lifecycle.postStart": lifecycle?.postStart,
  };
  return Object.entries(handlers).find(([, handler]) => AGENT_PATH.test(handler?.httpGet?.path ?? ""))?.[0];
}

function annotationOf({ metadata }: Pod, key: string): string | undefined {
  const value: unknown = metadata?.annotations?.[key];
  return typeof value === "string" ? value : undefined;
}
