// The kinds of what guardrails judge: one entry each. The types, what levels forbid, what the setting takes, its remedies, the classes
// of publishing and the table of docs/guardrails.md are made of it.

import type { FieldPath } from "@outrigger/base";
import { isLabelObeyedElsewhere, isObeyedElsewhere } from "./annotations.ts";
import { matchesPattern } from "./patterns.ts";

/** The classes of publishing that guardrails know; the publisher's table of effects has them all. */
export type FieldEffect =
  | "author-changed"
  | "control-plane-address"
  | "identity-used"
  | "pod-may-not-run"
  | "privileges-widened";

interface Kind {
  /** The levels that forbid it without an entry: both, `restricted` alone, none, or those for which the function is true. */
  readonly forbidden: "always" | "restricted" | "never" | ((value: string, isRestricted: boolean) => boolean);
  /**
   * The effect of an entry of the setting.
   *
   * - `allows`: admits what a level forbids; without a value, all of it
   * - `limits`: needs a value, and what no entry names is refused
   * - `bounds`: needs a value, the most that the added containers may ask for together
   * - `demands`: adds a rule of its own
   * - `none`: the setting has no such entry
   */
  readonly entry: "allows" | "limits" | "bounds" | "demands" | "none";
  /** Whether the value says it all, so that the kind is left out where people read it. */
  readonly isSentence: boolean;
  /** Whether a value counts even if the pod decides all of it, where a branch of a template is judged. */
  readonly isAnyValueJudged: boolean;
  /** Whether it is of the pod as a whole, so that no entry for one container can admit it. */
  readonly isOfPod: boolean;
  /** The class of publishing of a value that `baseline` forbids, or that `isHeld` names; `none` never waits for a person. */
  readonly effect: FieldEffect | "none";
  /** Whether publishing holds a value that no level forbids. */
  readonly isHeld: (value: string, at: FieldPath) => boolean;
  /** Returns the value of the entry that admits a value, empty for an entry without one; undefined where no entry does. */
  readonly remedy: (value: string) => string | undefined;
  /** The row of the page: an entry of the setting, and its subject. */
  readonly doc: { readonly example: string; readonly text: string };
}

const asPattern = (value: string) => value.replace(/[\s,]+/g, "*");
const withoutValue = () => "";

/** A kind that both levels forbid, whatever the value. */
const FORBIDDEN = {
  forbidden: "always",
  entry: "allows",
  isSentence: false,
  isAnyValueJudged: false,
  isOfPod: false,
  effect: "privileges-widened",
  isHeld: () => false,
  remedy: asPattern,
} as const;

/** A kind that both levels forbid, of the pod as a whole. */
const OF_POD = { ...FORBIDDEN, isOfPod: true } as const;

/** A kind that only `restricted` forbids, reported in words. */
const RESTRICTED = { ...FORBIDDEN, forbidden: "restricted", isSentence: true, remedy: withoutValue } as const;

/** A kind that is free until entries name what is allowed of it. */
const LIMITED = {
  ...FORBIDDEN,
  forbidden: "never",
  entry: "limits",
  effect: "identity-used",
  remedy: (value: string) => asPattern(value) || "*",
} as const;

/** A bound of what the added containers may ask for together. */
const BOUND = {
  ...FORBIDDEN,
  forbidden: "never",
  entry: "bounds",
  isSentence: true,
  effect: "none",
  remedy: () => "…",
} as const;

/** A rule that an entry adds. */
const DEMAND = { ...FORBIDDEN, forbidden: "never", entry: "demands", effect: "none", remedy: withoutValue } as const;

/** A kind that is reported and that no entry admits. */
const NO_ENTRY = { ...FORBIDDEN, forbidden: "never", entry: "none", effect: "none", remedy: () => undefined } as const;

/** Capabilities that `baseline` lets a container add. Source: Kubernetes, Pod Security Standards. */
const BASELINE_CAPABILITIES = `AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP
  SETGID SETPCAP SETUID SYS_CHROOT`.split(/\s+/);

/** Sysctls that are of the pod alone. Source: Kubernetes, Pod Security Standards. */
const SAFE_SYSCTLS = `kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports
  net.ipv4.ip_unprivileged_port_start net.ipv4.ping_group_range net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl
  net.ipv4.tcp_keepalive_probes net.ipv4.tcp_keepalive_time net.ipv4.tcp_syncookies`.split(/\s+/);

