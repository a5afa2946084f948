// What docs/reference/annotations.md says of each annotation and label. reference.test.ts finds the keys in the code: one that is
// missing here, or that nothing uses any more, fails.

export interface KeyDoc {
  readonly on: "pod annotation" | "pod label" | "namespace label" | "namespace annotation" | "object in the cluster";
  readonly use: "read" | "written" | "read and written";
  readonly meaning: string;
}

const readFromPod = (meaning: string): KeyDoc => ({ on: "pod annotation", use: "read", meaning });

export const KEYS: Readonly<Record<string, KeyDoc>> = {
  // The decision
  "sidecar.istio.io/inject": {
    on: "pod label",
    use: "read",
    meaning: "`true` or `false`: overrides the policy. As an annotation it is read too; the label wins",
  },
  "inject.istio.io/templates": {
    on: "pod annotation",
    use: "read",
    meaning: "the templates or aliases to inject, separated by commas, in place of `defaultTemplates`",
  },
  "istio.io/rev": {
    on: "pod label",
    use: "read and written",
    meaning:
      "the revision that injects the pod. On a namespace it sends all pods of the namespace; injection writes it as a pod annotation",
  },
  "istio-injection": {
    on: "namespace label",
    use: "read",
    meaning: "`enabled` sends the pods of the namespace to the default revision, `disabled` sends none",
  },
  "kubernetes.io/config.mirror": readFromPod("marks a mirror pod of a static pod: never sent, never injected"),
  "kubernetes.io/limit-ranger": readFromPod("what LimitRanger set: no change of a release, for `outrigger pods`"),
  "kubectl.kubernetes.io/restartedAt": {
    on: "pod annotation",
    use: "read and written",
    meaning: "in a workload's pod template: when `outrigger restart` or kubectl restarted it",
  },
  "apps.kubernetes.io/pod-index": {
    on: "pod label",
    use: "read",
    meaning: "another one in each pod of a StatefulSet: left out when `outrigger pods` looks for pods that are alike",
  },
  "kubernetes.io/metadata.name": {
    on: "namespace label",
    use: "read",
    meaning:
      "the namespace's name: a rollout to some namespaces, and the system namespaces that are left out, select by it",
  },
  "sidecar.istio.io/nativeSidecar": readFromPod(
    "`true` or `false`: whether the proxy is a native sidecar, in place of the cluster's setting",
  ),
  // What injection records
  "sidecar.istio.io/status": {
    on: "pod annotation",
    use: "read and written",
    meaning:
      "what was injected: containers, volumes, pull secrets, revision, release. A later injection removes that first",
  },
  "proxy.istio.io/overrides": {
    on: "pod annotation",
    use: "read and written",
    meaning:
      "what the author set in injected containers by naming them: kept for a later injection, which sees the merged containers only",
  },
  // The proxy
  "proxy.istio.io/config": readFromPod("ProxyConfig in YAML, merged over that of the mesh"),
  "sidecar.istio.io/proxyImage": readFromPod("the whole image of the proxy"),
  "sidecar.istio.io/proxyImageType": readFromPod("the variant of the proxy's image: `distroless`, `debug`"),
  "sidecar.istio.io/proxyCPU": readFromPod("CPU request of the proxy"),
  "sidecar.istio.io/proxyCPULimit": readFromPod("CPU limit of the proxy"),
  "sidecar.istio.io/proxyMemory": readFromPod("memory request of the proxy"),
  "sidecar.istio.io/proxyMemoryLimit": readFromPod("memory limit of the proxy"),
  "sidecar.istio.io/logLevel": readFromPod("the log level of Envoy"),
  "sidecar.istio.io/componentLogLevel": readFromPod("log levels of parts of Envoy, as `misc:error`"),
  "sidecar.istio.io/agentLogLevel": readFromPod("the log level of the agent in the proxy container"),
  "sidecar.istio.io/bootstrapOverride": readFromPod("a ConfigMap with the bootstrap configuration of Envoy"),
  "sidecar.istio.io/capNetBindService": readFromPod("`true`: the proxy may listen on ports below 1024"),
  "sidecar.istio.io/userVolume": readFromPod("volumes for the proxy, as JSON: a list, or a mapping by name"),
  "sidecar.istio.io/userVolumeMount": readFromPod("mounts of these volumes in the proxy, as JSON"),
  "apm.datadoghq.com/env": readFromPod("environment variables of the proxy, as JSON, with the tracer `datadog`"),
  // Traffic
  "sidecar.istio.io/interceptionMode": {
    on: "pod annotation",
    use: "read and written",
    meaning: "how traffic reaches the proxy",
  },
  "traffic.sidecar.istio.io/includeInboundPorts": {
    on: "pod annotation",
    use: "read and written",
    meaning: "inbound ports that go through the proxy",
  },
  "traffic.sidecar.istio.io/excludeInboundPorts": {
    on: "pod annotation",
    use: "read and written",
    meaning: "inbound ports that bypass the proxy",
  },
  "traffic.sidecar.istio.io/includeOutboundPorts": {
    on: "pod annotation",
    use: "read and written",
    meaning: "outbound ports that go through the proxy, whatever the address",
  },
  "traffic.sidecar.istio.io/excludeOutboundPorts": {
    on: "pod annotation",
    use: "read and written",
    meaning: "outbound ports that bypass the proxy",
  },
  "traffic.sidecar.istio.io/includeOutboundIPRanges": {
    on: "pod annotation",
    use: "read and written",
    meaning: "destinations that go through the proxy",
  },
  "traffic.sidecar.istio.io/excludeOutboundIPRanges": {
    on: "pod annotation",
    use: "read and written",
    meaning: "destinations that bypass the proxy",
  },
  "traffic.sidecar.istio.io/excludeInterfaces": {
    on: "pod annotation",
    use: "read and written",
    meaning: "network interfaces whose traffic bypasses the proxy",
  },
  "traffic.sidecar.istio.io/kubevirtInterfaces": {
    on: "pod annotation",
    use: "read and written",
    meaning: "virtual interfaces whose inbound traffic counts as outbound; the former name of the next",
  },
  "istio.io/reroute-virtual-interfaces": {
    on: "pod annotation",
    use: "read and written",
    meaning: "virtual interfaces whose inbound traffic counts as outbound",
  },
  "k8s.v1.cni.cncf.io/networks": {
    on: "pod annotation",
    use: "read and written",
    meaning: "the networks of Multus: Istio's own is appended where the CNI plugin needs it",
  },
  // Probes and metrics
  "status.sidecar.istio.io/port": readFromPod("the proxy's status port; `0` turns its readiness probe off"),
  "readiness.status.sidecar.istio.io/initialDelaySeconds": readFromPod("of the proxy's readiness probe"),
  "readiness.status.sidecar.istio.io/periodSeconds": readFromPod("of the proxy's readiness probe"),
  "readiness.status.sidecar.istio.io/failureThreshold": readFromPod("of the proxy's readiness probe"),
  "sidecar.istio.io/rewriteAppHTTPProbers": {
    on: "pod annotation",
    use: "read and written",
    meaning:
      "`true` or `false`: whether probes of the application go through the agent; the gRPC templates write `false`",
  },
  "prometheus.io/scrape": {
    on: "pod annotation",
    use: "read and written",
    meaning: "whether Prometheus scrapes the pod; set with the next two when metrics are merged",
  },
  "prometheus.io/port": { on: "pod annotation", use: "read and written", meaning: "the port that Prometheus scrapes" },
  "prometheus.io/path": { on: "pod annotation", use: "read and written", meaning: "the path that Prometheus scrapes" },
  "prometheus.istio.io/merge-metrics": readFromPod(
    "`false`: the application's metrics are not merged with the proxy's",
  ),
  "prometheus.istio.io/scrape-targets": readFromPod(
    "several ports and paths of the application to merge, as JSON (Istio 1.31 and later)",
  ),
  "prometheus.istio.io/secure-port": {
    on: "pod annotation",
    use: "read and written",
    meaning:
      "the port of merged metrics with mutual TLS: written where the proxy serves one (Istio 1.31 and later), unless the author set it",
  },
  // Labels of the pod
  "security.istio.io/tlsMode": {
    on: "pod label",
    use: "read and written",
    meaning: "`istio` unless the author set another: the pod accepts mutual TLS",
  },
  "networking.istio.io/tunnel": {
    on: "pod label",
    use: "read and written",
    meaning: "`http` unless the author set another: the pod accepts HBONE",
  },
  "service.istio.io/canonical-name": {
    on: "pod label",
    use: "read and written",
    meaning: "the service's name in telemetry: from the author, from `app` labels, or the workload's name",
  },
  "service.istio.io/canonical-revision": {
    on: "pod label",
    use: "read and written",
    meaning: "the service's revision in telemetry: from the author, from `version` labels, or `latest`",
  },
  "service.istio.io/workload-name": {
    on: "pod label",
    use: "read",
    meaning: "the workload's name in telemetry, in place of the owner's",
  },
  "topology.istio.io/network": {
    on: "pod label",
    use: "read and written",
    meaning: "the pod's network: the cluster's, unless the author set another",
  },
  "app.kubernetes.io/name": { on: "pod label", use: "read", meaning: "the canonical name, where the pod has no other" },
  "app.kubernetes.io/version": {
    on: "pod label",
    use: "read",
    meaning: "the canonical revision and the service version, where the pod has no other",
  },
  // Others
  "kubectl.kubernetes.io/default-container": {
    on: "pod annotation",
    use: "read and written",
    meaning: "the container that `kubectl exec` means: the author's first, unless set",
  },
  "kubectl.kubernetes.io/default-logs-container": {
    on: "pod annotation",
    use: "read and written",
    meaning: "the container that `kubectl logs` means: the author's first, unless set",
  },
  "openshift.io/sa.scc.uid-range": {
    on: "namespace annotation",
    use: "read",
    meaning: "the user IDs of the namespace, from `namespaces.yaml`: the proxy's user ID with `platform: openshift`",
  },
  "openshift.io/sa.scc.supplemental-groups": {
    on: "namespace annotation",
    use: "read",
    meaning: "the group IDs of the namespace, from `namespaces.yaml`: the proxy's group ID",
  },
  "pod-security.kubernetes.io/enforce": {
    on: "namespace label",
    use: "read",
    meaning: "the Pod Security level that the dry-run pods of `register` and `check` conform to",
  },
  "outrigger/deployment": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "label of what `register` makes: the deployment's stage",
  },
  "outrigger/revision": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "label of what `register` makes: the revision",
  },
  "outrigger/tag": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "label of a webhook for a revision tag",
  },
  "outrigger/settings": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "annotation with the settings of the last registration",
  },
  "outrigger/off": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "annotation with the time at which `outrigger off` ran",
  },
  "outrigger/lease": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "annotation with the lease of the command that changed the object last",
  },
  "outrigger/restart": {
    on: "object in the cluster",
    use: "written",
    meaning:
      "annotation of workloads and pods: when a restart made sure that nothing of an earlier command takes effect",
  },
  "app.kubernetes.io/managed-by": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "label of what `register` makes; another tool's name here means that the tool owns the object",
  },
  "app.kubernetes.io/instance": {
    on: "object in the cluster",
    use: "read and written",
    meaning: "label of what `register` makes",
  },
  "meta.helm.sh/release-name": {
    on: "object in the cluster",
    use: "read",
    meaning: "annotation of an object that Helm manages: `register` leaves it to Helm",
  },
  "argocd.argoproj.io/tracking-id": {
    on: "object in the cluster",
    use: "read",
    meaning: "annotation of an object that Argo CD manages: `register` leaves it to Argo CD",
  },
  "argocd.argoproj.io/instance": {
    on: "object in the cluster",
    use: "read",
    meaning: "the same as a label, as older versions of Argo CD write it",
  },
};

/** What looks like a key in the code and is none of a pod's: API groups, images, localities, rules of the API server itself. */
export const NOT_KEYS: readonly RegExp[] = [
  /\/v\d/,
  /^(?:sigs\.k8s\.io|registry\.|docs\.|example\.com|client\.authentication|istio\.io\/api)/,
  /^topology\.(?:kubernetes\.io|istio\.io\/subzone)/,
  /^(?:controller\.kubernetes\.io|scheduler\.alpha|seccomp\.security|container\.apparmor)/,
  /^kubernetes\.io\/os$/,
  // Closed by the guardrails: docs/guardrails.md has them.
  /^(?:batch\.kubernetes\.io|(?:eks|iam)\.amazonaws\.com|azure\.workload\.identity)\//,
  /^(?:kubernetes\.io\/config\.source|statefulset\.kubernetes\.io\/pod-name)$/,
  /^(?:docker|gcr)\.io\//,
];
