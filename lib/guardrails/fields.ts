// What an injection may write, as data. The default is no: a field that is not here needs an entry `field:…` of the guardrails, and
// waits for a person without guardrails. So a field that a new version of Kubernetes brings is closed.

/** Classes of publishing that a field is of; the rest are of `author-changed`, or of `pod-may-not-run` in a pod's own fields. */
export type FieldEffect =
  | "author-changed"
  | "control-plane-address"
  | "identity-used"
  | "pod-may-not-run"
  | "privileges-widened";

const HANDLER = "exec httpGet sleep tcpSocket";
const PROBE = `${HANDLER} grpc failureThreshold initialDelaySeconds periodSeconds successThreshold terminationGracePeriodSeconds timeoutSeconds`;
const FILES = "items defaultMode optional";
const CONFINED = "appArmorProfile seccompProfile seLinuxOptions windowsOptions";

/**
 * Fields by the field that holds them. A word is free, as far as the level of Pod Security goes; `field=kind` is judged by the
 * entries of that kind; `field=@class` is closed, and of that class; `*` is any other.
 */
const WORDS: Readonly<Record<string, string>> = {
  pod: "metadata spec",
  metadata: "annotations labels finalizers=@pod-may-not-run",
  labels: `* pod-template-hash=@author-changed pod-template-generation=@author-changed controller-revision-hash=@author-changed
    controller-uid=@author-changed job-name=@author-changed batch.kubernetes.io/controller-uid=@author-changed
    batch.kubernetes.io/job-name=@author-changed statefulset.kubernetes.io/pod-name=@author-changed
    security.istio.io/tlsMode=tlsMode azure.workload.identity/use=@identity-used`,
  annotations: `* iam.amazonaws.com/role=@identity-used iam.amazonaws.com/external-id=@identity-used
    iam.amazonaws.com/permitted=@identity-used eks.amazonaws.com/skip-containers=@identity-used
    eks.amazonaws.com/role-arn=@identity-used proxy.istio.io/config=@control-plane-address
    kubernetes.io/config.source=@pod-may-not-run kubernetes.io/config.mirror=@pod-may-not-run
    scheduler.alpha.kubernetes.io/critical-pod=@pod-may-not-run
    seccomp.security.alpha.kubernetes.io/pod=@privileges-widened`,
  spec: `containers initContainers volumes terminationGracePeriodSeconds dnsConfig securityContext imagePullSecrets hostPID=hostPID
    hostIPC=hostIPC hostNetwork=hostNetwork shareProcessNamespace=shareProcessNamespace serviceAccountName=serviceAccountName
    serviceAccount=serviceAccountName automountServiceAccountToken=automountServiceAccountToken
    hostAliases=@control-plane-address hostUsers=@privileges-widened resourceClaims=@identity-used`,
  dnsConfig: "options",
  options: "name value",
  "spec.securityContext": `sysctls ${CONFINED}`,
  sysctls: "name value",
  imagePullSecrets: "name=secret",
  containers: `args command env envFrom image=image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy
    resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath
    terminationMessagePolicy tty volumeMounts workingDir`,
  env: "name value valueFrom",
  valueFrom: "configMapKeyRef fieldRef fileKeyRef resourceFieldRef secretKeyRef",
  configMapKeyRef: "key name=configMap optional",
  secretKeyRef: "key name=secret optional",
  fileKeyRef: "key optional path volumeName",
  fieldRef: "apiVersion fieldPath",
  resourceFieldRef: "containerName divisor resource",
  envFrom: "configMapRef prefix secretRef",
  configMapRef: "name=configMap optional",
  secretRef: "name=secret optional",
  lifecycle: "postStart preStop stopSignal",
  postStart: HANDLER,
  preStop: HANDLER,
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  exec: "command",
  grpc: "port service",
  sleep: "seconds",
  httpGet: "host=host httpHeaders path port scheme",
  httpHeaders: "name value",
  tcpSocket: "host=host port",
  ports: "containerPort hostIP hostPort name protocol",
  resizePolicy: "resourceName restartPolicy",
  restartPolicyRules: "action exitCodes",
  exitCodes: "operator values",
  resources: "limits requests",
  limits: "cpu memory ephemeral-storage",
  requests: "cpu memory ephemeral-storage",
  securityContext: `allowPrivilegeEscalation capabilities privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser ${CONFINED}`,
  capabilities: "add drop",
  appArmorProfile: "localhostProfile type",
  seccompProfile: "localhostProfile type",
  seLinuxOptions: "level role type user",
  windowsOptions: "gmsaCredentialSpec=@identity-used gmsaCredentialSpecName=@identity-used hostProcess runAsUserName",
  volumeMounts: "mountPath name readOnly recursiveReadOnly subPath subPathExpr mountPropagation=@privileges-widened",
  volumes: `name configMap csi downwardAPI emptyDir hostPath image persistentVolumeClaim projected secret *=volumeType`,
  configMap: `name=configMap ${FILES}`,
  secret: `secretName=secret name=secret ${FILES}`,
  items: "key mode path fieldRef resourceFieldRef",
  csi: "driver fsType nodePublishSecretRef readOnly volumeAttributes",
  nodePublishSecretRef: "name=secret",
  volumeAttributes: "*",
  downwardAPI: "defaultMode items",
  emptyDir: "medium sizeLimit",
  hostPath: "path=hostPath type",
  image: "pullPolicy reference=image",
  persistentVolumeClaim: "claimName=claim readOnly",
  projected: "defaultMode sources",
  sources: "configMap downwardAPI secret serviceAccountToken=audience clusterTrustBundle podCertificate=@identity-used",
  clusterTrustBundle: "labelSelector name optional path signerName",
  labelSelector: "matchExpressions matchLabels",
  matchExpressions: "key operator values",
  matchLabels: "*",
};

/** Field that holds it → field → kind or `@class`; empty for a free one. */
export const FIELDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(WORDS).map(([holder, words]) => [
    holder,
    new Map(words.split(/\s+/).map((word) => [word.replace(/=.*/, ""), /=(.*)/.exec(word)?.[1] ?? ""])),
  ]),
);

/** What may be written over an author's value: what Istio itself does there. `*` is any text. */
export const REWRITTEN: readonly string[] = [
  "metadata.annotations[istio.io/rev]",
  "metadata.annotations[prometheus.io/*]",
  "metadata.annotations[proxy.istio.io/overrides]",
  "metadata.annotations[sidecar.istio.io/status]",
];

/** What Istio takes away once its agent reads it. */
export const REMOVED: readonly string[] = ["metadata.annotations[prometheus.istio.io/scrape-targets]"];

/** What may be added to a container of the author: variables by name, and paths where the volume of an injection is mounted. */
export const ADDED_TO_AUTHOR: Readonly<Record<string, readonly string[]>> = {
  env: ["DD_*", "GRPC_*", "OTEL_*"],
  volumeMounts: [
    "/etc/istio/*",
    "/spiffe-workload-api",
    "/var/lib/grpc/*",
    "/var/lib/istio/*",
    "/var/log/*",
    "/var/run/secrets/workload-spiffe-*",
    "/vault/*",
  ],
};

/** The paths by which Istio's agent answers for the probes and hooks of an author's container. */
export const AGENT_PATHS: readonly string[] = ["/app-health/", "/app-lifecycle/"];
