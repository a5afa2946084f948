// What an injection may write, as data. The default is no: a field that is not here needs an entry `field:…` of the guardrails, and
// waits for a person without guardrails. So a field that a new version of Kubernetes brings is closed.
import { metadataKeys } from "@outrigger/base";
import { ISTIO_ANNOTATIONS, ISTIO_LABELS, isLabelObeyedElsewhere, isObeyedElsewhere } from "./annotations.ts";
import type { FieldEffect, JudgedKind } from "./kinds.ts";
import { TELEMETRY_VARIABLES } from "./proxy-shape.ts";

const HANDLER = "exec httpGet sleep tcpSocket";
const PROBE = `${HANDLER} grpc failureThreshold initialDelaySeconds periodSeconds successThreshold terminationGracePeriodSeconds timeoutSeconds`;
const AMOUNTS = "cpu memory ephemeral-storage";
const FILES = "items defaultMode optional";
const PROFILE = ["localhostProfile", { type: "unconfined:|RuntimeDefault|Localhost" }] as const;
const CONFINED = "appArmorProfile seccompProfile seLinuxOptions windowsOptions";

/** `hostPath`, `hostPID:false`, `@identity-used`, `unconfined:|RuntimeDefault|Localhost` */
type Judged = `${JudgedKind | `@${FieldEffect}`}${"" | `:${string}`}`;

/**
 * Fields by the field that holds them: first the free ones, then the others. `kind` is judged by the level and by the entries of that
 * kind, and `@class` is closed and of that class: unless the value is one of those after the colon. `*` is any other, `a/*` any other
 * of `a`.
 */