/** Audiences of tokens with which a pod is its service account, or its role, elsewhere: of the API server and of AWS. */
const IDENTITY_AUDIENCES = /^$|^(https:\/\/)?kubernetes(\.default(\.svc(\.[\w.-]+)?)?)?$|(^|\.)amazonaws\.com(\.cn)?$/;

/** CSI drivers that give a pod its identity in the mesh. */
export const IDENTITY_DRIVERS: readonly string[] = ["csi.spiffe.io", "workloadcertificates.security.cloud.google.com"];

/** Secrets that the shipped templates mount: the certificate of a service account, and the roots of a tracer. */
const ISTIO_SECRETS: readonly string[] = ["istio.*", "lightstep.cacert"];

/** Every kind, in the order of the page. */
export const KINDS = {
  capability: {
    ...FORBIDDEN,
    forbidden: (value: string, isRestricted: boolean) =>
      !(isRestricted ? ["NET_BIND_SERVICE"] : BASELINE_CAPABILITIES).includes(value),
    doc: { example: "capability:SYS_PTRACE", text: "a Linux capability that a container adds" },
  },
  hostPath: {
    ...FORBIDDEN,
    isAnyValueJudged: true,
    doc: { example: "hostPath:/run/agent", text: "a volume with this path of the node" },
  },
  hostPort: { ...FORBIDDEN, doc: { example: "hostPort:9100", text: "a port of the node" } },
  sysctl: {
    ...OF_POD,
    forbidden: (value: string) => !SAFE_SYSCTLS.includes(value),
    doc: { example: "sysctl:net.core.somaxconn", text: "a kernel parameter of the pod" },
  },
  procMount: { ...FORBIDDEN, doc: { example: "procMount:Unmasked", text: "another view of `/proc`" } },
  serviceAccountName: {
    ...OF_POD,
    isAnyValueJudged: true,
    doc: { example: "serviceAccountName:agent", text: "another service account for the pod" },
  },
  claim: {
    ...FORBIDDEN,
    isAnyValueJudged: true,
    effect: "identity-used",
    doc: { example: "claim:data", text: "a volume of this PersistentVolumeClaim" },
  },
  host: {
    ...FORBIDDEN,
    doc: { example: "host:10.0.0.1", text: "a probe or hook that calls another host than the pod" },
  },
  volumeType: {
    ...FORBIDDEN,
    doc: { example: "volumeType:nfs", text: "a volume of a type that the table below does not name" },
  },
  annotation: {
    ...OF_POD,
    forbidden: isObeyedElsewhere,
    doc: {
      example: "annotation:vault.hashicorp.com/",
      text: "an annotation with the prefix of another controller, which may obey it; with a slash at the end, all of a prefix",
    },
  },
  label: {
    ...OF_POD,
    forbidden: isLabelObeyedElsewhere,
    doc: {
      example: "label:admission.datadoghq.com/",
      text: "a label with the prefix of another controller, in the same way",
    },
  },
  identity: {
    ...FORBIDDEN,
    effect: "identity-used",
    doc: {
      example: "identity:istio-token",
      text: "a volume with the token, sockets, certificates or pod information of [the mesh's proxy](#the-proxy-of-the-mesh), in another container",
    },
  },
  field: {
    ...FORBIDDEN,
    doc: {
      example: "field:spec.containers[*].env[NODE_OPTIONS]",
      text: "a field that the table below does not name, or another value of the author's",
    },
  },
  deletion: { ...OF_POD, doc: { example: "deletion", text: "an author's container or volume is removed" } },
  hostPID: { ...OF_POD, doc: { example: "hostPID", text: "the node's processes" } },
  hostIPC: { ...OF_POD, doc: { example: "hostIPC", text: "the node's interprocess communication" } },
  hostNetwork: { ...OF_POD, doc: { example: "hostNetwork", text: "the node's network" } },
  privileged: { ...FORBIDDEN, doc: { example: "privileged", text: "a privileged container" } },
  hostProcess: { ...FORBIDDEN, doc: { example: "hostProcess", text: "a Windows container with access to the node" } },
  unconfined: { ...FORBIDDEN, doc: { example: "unconfined", text: "no seccomp or AppArmor profile" } },
  seLinux: { ...FORBIDDEN, doc: { example: "seLinux", text: "another SELinux user, role or type" } },
  shareProcessNamespace: {
    ...OF_POD,
    doc: { example: "shareProcessNamespace", text: "containers see each other's processes" },
  },
  automountServiceAccountToken: {
    ...OF_POD,
    doc: { example: "automountServiceAccountToken", text: "the token of the pod's service account" },
  },
  root: { ...RESTRICTED, doc: { example: "root", text: "a user that may be root" } },
  escalation: {
    ...RESTRICTED,
    doc: { example: "escalation", text: "gained privileges, and capabilities that are kept" },
  },
  image: {
    ...LIMITED,
    effect: "none",
    // The next tag or digest is admitted as well.
    remedy: (value: string) => value.replace(/(@sha256)?:[\w.-]+$/, "$1:*"),
    doc: { example: "image:registry.example/*", text: "images" },
  },
  secret: {
    ...LIMITED,
    // What only the kubelet reads, to pull an image, reaches no container.
    isHeld: (name: string, at: FieldPath) =>
      at[1] !== "imagePullSecrets" && !ISTIO_SECRETS.some((pattern) => matchesPattern(pattern, name)),
    doc: { example: "secret:mesh-*", text: "Secrets" },
  },
  configMap: { ...LIMITED, doc: { example: "configMap:istio-*", text: "ConfigMaps" } },
  audience: {
    ...LIMITED,
    forbidden: (value: string) => IDENTITY_AUDIENCES.test(value),
    doc: { example: "audience:istio-ca", text: "audiences of tokens of the service account" },
  },
  csi: {
    ...LIMITED,
    isHeld: (driver: string) => !IDENTITY_DRIVERS.includes(driver),
    doc: { example: "csi:csi.spiffe.io", text: "drivers of CSI volumes" },
  },
  cpu: { ...BOUND, doc: { example: "cpu:2", text: "CPU that the added containers ask for together" } },
  memory: { ...BOUND, doc: { example: "memory:4Gi", text: "memory that the added containers ask for together" } },
  "ephemeral-storage": {
    ...BOUND,
    doc: { example: "ephemeral-storage:2Gi", text: "local storage that the added containers ask for together" },
  },
  imageDigest: { ...DEMAND, doc: { example: "imageDigest", text: "images must be named by digest" } },
  boundedAnnotations: {
    ...DEMAND,
    doc: {
      example: "boundedAnnotations",
      text: "what an author asks for in [annotations](#annotations-of-authors) is judged too",
    },
  },
  imageReference: { ...NO_ENTRY, doc: { example: "", text: "an image whose name cannot be read" } },
  imageWithoutDigest: { ...NO_ENTRY, doc: { example: "", text: "an image that is named without a digest" } },
  writable: { ...NO_ENTRY, isSentence: true, doc: { example: "", text: "a root filesystem that can be written" } },
} as const satisfies Readonly<Record<string, Kind>>;

