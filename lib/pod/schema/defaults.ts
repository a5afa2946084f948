// What an API server fills in where nothing is written, as a table by field. What counts as written already, what is stored and what a
// webhook is sent are read from this one table.
//
// Source: `SetDefaults_*` of Kubernetes' core/v1.
import type { FieldPath, JsonValue } from "@outrigger/base";

const FILE_MODE = 0o644;

/** Field or list that holds the object → field → default. A type that has no such field gets none: a projected Secret has no mode. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {
  spec: {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
    securityContext: {},
    // Of the claim that an ephemeral volume is made of.
    volumeMode: "Filesystem",
  },
  containers: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File", resources: {} },
  probe: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  ports: { protocol: "TCP" },
  httpGet: { path: "/", scheme: "HTTP" },
  grpc: { service: "" },
  fieldRef: { apiVersion: "v1" },
  resourceFieldRef: { divisor: "0" },
  configMap: { defaultMode: FILE_MODE },
  secret: { defaultMode: FILE_MODE },
  downwardAPI: { defaultMode: FILE_MODE },
  projected: { defaultMode: FILE_MODE },
  serviceAccountToken: { expirationSeconds: 3600 },
  hostPath: { type: "" },
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
  volumeClaimTemplate: { metadata: {} },
  azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
};

const NONE: Readonly<Record<string, JsonValue>> = {};

const CONTAINER_LISTS: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"]);
const PROBES: ReadonlySet<string> = new Set(["livenessProbe", "readinessProbe", "startupProbe"]);

export function isContainerList(field: string): boolean {
  return CONTAINER_LISTS.has(field);
}

/**
 * The defaults of an object, by field.
 *
 * @param holder the field that holds the object, or the list that holds it
 */
export function defaultsIn(holder: string): Readonly<Record<string, JsonValue>> {
  const row = isContainerList(holder) ? "containers" : PROBES.has(holder) ? "probe" : holder;
  return Object.hasOwn(DEFAULTS, row) ? (DEFAULTS[row] ?? NONE) : NONE;
}

/** The default of one field; undefined where it has none. */
export function defaultOf(holder: string, field: string): JsonValue | undefined {
  const defaults = defaultsIn(holder);
  return Object.hasOwn(defaults, field) ? defaults[field] : undefined;
}

/**
 * Whether a scalar of a pod is what the API server fills in there, so that nobody need have written it.
 *
 * @param path of the value, from the pod on
 * @example
 * ```ts
 * isDefaulted(["spec", "terminationGracePeriodSeconds"], 30) // => true
 * isDefaulted(["spec", "terminationGracePeriodSeconds"], 45) // => false
 * ```
 */
export function isDefaulted(path: FieldPath, value: JsonValue): boolean {
  if (typeof value === "object") return false;
  const field = path.at(-1);
  const holder = path.slice(0, -1).findLast((step) => typeof step === "string");
  return typeof field === "string" && typeof holder === "string" && defaultOf(holder, field) === value;
}

/**
 * The tag decides, and an image without tag and digest has the tag `latest`. A reference that cannot be read (empty, upper
 * case or other characters in its path) has no tag.
 */
export function defaultPullPolicy(image: JsonValue | undefined): string {
  const [reference = "", digest] = String(image ?? "").split("@");
  const slash = reference.lastIndexOf("/");
  const [name = "", tag = digest === undefined ? "latest" : ""] = reference.slice(slash + 1).split(":");
  const path = reference.slice(reference.indexOf("/") + 1, slash + 1) + name;
  return tag === "latest" && name !== "" && READABLE.test(path) ? "Always" : "IfNotPresent";
}

const READABLE = /^[a-z\d._/-]+$/;
