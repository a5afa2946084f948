// What an injection may write, as data. The default is no: a field that is not here needs an entry `field:…` of the guardrails, and
// waits for a person without guardrails. So a field that a new version of Kubernetes brings is closed.
import { type FieldPath, metadataKeys } from "@outrigger/base";

/** Classes of publishing that a field is of; the rest are of `author-changed`, or of `pod-may-not-run` in a pod's own fields. */
export type FieldEffect =
  | "author-changed"
  | "control-plane-address"
  | "identity-used"
  | "pod-may-not-run"
  | "privileges-widened";

/** Something that a pod or container is given. */
export interface Power {
  /** `capability`, `hostPath`, …; `field` for what no table allows. */
  readonly kind: string;
  /** `NET_ADMIN`; empty for a kind that has none. */
  readonly value: string;
  /** Where it is, from the pod on. */
  readonly at: FieldPath;
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  /** The class of publishing that it is of, where its kind does not say so. */
  readonly effect?: FieldEffect | undefined;
}

const HANDLER = "exec httpGet sleep tcpSocket";
const PROBE = `${HANDLER} grpc failureThreshold initialDelaySeconds periodSeconds successThreshold terminationGracePeriodSeconds timeoutSeconds`;
const FILES = "items defaultMode optional";
const PROFILE = "localhostProfile type=unconfined:|RuntimeDefault|Localhost";
const CONFINED = "appArmorProfile seccompProfile seLinuxOptions windowsOptions";

/**
 * Fields by the field that holds them. A word is free; `field=kind` is judged by the level and by the entries of that kind, and
 * `field=@class` is closed and of that class: unless the value is one of those after the colon. `*` is any other, `a/*` any other of `a`.
 */
const WORDS: Readonly<Record<string, string>> = {
  pod: "metadata spec",
  metadata: "annotations labels finalizers=@pod-may-not-run",
  labels: `* pod-template-hash=@author-changed pod-template-generation=@author-changed controller-revision-hash=@author-changed
    controller-uid=@author-changed job-name=@author-changed batch.kubernetes.io/controller-uid=@author-changed
    batch.kubernetes.io/job-name=@author-changed statefulset.kubernetes.io/pod-name=@author-changed
    security.istio.io/tlsMode=@author-changed:istio azure.workload.identity/use=@identity-used`,
  annotations: `* iam.amazonaws.com/role=@identity-used iam.amazonaws.com/external-id=@identity-used
    iam.amazonaws.com/permitted=@identity-used eks.amazonaws.com/skip-containers=@identity-used
    eks.amazonaws.com/role-arn=@identity-used proxy.istio.io/config=@control-plane-address
    kubernetes.io/config.source=@pod-may-not-run kubernetes.io/config.mirror=@pod-may-not-run
    scheduler.alpha.kubernetes.io/critical-pod=@pod-may-not-run
    seccomp.security.alpha.kubernetes.io/pod=@privileges-widened
    container.apparmor.security.beta.kubernetes.io/*=unconfined:runtime/default`,
  spec: `containers initContainers volumes terminationGracePeriodSeconds dnsConfig securityContext imagePullSecrets hostPID=hostPID:false
    hostIPC=hostIPC:false hostNetwork=hostNetwork:false shareProcessNamespace=shareProcessNamespace:false
    serviceAccountName=serviceAccountName serviceAccount=serviceAccountName
    automountServiceAccountToken=automountServiceAccountToken hostAliases=@control-plane-address hostUsers=@privileges-widened resourceClaims=@identity-used`,
  dnsConfig: "options",
  options: "name value",
  "spec.securityContext": `sysctls ${CONFINED}`,
  sysctls: "name=sysctl value",
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
  httpGet: "host=host: httpHeaders path port scheme",
  httpHeaders: "name value",
  tcpSocket: "host=host: port",
  ports: "containerPort hostIP hostPort=hostPort:0 name protocol",
  resizePolicy: "resourceName restartPolicy",
  restartPolicyRules: "action exitCodes",
  exitCodes: "operator values",
  resources: "limits requests",
  limits: "cpu memory ephemeral-storage",
  requests: "cpu memory ephemeral-storage",
  securityContext: `allowPrivilegeEscalation capabilities privileged=privileged:false procMount=procMount:Default
    readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser ${CONFINED}`,
  capabilities: "add=capability drop",
  appArmorProfile: PROFILE,
  seccompProfile: PROFILE,
  seLinuxOptions: `level role=seLinux: user=seLinux:
    type=seLinux:|container_t|container_init_t|container_kvm_t|container_engine_t`,
  windowsOptions: `gmsaCredentialSpec=@identity-used gmsaCredentialSpecName=@identity-used runAsUserName
    hostProcess=hostProcess:false`,
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

export interface Rule {
  /** `capability`, `hostPath`, …; `field` for what no entry of another kind opens; empty for a free one. */
  readonly kind: string;
  readonly effect?: FieldEffect | undefined;
  /** Values that give nothing, as text. */
  readonly harmless: readonly string[];
  readonly fields: Fields;
}

export type Fields = ReadonlyMap<string, Rule>;

export const NO_FIELDS: Fields = new Map();

/** Of what the table does not have. */
export const CLOSED: Rule = { kind: "field", harmless: [], fields: NO_FIELDS };

/** Field that holds it → field → its rule. */
export const FIELDS: ReadonlyMap<string, Map<string, Rule>> = new Map(
  Object.keys(WORDS).map((holder) => [holder, new Map()]),
);

for (const [holder, fields] of FIELDS) {
  for (const word of WORDS[holder]?.split(/\s+/) ?? []) {
    const [, field = "", closed, name = "", values] = /^([^=]*)(?:=(@?)([^:]*)(?::(.*))?)?$/.exec(word) ?? [];
    const items = field === "initContainers" ? "containers" : field;
    const below = FIELDS.get(`${holder}.${field}`) ?? FIELDS.get(items) ?? NO_FIELDS;
    const [kind, effect] = closed === "@" ? ["field", name as FieldEffect] : [name, undefined];
    fields.set(field, { kind, effect, harmless: values?.split("|") ?? [], fields: below });
  }
}

const GROUP = "container.apparmor.security.beta.kubernetes.io/";

export function ruleOf(fields: Fields, key: string): Rule {
  const rule = fields.get(key);
  if (rule !== undefined) return rule;
  return (key.startsWith(GROUP) ? fields.get(`${GROUP}*`) : undefined) ?? fields.get("*") ?? CLOSED;
}

/** Annotations that may be written over an author's: what Istio itself does there. `*` is any text. */
export const REWRITTEN: readonly string[] =
  "istio.io/rev prometheus.io/* proxy.istio.io/overrides sidecar.istio.io/status".split(" ");

/** Annotations that Istio takes away once its agent reads them. */
export const REMOVED: readonly string[] = [metadataKeys.scrapeTargets];

/** What may be added to a container of the author: variables by name, and paths where the volume of an injection is mounted. */
export const ADDED_TO_AUTHOR: Readonly<Record<string, readonly string[]>> = {
  env: ["DD_*", "GRPC_*", "OTEL_*"],
  volumeMounts: `/etc/istio/* /spiffe-workload-api /var/lib/grpc/* /var/lib/istio/* /var/log/*
    /var/run/secrets/workload-spiffe-* /vault/*`.split(/\s+/),
};

/** The paths by which Istio's agent answers for the probes and hooks of an author's container. */
export const AGENT_PATHS: readonly string[] = ["/app-health/", "/app-lifecycle/"];
