// What a pod and its containers may do on their node and with the cluster's secrets, as a list: two pods are compared by it. What is in
// the later list and not in the earlier one was added. Every injection is judged by it, so it makes nothing for what gives no power.
import { type FieldPath, isObject, type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";

/** Something that a pod or container is given. */
export interface Power {
  /** `capability`, `hostPath`, … */
  readonly kind: string;
  /** `NET_ADMIN`; empty for a kind that has none. */
  readonly value: string;
  /** Where it is, from the pod or container on. */
  readonly at: FieldPath;
}

/** Volumes that `restricted` lets a pod have. Source: Kubernetes, Pod Security Standards. */
const ORDINARY: readonly string[] = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** SELinux types that `baseline` lets a container have. Source: the same. */
const SELINUX_TYPES: readonly string[] = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

const HOST_FIELDS = ["hostPID", "hostIPC", "hostNetwork", "shareProcessNamespace"] as const;
const ACCOUNT_FIELDS = ["serviceAccountName", "serviceAccount"] as const;

const power = (kind: string, value: JsonValue | undefined, at: FieldPath): Power => ({ kind, value: text(value), at });

/** The powers of the pod as a whole: namespaces, volumes, sysctls, its account. */
export function podPowers(spec: JsonObject): readonly Power[] {
  const found: Power[] = [];
  for (const field of HOST_FIELDS) if (spec[field] === true) found.push(power(field, "", [field]));
  for (const field of ACCOUNT_FIELDS)
    if (spec[field] !== undefined) found.push(power("serviceAccountName", spec[field], [field]));
  const { securityContext, volumes } = spec;
  if (isObject(securityContext)) {
    addConfinement(securityContext, found);
    if (securityContext["runAsUser"] === 0) found.push(power("root", "runAsUser 0", ["securityContext", "runAsUser"]));
    for (const [index, { name }] of objectsOf(securityContext["sysctls"]).entries())
      found.push(power("sysctl", name, ["securityContext", "sysctls", index]));
  }
  if (Array.isArray(volumes)) {
    for (let index = 0; index < volumes.length; index++) {
      const volume = volumes[index];
      const path = isObject(volume) ? volume["hostPath"] : undefined;
      if (isObject(path)) found.push(power("hostPath", path["path"], ["volumes", index, "hostPath"]));
    }
  }
  return found;
}

/** What annotations say in place of fields: profiles of AppArmor, until Kubernetes 1.30. */
export function annotatedPowers(metadata: JsonObject): readonly Power[] {
  const found: Power[] = [];
  const annotations = objectOf(metadata["annotations"]);
  for (const key of Object.keys(annotations)) {
    if (key.startsWith("container.apparmor.security.beta.kubernetes.io/") && annotations[key] === "unconfined")
      found.push(power("unconfined", "appArmorProfile", ["annotations", key]));
  }
  return found;
}

/** Volumes of types that `restricted` lets no pod have. */
export function volumeTypes({ volumes }: JsonObject): readonly Power[] {
  return objectsOf(volumes).flatMap((volume, index) =>
    Object.keys(volume)
      .filter((type) => type !== "name" && type !== "hostPath" && !ORDINARY.includes(type))
      .map((type) => power("volumeType", type, ["volumes", index, type])),
  );
}

/** What a container is given, whatever it had before. */
export function grantedPowers(container: JsonObject, pod: JsonObject): readonly Power[] {
  const found: Power[] = [];
  const { securityContext, ports } = container;
  if (isObject(securityContext)) {
    const { capabilities, procMount, privileged } = securityContext;
    if (privileged === true) found.push(power("privileged", "", ["securityContext", "privileged"]));
    const added = isObject(capabilities) ? capabilities["add"] : undefined;
    if (Array.isArray(added)) {
      for (const [index, name] of added.entries())
        found.push(power("capability", name, ["securityContext", "capabilities", "add", index]));
    }
    if (procMount !== undefined && procMount !== "Default")
      found.push(power("procMount", procMount, ["securityContext", "procMount"]));
    addConfinement(securityContext, found);
  }
  if (Array.isArray(ports)) {
    for (let index = 0; index < ports.length; index++) {
      const port = objectOf(ports[index])["hostPort"];
      if (port !== undefined && port !== 0) found.push(power("hostPort", port, ["ports", index, "hostPort"]));
    }
  }
  if (inherited(container, pod, "runAsUser") === 0)
    found.push(power("root", "runAsUser 0", ["securityContext", "runAsUser"]));
  return found;
}

/** Profiles that are switched off, SELinux types beyond the list, host processes of Windows: of a pod or a container. */
function addConfinement(own: JsonObject, found: Power[]): void {
  const { seccompProfile, appArmorProfile, seLinuxOptions, windowsOptions } = own;
  if (isObject(seccompProfile) && seccompProfile["type"] === "Unconfined")
    found.push(power("unconfined", "seccompProfile", ["securityContext", "seccompProfile"]));
  if (isObject(appArmorProfile) && appArmorProfile["type"] === "Unconfined")
    found.push(power("unconfined", "appArmorProfile", ["securityContext", "appArmorProfile"]));
  if (isObject(windowsOptions) && windowsOptions["hostProcess"] === true)
    found.push(power("hostProcess", "", ["securityContext", "windowsOptions"]));
  if (!isObject(seLinuxOptions)) return;
  const { type = "", user, role } = seLinuxOptions;
  const options = [type === "" || SELINUX_TYPES.includes(text(type)) ? undefined : type, user, role];
  for (const option of options) if (option) found.push(power("seLinux", option, ["securityContext", "seLinuxOptions"]));
}

/** Secrets, ConfigMaps and audiences of tokens that the volumes of a pod have. */
export function volumeSources({ volumes }: JsonObject): readonly Power[] {
  return objectsOf(volumes).flatMap(({ secret, configMap, projected }, index) => [
    ...(isObject(secret) ? [power("secret", secret["secretName"], ["volumes", index, "secret"])] : []),
    ...(isObject(configMap) ? [power("configMap", configMap["name"], ["volumes", index, "configMap"])] : []),
    ...objectsOf(objectOf(projected)["sources"]).flatMap((source, place) =>
      projectedSources(source, ["volumes", index, "projected", "sources", place]),
    ),
  ]);
}

function projectedSources({ secret, configMap, serviceAccountToken: token }: JsonObject, at: FieldPath) {
  return [
    ...(isObject(secret) ? [power("secret", secret["name"], [...at, "secret"])] : []),
    ...(isObject(configMap) ? [power("configMap", configMap["name"], [...at, "configMap"])] : []),
    ...(isObject(token) ? [power("audience", token["audience"], [...at, "serviceAccountToken"])] : []),
  ];
}

/** Secrets and ConfigMaps that a container's variables are read from. */
export function variableSources({ env, envFrom }: JsonObject): readonly Power[] {
  const single = objectsOf(env).flatMap(({ valueFrom }, index) => {
    const { secretKeyRef: secret, configMapKeyRef: map } = objectOf(valueFrom);
    return referred(secret, map, ["env", index]);
  });
  const whole = objectsOf(envFrom).flatMap(({ secretRef: secret, configMapRef: map }, index) =>
    referred(secret, map, ["envFrom", index]),
  );
  return [...single, ...whole];
}

function referred(secret: JsonValue | undefined, map: JsonValue | undefined, at: FieldPath): readonly Power[] {
  return [
    ...(isObject(secret) ? [power("secret", secret["name"], at)] : []),
    ...(isObject(map) ? [power("configMap", map["name"], at)] : []),
  ];
}

/** What a container is not kept from: compared only for one that was there before, because most containers say nothing. */
export function leftOpen(container: JsonObject, pod: JsonObject): readonly Power[] {
  const { capabilities, allowPrivilegeEscalation, readOnlyRootFilesystem } = objectOf(container["securityContext"]);
  const dropped = objectOf(capabilities)["drop"];
  const user = inherited(container, pod, "runAsUser");
  const isNeverRoot = inherited(container, pod, "runAsNonRoot") === true || (typeof user === "number" && user > 0);
  const open = (kind: string, value: string) => power(kind, value, ["securityContext"]);
  return [
    ...(Array.isArray(dropped) && dropped.includes("ALL")
      ? []
      : [open("escalation", "capabilities that are not dropped")]),
    ...(allowPrivilegeEscalation === false ? [] : [open("escalation", "allowPrivilegeEscalation")]),
    ...(readOnlyRootFilesystem === true ? [] : [open("writable", "a root filesystem that can be written")]),
    ...(isNeverRoot ? [] : [open("root", "a user that may be root")]),
  ];
}

/** Kinds whose values are sentences. */
const IN_WORDS: readonly string[] = ["root", "escalation", "writable"];

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Power): string {
  if (IN_WORDS.includes(kind)) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

function inherited(container: JsonObject, pod: JsonObject, field: string): JsonValue | undefined {
  const { securityContext: own } = container;
  const said = isObject(own) ? own[field] : undefined;
  if (said !== undefined) return said;
  const { securityContext: shared } = pod;
  return isObject(shared) ? shared[field] : undefined;
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