/** `capability`, `hostPath`, …; `field` for what no entry of another kind opens. */
export type GuardrailKind = keyof typeof KINDS;

type KindsWith<Entry extends Kind["entry"]> = {
  [Name in GuardrailKind]: (typeof KINDS)[Name]["entry"] extends Entry ? Name : never;
}[GuardrailKind];

/** A kind by which a field of a pod may be judged. */
export type JudgedKind = KindsWith<"allows" | "limits">;

/** A resource that the added containers ask for together. */
export type BoundKind = KindsWith<"bounds">;

/** Every kind, by name. */
export const KIND_NAMES = Object.keys(KINDS) as readonly GuardrailKind[];

/** The rules of a kind. */
export function kindOf(name: GuardrailKind): Kind {
  return KINDS[name];
}

/** Whether a kind is of what is named by its key, whatever its value: another value of the author's is the author's. */
export function isMetadata(kind: GuardrailKind | JudgedKind | ""): boolean {
  return kind === "annotation" || kind === "label";
}

/** Whether a kind is free until entries of the setting name what is allowed of it. */
export function isLimited(name: GuardrailKind): boolean {
  return KINDS[name].entry === "limits";
}

/** The resources that the setting can bound. */
export const BOUNDS = KIND_NAMES.filter((name): name is BoundKind => KINDS[name].entry === "bounds");