const TABLE: Readonly<Record<string, string | readonly [free: string, judged: Readonly<Record<string, Judged>>]>> = {
  pod: "metadata spec",
  metadata: ["annotations labels", { finalizers: "@pod-may-not-run" }],
  labels: [
    ISTIO_LABELS.join(" "),
    {
      "*": "label",
      ...each(
        "@author-changed",
        `pod-template-hash pod-template-generation controller-revision-hash controller-uid job-name
          batch.kubernetes.io/controller-uid batch.kubernetes.io/job-name statefulset.kubernetes.io/pod-name`,
      ),
      [metadataKeys.tlsMode]: "@author-changed:istio",
      ...each("@identity-used", "azure.workload.identity/use aadpodidbinding"),
    },
  ],
  annotations: [
    ISTIO_ANNOTATIONS.join(" "),
    {
      "*": "annotation",
      ...each(
        "@identity-used",
        `iam.amazonaws.com/role iam.amazonaws.com/external-id iam.amazonaws.com/permitted
          eks.amazonaws.com/skip-containers eks.amazonaws.com/role-arn`,
      ),
      [metadataKeys.proxyConfig]: "@control-plane-address",
      "kubernetes.io/config.source": "@pod-may-not-run",
      [metadataKeys.mirrorPod]: "@pod-may-not-run",
      "scheduler.alpha.kubernetes.io/critical-pod": "@pod-may-not-run",
      "seccomp.security.alpha.kubernetes.io/pod": "@privileges-widened",
      "container.apparmor.security.beta.kubernetes.io/*": "unconfined:runtime/default",
    },
  ],
  spec: [
    "containers initContainers volumes terminationGracePeriodSeconds dnsConfig securityContext imagePullSecrets",
    {
      hostPID: "hostPID:false",
      hostIPC: "hostIPC:false",
      hostNetwork: "hostNetwork:false",
      shareProcessNamespace: "shareProcessNamespace:false",
      serviceAccountName: "serviceAccountName",
      serviceAccount: "serviceAccountName",
      automountServiceAccountToken: "automountServiceAccountToken",
      hostAliases: "@control-plane-address",
      hostUsers: "@privileges-widened",
      resourceClaims: "@identity-used",
    },
  ],
  dnsConfig: "options",
  options: "name value",
  "spec.securityContext": `sysctls ${CONFINED}`,
  sysctls: ["value", { name: "sysctl" }],
  imagePullSecrets: ["", { name: "secret" }],
  containers: [
    `args command env envFrom imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy
      resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce
      terminationMessagePath terminationMessagePolicy tty volumeMounts workingDir`,
    { image: "image" },
  ],
  env: "name value valueFrom",
  valueFrom: "configMapKeyRef fieldRef fileKeyRef resourceFieldRef secretKeyRef",
  configMapKeyRef: ["key optional", { name: "configMap" }],
  secretKeyRef: ["key optional", { name: "secret" }],
  fileKeyRef: "key optional path volumeName",
  fieldRef: "apiVersion fieldPath",
  resourceFieldRef: "containerName divisor resource",
  envFrom: "configMapRef prefix secretRef",
  configMapRef: ["optional", { name: "configMap" }],
  secretRef: ["optional", { name: "secret" }],
  lifecycle: "postStart preStop stopSignal",
  postStart: HANDLER,
  preStop: HANDLER,
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  exec: "command",
  grpc: "port service",
  sleep: "seconds",
  httpGet: ["httpHeaders path port scheme", { host: "host:" }],
  httpHeaders: "name value",
  tcpSocket: ["port", { host: "host:" }],
  ports: ["containerPort hostIP name protocol", { hostPort: "hostPort:0" }],
  resizePolicy: "resourceName restartPolicy",
  restartPolicyRules: "action exitCodes",
  exitCodes: "operator values",
  resources: "limits requests",
  limits: AMOUNTS,
  requests: AMOUNTS,
  securityContext: [
    `allowPrivilegeEscalation capabilities readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser ${CONFINED}`,
    { privileged: "privileged:false", procMount: "procMount:Default" },
  ],
  capabilities: ["drop", { add: "capability" }],
  appArmorProfile: PROFILE,
  seccompProfile: PROFILE,
  seLinuxOptions: [
    "level",
    {
      role: "seLinux:",
      user: "seLinux:",
      type: "seLinux:|container_t|container_init_t|container_kvm_t|container_engine_t",
    },
  ],
  windowsOptions: [
    "runAsUserName",
    {
      ...each("@identity-used", "gmsaCredentialSpec gmsaCredentialSpecName"),
      hostProcess: "hostProcess:false",
    },
  ],
  volumeMounts: [
    "mountPath name readOnly recursiveReadOnly subPath subPathExpr",
    { mountPropagation: "@privileges-widened" },
  ],
  volumes: [
    "name configMap csi downwardAPI emptyDir hostPath image persistentVolumeClaim projected secret",
    { "*": "volumeType" },
  ],
  configMap: [FILES, { name: "configMap" }],
  secret: [FILES, { secretName: "secret", name: "secret" }],
  items: "key mode path fieldRef resourceFieldRef",
  csi: ["fsType nodePublishSecretRef readOnly volumeAttributes", { driver: "csi" }],
  nodePublishSecretRef: ["", { name: "secret" }],
  volumeAttributes: "*",
  downwardAPI: "defaultMode items",
  emptyDir: "medium sizeLimit",
  hostPath: ["type", { path: "hostPath" }],
  image: ["pullPolicy", { reference: "image" }],
  persistentVolumeClaim: ["readOnly", { claimName: "claim" }],
  projected: "defaultMode sources",
  sources: [
    "configMap downwardAPI secret clusterTrustBundle",
    { serviceAccountToken: "audience", podCertificate: "@identity-used" },
  ],
  clusterTrustBundle: "labelSelector name optional path signerName",
  labelSelector: "matchExpressions matchLabels",
  matchExpressions: "key operator values",
  matchLabels: "*",
};

/** The same for each of some fields. */
function each(judged: Judged, fields: string): Readonly<Record<string, Judged>> {
  return Object.fromEntries(fields.split(/\s+/).map((field) => [field, judged]));
}

