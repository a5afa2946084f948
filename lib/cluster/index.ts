// The face of @outrigger/cluster: what other packages and other people may use. Everything else is internal.
export { alarmStates } from "./aws/alarm-states.ts";
export { type AskPublisher, type Published, publisherOf } from "./aws/ask-publisher.ts";
export { callsAlarm, countTokenCalls, findWebhookUrl, isCanaryFailing } from "./aws/deployment-watch.ts";
export { type ClusterDescription, describeCluster } from "./aws/describe-cluster.ts";
export { eksToken } from "./aws/eks-token.ts";
export { noCallsAlarm } from "./aws/no-calls-alarm.ts";
export { countRelease, type ReleaseCounts } from "./aws/release-counts.ts";
export { type Finding, runChecks } from "./check/checks.ts";
export type { ClusterFacts, DeploymentFacts, EndpointFacts, Facts, Outdated, ServedFacts } from "./check/facts.ts";
export { type Fact, type Level, learn, need } from "./check/finding.ts";
export {
  readDryRuns,
  readIstiods,
  readNet,
  readPermissions,
  readRivals,
  readVersion,
  type SampleToTry,
} from "./check/read-cluster.ts";
export { readAlarms, readFunctions, readStack } from "./check/read-deployment.ts";
export { readCalls, readTls } from "./check/read-endpoint.ts";
export { type Injection, sidecarAge } from "./check/read-pods.ts";
export { chooseProxy } from "./kube/choose-proxy.ts";
export type { AgentFor, HttpAnswer, HttpRequest } from "./kube/http-exchange.ts";
export { type KubeAccess, openKube } from "./kube/kube-access.ts";
export { isNotServed, type KubeClient, kubeClient } from "./kube/kube-client.ts";
export { type PluginRun, readKubeconfig } from "./kube/kubeconfig.ts";
export { findInstalled, type InstalledWebhook } from "./objects/installed-webhooks.ts";
export { type AskedSettings, planSettings } from "./register/plan-settings.ts";
export { type RegistrationRequest, registerCluster } from "./register/register-cluster.ts";
export { objectsOf, type RegistrationPorts } from "./register/registration.ts";
export { type RotationRequest, rotateToken, SETTLE_MILLISECONDS } from "./register/rotate-token.ts";
export { selfTest } from "./register/self-test.ts";
export { switchOff } from "./register/switch-off.ts";
export { digestOfToken, newToken } from "./register/tokens.ts";
export { unregisterCluster } from "./register/unregister-cluster.ts";
export { type ClusterStatus, clusterStatus, type StatusQuestion } from "./status/cluster-status.ts";
export { findUninjected, type PodAudit, readNamespaces, reasonOf } from "./status/find-uninjected.ts";
