// What the reference pages say of template data, keys of the config and metrics. Names, defaults and values come from the code.
import type { metricLine } from "@outrigger/serving";

type MetricName = keyof NonNullable<Parameters<typeof metricLine>[0]["metrics"]>;

/** Root → what a template finds there. */
export const ROOTS: Readonly<Record<string, string>> = {
  metadata:
    "the pod's metadata: `metadata.labels`, `metadata.annotations`, `metadata.name` (empty where Kubernetes will generate it)",
  spec: "the pod's spec, before injection",
  owner: "the workload: `owner.name`, `owner.namespace`, `owner.kind`, `owner.apiVersion`",
  values: "the merged values: [all of them](values.md)",
  meshConfig: "the mesh config, with Istio's defaults",
  proxyConfig: "the effective ProxyConfig of the pod: mesh, resources, annotation",
  revision: "the revision that injects",
  cluster: "Istio's ID of the cluster, from the webhook's URL",
  network: "Istio's network of the cluster; empty where there is one network",
  nativeSidecars: "whether the proxy is a native sidecar for this pod and this cluster",
  proxyImage: "the proxy's image, complete: values, image type, annotation",
  proxyInitImage: "the image of `istio-init`, complete",
  proxyUID: "the proxy's user ID: 1337, or the namespace's on OpenShift",
  proxyGID: "the proxy's group ID",
  inboundTrafficPolicyMode: "the mesh config's `inboundTrafficPolicy.mode`, as text",
  compliancePolicy: "the config's `compliancePolicy`",
};

/** Key of the config → what it means. */
export const CONFIG: Readonly<Record<string, string>> = {
  policy: "`enabled` or `disabled`: applies to a pod for which no other rule decides",
  defaultTemplates: "templates for a pod without `inject.istio.io/templates`",
  aliases: "name → list of templates; expanded once",
  neverInjectSelector: "label selectors; a match wins over `alwaysInjectSelector`",
  alwaysInjectSelector: "label selectors",
  injectedAnnotations: "annotations for every injected pod",
  revision: "the revision that pods are marked with",
  nativeSidecars: "the proxy is an init container that keeps running (Kubernetes 1.29 and later)",
  compliancePolicy: "passed to the proxy, for example `fips-140-3`",
  platform: "`openshift`: user IDs come from the namespace",
  compatibility: "`reference` follows Istio's injector even where an API server rejects the pod",
  istio: "the [Istio release](../istio-releases.md) of the proxies",
  publishTo: "the channel to which edits are published, [as long as nothing was](../releases.md#where-edits-go)",
  defaults: "`none`: the shipped values, except the release's `global.tag`, and mesh config are not below yours",
};

/** Made of the gateway's log by filters: infra/gateway-metrics.yml. */
type GatewayMetric = "GatewayThrottled" | "GatewayRejected" | "GatewayFailed";

/** Metric → what it counts. */
export const METRICS: Readonly<Record<MetricName | GatewayMetric, string>> = {
  GatewayThrottled: "calls that the gateway answered with 429",
  GatewayRejected: "calls that the gateway rejected before the function was called",
  GatewayFailed: "calls that the gateway answered with a 5xx",
  Latency: "milliseconds from a call's arrival in the function to its answer",
  ColdStart: "calls that were the first of their container",
  Injected: "pods that were injected",
  Skipped: "pods that were let in without a sidecar, because a rule says so",
  Denied: "pods that were rejected because of a mistake of their author",
  Refused: "requests that are not reviews, or have no known token",
  Failed: "calls that failed: `failurePolicy` decided about their pods",
  Late: "calls that were answered after the API server's timeout",
  ServingStale: "calls that were answered with an older release, because the store did not answer",
  ServingBundled: "calls that were answered with the release in the artifact",
  StoreErrors: "calls during which reading the store failed",
  ReleaseUnsupported: "calls that found a release of a format that the code does not read",
  ImageInvalid: "calls that found a release which cannot be loaded",
  Calls: "calls of a registered cluster",
  TokenCalls: "calls by the slot of the token: shows when an old token is no longer used",
  Decisions: "calls by the reason of the decision",
  Regressed: "pods that the release of a share could not inject, and the channel's own release did",
  Served: "calls of a cluster by the release that answered",
  Published: "changes of what is served",
  PublishRefused: "edits, deploys and publishes that were refused; 0 for a tree that was published as a whole",
  PublishFailed: "publishes that failed because of Parameter Store",
  OldestUnpublishedEditSeconds: "the age of the oldest edit that is not published",
  RestartStopped: "restarts that stopped, where the log of the command goes to CloudWatch",
  DeploymentDrift: "what the canary's hourly look finds gone or changed of what was deployed",
  EditHeld: "looks that found an edit which waits for a person",
  RolloutReturned: "shares of a rollout that were taken back because an alarm was up",
  RolloutStuck: "seconds since a rollout should have continued, or can no longer be watched",
  Unsettled: "seconds since the oldest difference between what was declared and what is served; 0 while there is none",
  CanarySucceeded: "synthetic calls that were injected",
  CanaryFailed: "synthetic calls that were not",
  CanaryLatency: "milliseconds of a synthetic call, from the canary and back",
};