export interface Rule {
  /** Empty for a field that is free. */
  readonly kind: JudgedKind | "";
  readonly effect?: FieldEffect | undefined;
  /** Values that give nothing, as text. */
  readonly harmless: readonly string[];
  readonly fields: Fields;
}

export type Fields = ReadonlyMap<string, Rule>;

export const NO_FIELDS: Fields = new Map();

/** The rule of a field that the table does not have. */
export const CLOSED: Rule = { kind: "field", harmless: [], fields: NO_FIELDS };

/** Field that holds it → field → its rule. */
export const FIELDS: ReadonlyMap<string, Map<string, Rule>> = new Map(
  Object.keys(TABLE).map((holder) => [holder, new Map()]),
);

for (const [holder, fields] of FIELDS) {
  const given = TABLE[holder] ?? "";
  const [open, judged] = typeof given === "string" ? [given, {}] : given;
  const below = (field: string) =>
    FIELDS.get(`${holder}.${field}`) ?? FIELDS.get(field === "initContainers" ? "containers" : field) ?? NO_FIELDS;
  for (const field of open.split(/\s+/)) if (field !== "") fields.set(field, free(below(field)));
  for (const [field, rule] of Object.entries(judged)) fields.set(field, { ...judgedBy(rule), fields: below(field) });
}

function free(fields: Fields): Rule {
  return { kind: "", harmless: [], fields };
}

function judgedBy(rule: Judged): Omit<Rule, "fields"> {
  const [name = "", values] = rule.split(/:(.*)/s);
  const harmless = values?.split("|") ?? [];
  if (name.startsWith("@")) return { kind: "field", effect: name.slice(1) as FieldEffect, harmless };
  return { kind: name as JudgedKind, harmless };
}

const GROUP = "container.apparmor.security.beta.kubernetes.io/";

/** An annotation or label of the users' own, or of Istio's. */
const OWN = free(NO_FIELDS);
const [ANNOTATIONS, LABELS] = [FIELDS.get("annotations"), FIELDS.get("labels")];

/** The rules of what holds others: a pod, a container, a volume. */
export const [POD, CONTAINER, VOLUME] = ["pod", "containers", "volumes"].map((holder) =>
  free(FIELDS.get(holder) ?? NO_FIELDS),
) as [Rule, Rule, Rule];

export function ruleOf(fields: Fields, key: string): Rule {
  const rule = fields.get(key);
  if (rule !== undefined) return rule;
  if (fields === LABELS && !isLabelObeyedElsewhere(key)) return OWN;
  if (fields === ANNOTATIONS && !key.startsWith(GROUP) && !isObeyedElsewhere(key)) return OWN;
  return (key.startsWith(GROUP) ? fields.get(`${GROUP}*`) : undefined) ?? fields.get("*") ?? CLOSED;
}

/** Annotations that may be written over an author's: what Istio itself does there. `*` is any text. */
export const REWRITTEN: readonly string[] =
  "istio.io/rev prometheus.io/* proxy.istio.io/overrides sidecar.istio.io/status outrigger/*".split(" ");

/** Annotations that Istio takes away once its agent reads them. */
export const REMOVED: readonly string[] = [metadataKeys.scrapeTargets];

/**
 * The additions to a container of the author that are allowed: variables by name, and paths where the volume of an
 * injection is mounted.
 */
export const ADDED_TO_AUTHOR: Readonly<Record<string, readonly string[]>> = {
  env: ["GRPC_GO_LOG_*", "GRPC_TRACE", "GRPC_VERBOSITY", "GRPC_XDS_*", ...TELEMETRY_VARIABLES],
  volumeMounts: `/etc/istio/* /spiffe-workload-api /var/lib/grpc/* /var/lib/istio/* /var/log/*
    /var/run/secrets/workload-spiffe-* /vault/*`.split(/\s+/),
};

/** The paths by which Istio's agent answers for the probes and hooks of an author's container. */
export const AGENT_PATHS: readonly string[] = ["/app-health/", "/app-lifecycle/"];
