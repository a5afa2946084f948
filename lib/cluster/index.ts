// The face of @outrigger/cluster: what other packages and other people may use. Everything else is internal.
export { alarmStates } from "./alarm-states.ts";
export { type AskPublisher, type Published, publisherOf } from "./ask-publisher.ts";
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
export { chooseProxy } from "./choose-proxy.ts";
export { type ClusterStatus, clusterStatus, type StatusQuestion } from "./cluster-status.ts";
export { callsAlarm, countTokenCalls, findWebhookUrl, isCanaryFailing } from "./deployment-watch.ts";
export { type ClusterDescription, describeCluster } from "./describe-cluster.ts";
export { eksToken } from "./eks-token.ts";
export { findUninjected, type PodAudit, readNamespaces, reasonOf } from "./find-uninjected.ts";
export type { AgentFor, HttpAnswer, HttpRequest } from "./http-exchange.ts";
export { findInstalled, type InstalledWebhook } from "./installed-webhooks.ts";
export { type KubeAccess, openKube } from "./kube-access.ts";
export { isNotServed, type KubeClient, kubeClient } from "./kube-client.ts";
export { type PluginRun, readKubeconfig } from "./kubeconfig.ts";
export { noCallsAlarm } from "./no-calls-alarm.ts";
export { type AskedSettings, planSettings } from "./plan-settings.ts";
export { type RegistrationRequest, registerCluster } from "./register-cluster.ts";
export { objectsOf, type RegistrationPorts } from "./registration.ts";
export { countRelease, type ReleaseCounts } from "./release-counts.ts";
export { type RotationRequest, rotateToken, SETTLE_MILLISECONDS } from "./rotate-token.ts";
export { selfTest } from "./self-test.ts";
export { switchOff } from "./switch-off.ts";
export { digestOfToken, newToken } from "./tokens.ts";
export { unregisterCluster } from "./unregister-cluster.ts";
