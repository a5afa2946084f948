// Every annotation and label of pods and namespaces that Outrigger reads or writes: the key, the rule of its value, and its row in
// docs/reference/annotations.md. It is here because the packages of pods, of the mesh and of templates read keys too, and this
// is the package that all of them have. lib/webhook/object-keys.ts has the keys of Outrigger's own objects in a cluster.

/** An entry of a table of keys. */
export interface MetadataKey {
  readonly key: string;
  /** The meaning of the value: lib/mesh/value-rules.ts has its rule. A pod that breaks it is denied; without one, any text is right. */
  readonly rule?: string;
  /** The texts for the reference page. The bundles of functions leave them out. */
  readonly doc: {
    /** The object that has the key. The page has a section for each. */
    readonly on: "pod annotation" | "pod label" | "namespace label" | "namespace annotation" | "object in the cluster";
    readonly use: "read" | "written" | "read and written";
    /** A description of what the key does, in Markdown. */
    readonly meaning: string;
  };
}

/**
 * The keys, from istio.io/api/annotation and istio.io/api/label and the conventions of Kubernetes, Prometheus and
 * others.
 */
export const metadataKeyTable = {
  // The decision
  inject: {
    key: "sidecar.istio.io/inject",
    doc: {
      on: "pod label",
      use: "read",
      meaning: "`true` or `false`: overrides the policy. As an annotation it is read too; the label wins",
    },
  },
  templates: {
    key: "inject.istio.io/templates",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "the templates or aliases to inject, separated by commas, in place of `defaultTemplates`",
    },
  },
  revision: {
    key: "istio.io/rev",
    doc: {
      on: "pod label",
      use: "read and written",
      meaning:
        "the revision that injects the pod. On a namespace it sends all pods of the namespace; injection writes it as a pod annotation",
    },
  },
  injection: {
    key: "istio-injection",
    doc: {
      on: "namespace label",
      use: "read",
      meaning: "`enabled` sends the pods of the namespace to the default revision, `disabled` sends none",
    },
  },
  mirrorPod: {
    key: "kubernetes.io/config.mirror",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "marks a mirror pod of a static pod: never sent, never injected",
    },
  },
  limitRanger: {
    key: "kubernetes.io/limit-ranger",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "what LimitRanger set: no change of a release, for `outrigger pods`",
    },
  },
  restartedAt: {
    key: "kubectl.kubernetes.io/restartedAt",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "in a workload's pod template: when `outrigger restart` or kubectl restarted it",
    },
  },
  podIndex: {
    key: "apps.kubernetes.io/pod-index",
    doc: {
      on: "pod label",
      use: "read",
      meaning: "another one in each pod of a StatefulSet: left out when `outrigger pods` looks for pods that are alike",
    },
  },
  namespaceName: {
    key: "kubernetes.io/metadata.name",
    doc: {
      on: "namespace label",
      use: "read",
      meaning:
        "the namespace's name: a rollout to some namespaces, and the system namespaces that are left out, select by it",
    },
  },
  nativeSidecar: {
    key: "sidecar.istio.io/nativeSidecar",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "`true` or `false`: whether the proxy is a native sidecar, in place of the cluster's setting",
    },
  },
  // What injection records
  fallback: {
    key: "outrigger/fallback",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning:
        "the release in the artifact, which made the pod because no published one could be read: `outrigger pods --fallback` lists such pods, and `outrigger restart` replaces them",
    },
  },
  status: {
    key: "sidecar.istio.io/status",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning:
        "what was injected: containers, volumes, pull secrets, revision, release. A later injection removes that first",
    },
  },
  overrides: {
    key: "proxy.istio.io/overrides",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning:
        "what the author set in injected containers by naming them: kept for a later injection, which sees the merged containers only",
    },
  },
  ownTemplates: {
    key: "outrigger/templates",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "in place of `inject.istio.io/templates` with an `injectionLabel`",
    },
  },
  ownStatus: {
    key: "outrigger/status",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "in place of `sidecar.istio.io/status` with an `injectionLabel`: both records may be in one pod",
    },
  },
  ownOverrides: {
    key: "outrigger/overrides",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "in place of `proxy.istio.io/overrides` with an `injectionLabel`",
    },
  },
  // The proxy
  proxyConfig: {
    key: "proxy.istio.io/config",
    rule: "proxyConfig",
    doc: { on: "pod annotation", use: "read", meaning: "ProxyConfig in YAML, merged over that of the mesh" },
  },
  proxyImage: {
    key: "sidecar.istio.io/proxyImage",
    rule: "image",
    doc: { on: "pod annotation", use: "read", meaning: "the whole image of the proxy" },
  },
  proxyImageType: {
    key: "sidecar.istio.io/proxyImageType",
    rule: "imageType",
    doc: { on: "pod annotation", use: "read", meaning: "the variant of the proxy's image: `distroless`, `debug`" },
  },
  proxyCpu: {
    key: "sidecar.istio.io/proxyCPU",
    rule: "quantity",
    doc: { on: "pod annotation", use: "read", meaning: "CPU request of the proxy" },
  },
  proxyCpuLimit: {
    key: "sidecar.istio.io/proxyCPULimit",
    rule: "quantity",
    doc: { on: "pod annotation", use: "read", meaning: "CPU limit of the proxy" },
  },
  proxyMemory: {
    key: "sidecar.istio.io/proxyMemory",
    rule: "quantity",
    doc: { on: "pod annotation", use: "read", meaning: "memory request of the proxy" },
  },
  proxyMemoryLimit: {
    key: "sidecar.istio.io/proxyMemoryLimit",
    rule: "quantity",
    doc: { on: "pod annotation", use: "read", meaning: "memory limit of the proxy" },
  },
  logLevel: {
    key: "sidecar.istio.io/logLevel",
    rule: "level",
    doc: { on: "pod annotation", use: "read", meaning: "the log level of Envoy" },
  },
  componentLogLevel: {
    key: "sidecar.istio.io/componentLogLevel",
    rule: "componentLevels",
    doc: { on: "pod annotation", use: "read", meaning: "log levels of parts of Envoy, as `misc:error`" },
  },
  agentLogLevel: {
    key: "sidecar.istio.io/agentLogLevel",
    rule: "agentLevels",
    doc: { on: "pod annotation", use: "read", meaning: "the log level of the agent in the proxy container" },
  },
  bootstrapOverride: {
    key: "sidecar.istio.io/bootstrapOverride",
    doc: { on: "pod annotation", use: "read", meaning: "a ConfigMap with the bootstrap configuration of Envoy" },
  },
  capNetBindService: {
    key: "sidecar.istio.io/capNetBindService",
    doc: { on: "pod annotation", use: "read", meaning: "`true`: the proxy may listen on ports below 1024" },
  },
  userVolume: {
    key: "sidecar.istio.io/userVolume",
    doc: { on: "pod annotation", use: "read", meaning: "volumes for the proxy, as JSON: a list, or a mapping by name" },
  },
  userVolumeMount: {
    key: "sidecar.istio.io/userVolumeMount",
    doc: { on: "pod annotation", use: "read", meaning: "mounts of these volumes in the proxy, as JSON" },
  },
  datadogEnvironment: {
    key: "apm.datadoghq.com/env",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "environment variables of the proxy, as JSON, with the tracer `datadog`",
    },
  },
  // Traffic
  interceptionMode: {
    key: "sidecar.istio.io/interceptionMode",
    rule: "interceptionMode",
    doc: { on: "pod annotation", use: "read and written", meaning: "how traffic reaches the proxy" },
  },
  includeInboundPorts: {
    key: "traffic.sidecar.istio.io/includeInboundPorts",
    rule: "allOrPorts",
    doc: { on: "pod annotation", use: "read and written", meaning: "inbound ports that go through the proxy" },
  },
  excludeInboundPorts: {
    key: "traffic.sidecar.istio.io/excludeInboundPorts",
    rule: "ports",
    doc: { on: "pod annotation", use: "read and written", meaning: "inbound ports that bypass the proxy" },
  },
  includeOutboundPorts: {
    key: "traffic.sidecar.istio.io/includeOutboundPorts",
    rule: "ports",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "outbound ports that go through the proxy, whatever the address",
    },
  },
  excludeOutboundPorts: {
    key: "traffic.sidecar.istio.io/excludeOutboundPorts",
    rule: "ports",
    doc: { on: "pod annotation", use: "read and written", meaning: "outbound ports that bypass the proxy" },
  },
  includeOutboundRanges: {
    key: "traffic.sidecar.istio.io/includeOutboundIPRanges",
    rule: "allOrRanges",
    doc: { on: "pod annotation", use: "read and written", meaning: "destinations that go through the proxy" },
  },
  excludeOutboundRanges: {
    key: "traffic.sidecar.istio.io/excludeOutboundIPRanges",
    rule: "ranges",
    doc: { on: "pod annotation", use: "read and written", meaning: "destinations that bypass the proxy" },
  },
  excludeInterfaces: {
    key: "traffic.sidecar.istio.io/excludeInterfaces",
    rule: "interfaces",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "network interfaces whose traffic bypasses the proxy",
    },
  },
  kubevirtInterfaces: {
    key: "traffic.sidecar.istio.io/kubevirtInterfaces",
    rule: "interfaces",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "virtual interfaces whose inbound traffic counts as outbound; the former name of the next",
    },
  },
  virtualInterfaces: {
    key: "istio.io/reroute-virtual-interfaces",
    rule: "interfaces",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "virtual interfaces whose inbound traffic counts as outbound",
    },
  },
  networks: {
    key: "k8s.v1.cni.cncf.io/networks",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "the networks of Multus: Istio's own is appended where the CNI plugin needs it",
    },
  },
  // Probes and metrics
  statusPort: {
    key: "status.sidecar.istio.io/port",
    rule: "portOrNone",
    doc: { on: "pod annotation", use: "read", meaning: "the proxy's status port; `0` turns its readiness probe off" },
  },
  readinessInitialDelay: {
    key: "readiness.status.sidecar.istio.io/initialDelaySeconds",
    rule: "seconds",
    doc: { on: "pod annotation", use: "read", meaning: "of the proxy's readiness probe" },
  },
  readinessPeriod: {
    key: "readiness.status.sidecar.istio.io/periodSeconds",
    rule: "seconds",
    doc: { on: "pod annotation", use: "read", meaning: "of the proxy's readiness probe" },
  },
  readinessFailureThreshold: {
    key: "readiness.status.sidecar.istio.io/failureThreshold",
    rule: "seconds",
    doc: { on: "pod annotation", use: "read", meaning: "of the proxy's readiness probe" },
  },
  rewriteProbes: {
    key: "sidecar.istio.io/rewriteAppHTTPProbers",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning:
        "`true` or `false`: whether probes of the application go through the agent; the gRPC templates write `false`",
    },
  },
  scrape: {
    key: "prometheus.io/scrape",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "whether Prometheus scrapes the pod; set with the next two when metrics are merged",
    },
  },
  scrapePort: {
    key: "prometheus.io/port",
    doc: { on: "pod annotation", use: "read and written", meaning: "the port that Prometheus scrapes" },
  },
  scrapePath: {
    key: "prometheus.io/path",
    doc: { on: "pod annotation", use: "read and written", meaning: "the path that Prometheus scrapes" },
  },
  mergeMetrics: {
    key: "prometheus.istio.io/merge-metrics",
    rule: "boolean",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "`false`: the application's metrics are not merged with the proxy's",
    },
  },
  scrapeTargets: {
    key: "prometheus.istio.io/scrape-targets",
    doc: {
      on: "pod annotation",
      use: "read",
      meaning: "several ports and paths of the application to merge, as JSON (Istio 1.31 and later)",
    },
  },
  securePort: {
    key: "prometheus.istio.io/secure-port",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning:
        "the port of merged metrics with mutual TLS: written where the proxy serves one (Istio 1.31 and later), unless the author set it",
    },
  },
  // Labels of the pod
  tlsMode: {
    key: "security.istio.io/tlsMode",
    doc: {
      on: "pod label",
      use: "read and written",
      meaning: "`istio` unless the author set another: the pod accepts mutual TLS",
    },
  },
  dataplaneMode: {
    key: "istio.io/dataplane-mode",
    doc: {
      on: "pod label",
      use: "read",
      meaning: "whether ambient mode takes the pod's traffic: an edit that writes it is held, as one of capture",
    },
  },
  tunnel: {
    key: "networking.istio.io/tunnel",
    doc: {
      on: "pod label",
      use: "read and written",
      meaning: "`http` unless the author set another: the pod accepts HBONE",
    },
  },
  canonicalName: {
    key: "service.istio.io/canonical-name",
    doc: {
      on: "pod label",
      use: "read and written",
      meaning: "the service's name in telemetry: from the author, from `app` labels, or the workload's name",
    },
  },
  canonicalRevision: {
    key: "service.istio.io/canonical-revision",
    doc: {
      on: "pod label",
      use: "read and written",
      meaning: "the service's revision in telemetry: from the author, from `version` labels, or `latest`",
    },
  },
  workloadName: {
    key: "service.istio.io/workload-name",
    doc: { on: "pod label", use: "read", meaning: "the workload's name in telemetry, in place of the owner's" },
  },
  network: {
    key: "topology.istio.io/network",
    doc: {
      on: "pod label",
      use: "read and written",
      meaning: "the pod's network: the cluster's, unless the author set another",
    },
  },
  appName: {
    key: "app.kubernetes.io/name",
    doc: { on: "pod label", use: "read", meaning: "the canonical name, where the pod has no other" },
  },
  appVersion: {
    key: "app.kubernetes.io/version",
    doc: {
      on: "pod label",
      use: "read",
      meaning: "the canonical revision and the service version, where the pod has no other",
    },
  },
  // Others
  defaultContainer: {
    key: "kubectl.kubernetes.io/default-container",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "the container that `kubectl exec` means: the author's first, unless set",
    },
  },
  defaultLogsContainer: {
    key: "kubectl.kubernetes.io/default-logs-container",
    doc: {
      on: "pod annotation",
      use: "read and written",
      meaning: "the container that `kubectl logs` means: the author's first, unless set",
    },
  },
  openshiftUserIds: {
    key: "openshift.io/sa.scc.uid-range",
    doc: {
      on: "namespace annotation",
      use: "read",
      meaning: "the user IDs of the namespace, from `namespaces.yaml`: the proxy's user ID with `platform: openshift`",
    },
  },
  openshiftGroupIds: {
    key: "openshift.io/sa.scc.supplemental-groups",
    doc: {
      on: "namespace annotation",
      use: "read",
      meaning: "the group IDs of the namespace, from `namespaces.yaml`: the proxy's group ID",
    },
  },
  podSecurityLevel: {
    key: "pod-security.kubernetes.io/enforce",
    doc: {
      on: "namespace label",
      use: "read",
      meaning: "the Pod Security level that the dry-run pods of `register` and `check` conform to",
    },
  },
} as const satisfies Readonly<Record<string, MetadataKey>>;

/** The keys by their names: `metadataKeys.revision` is `"istio.io/rev"`. */
export const metadataKeys = keysOf(metadataKeyTable);

/** The meanings that annotations have. */
export type AnnotationRule = Extract<
  (typeof metadataKeyTable)[keyof typeof metadataKeyTable],
  { readonly rule: string }
>["rule"];

/** The keys of annotations whose values are checked, with the rule of each. */
export const annotationRules: ReadonlyMap<string, AnnotationRule> = new Map(
  Object.values(metadataKeyTable).flatMap((each) => ("rule" in each ? [[each.key, each.rule]] : [])),
);

/**
 * Returns the keys of a table by the names of its entries.
 *
 * @example
 * ```ts
 * keysOf({ revision: { key: "istio.io/rev" } }) // => { revision: "istio.io/rev" }
 * ```
 */
export function keysOf<const Table extends Readonly<Record<string, { readonly key: string }>>>(table: Table) {
  const entries = Object.entries(table).map(([name, { key }]) => [name, key]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Table]: Table[Name]["key"] };
}
