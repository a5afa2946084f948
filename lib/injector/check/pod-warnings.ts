// For people who ask, and in part for callers of the webhook: annotations and labels under Istio's domains that nothing reads and
// whose name is near one that is read, and a misspelt variant of the proxy's image. A key that is near none is left alone: other
// programs may read it.

import { metadataKeys, nearestName, once } from "@outrigger/base";
import { annotatedProxyConfig } from "@outrigger/mesh";
import type { Pod } from "@outrigger/pod";
import type { CompiledTemplates } from "@outrigger/template";
import type { InjectResult } from "../injection.ts";
import type { Release } from "../release/load-release.ts";
import { variantProblem } from "../render/near-variant.ts";
import { isInjectLabel, labelMistakes } from "./author-mistakes.ts";

/**
 * The known names of annotations and labels, by domain. Source: istio.io/api/annotation and istio.io/api/label, those
 * included that only other parts of Istio read.
 */
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
  const isIstios = config.injectionLabel === undefined;
  // They are read when a pod has such a key: few have.
  const known = once(() => keysRead(templates));
  return (pod, result) => [
    ...(result?.injected === true ? result.warnings : isIstios ? labelMistakes(pod.metadata?.labels) : []),
    ...(isIstios ? misspeltKeys(pod, known) : []),
    ...misspeltVariant(pod),
  ];
}

function misspeltVariant({ metadata }: Pod): readonly string[] {
  const { [metadataKeys.proxyImageType]: type, [metadataKeys.proxyConfig]: config } = metadata?.annotations ?? {};
  const variants = [
    [metadataKeys.proxyImageType, variantProblem(type)],
    [
      metadataKeys.proxyConfig,
      variantProblem(config && annotatedProxyConfig(config).image?.imageType),
      "image.imageType",
    ],
  ] as const;
  return variants.flatMap(([key, problem, field]) =>
    problem === undefined
      ? []
      : [`metadata.annotations['${key}']${field === undefined ? "" : `: ${field}`} ${problem}?`],
  );
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

/** Returns the keys that the templates read. They count as known. */
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
