// The face of @outrigger/cluster: what other packages and other people may use. Everything else is internal.

export { readCreationFailures } from "./admission/creation-failures.ts";
export { nextPodOf } from "./admission/next-pod.ts";
export { type Answer, tryPod, tryWorkload } from "./admission/try-pod.ts";
export { alarmStates } from "./aws/alarm-states.ts";
export { type AskPublisher, type Published, publisherOf } from "./aws/ask-publisher.ts";
export { connectEks } from "./aws/connect-eks.ts";
export { deploymentAlarms } from "./aws/deployment-alarms.ts";
export { deploymentMetrics } from "./aws/deployment-metrics.ts";
export { compareVersions } from "./aws/other-version.ts";
export type { CheckPorts } from "./check/check-ports.ts";
export { type CheckResult, runChecks } from "./check/checks.ts";
export { collectDeployment } from "./check/collect-facts.ts";
export { findDrift } from "./check/find-drift.ts";
export { some } from "./check/finding.ts";
export { readVersion } from "./check/read-cluster.ts";
export { findWebhookUrl } from "./check/read-deployment.ts";
export { readTls } from "./check/read-endpoint.ts";
export { hasPartInMesh, injectedProxyImage, istioNamespaceFor } from "./istio/part-in-mesh.ts";
export { type KubeExchange, openKube } from "./kube/kube-access.ts";
export { type KubeClient, kubeClient } from "./kube/kube-client.ts";
export { exchangeOfKubeconfig, kubeconfigContexts, openKubeconfig } from "./kube/kubeconfig.ts";
export { listed } from "./kube/read-pod.ts";
export { verifyNames } from "./names/verify-names.ts";
export { findInstalled, type InstalledWebhook, installedAmong } from "./objects/installed-webhooks.ts";
export { listKind } from "./objects/own-objects.ts";
export { switchOff } from "./off/switch-off.ts";
export { type RunningQuestion, readNamespaces, runningPods } from "./pods/running-pods.ts";
export {
  type SidecarQuestion,
  type Uninjected,
  type WantedSidecar,
  wantedSidecar,
  whyUninjected,
} from "./pods/why-uninjected.ts";
export { losesInjection } from "./register/loses-injection.ts";
export { assertNoneLost, otherInjectors } from "./register/other-injectors.ts";
export { keptUrl, objectsToApply, type RequestedSettings } from "./register/plan-settings.ts";
export { registerCluster } from "./register/register-cluster.ts";
export type { RegistrationPorts } from "./register/registration.ts";
export { rotateToken } from "./register/rotate-token.ts";
export { selfTest } from "./register/self-test.ts";
export { digestOfToken, newToken, recordOf, retirementEffect, SETTLE_MILLISECONDS } from "./register/tokens.ts";
export { unregisterCluster } from "./register/unregister-cluster.ts";
export { clusterStatus } from "./status/cluster-status.ts";
