// What a pod and its containers may do on their node and with the cluster's secrets, as a list: two pods are compared by it. What is in
// the later list and not in the earlier one was added.
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

const HOST_FIELDS = ["hostPID", "hostIPC", "hostNetwork"] as const;

const power = (kind: string, value: JsonValue | undefined, ...at: FieldPath): Power => ({
  kind,
  value: text(value),
  at,
});

/** The powers of the pod as a whole: namespaces, volumes, sysctls, its account. */
export function podPowers(spec: JsonObject): readonly Power[] {
  const { securityContext, serviceAccountName } = spec;
  const { sysctls, windowsOptions } = objectOf(securityContext);
  return [
    ...HOST_FIELDS.flatMap((field) => (spec[field] === true ? [power(field, "", field)] : [])),
    ...objectsOf(spec["volumes"]).flatMap((volume, index) => volumePowers(volume, index)),
    ...objectsOf(sysctls).map(({ name }, index) => power("sysctl", name, "securityContext", "sysctls", index)),
    ...(objectOf(windowsOptions)["hostProcess"] === true
      ? [power("hostProcess", "", "securityContext", "windowsOptions")]
      : []),
    ...profilesOf(objectOf(securityContext)).map((field) => power("unconfined", field, "securityContext", field)),
    ...(serviceAccountName === undefined
      ? []
      : [power("serviceAccountName", serviceAccountName, "serviceAccountName")]),
    ...(spec["shareProcessNamespace"] === true ? [power("shareProcessNamespace", "", "shareProcessNamespace")] : []),
  ];
}

function volumePowers(volume: JsonObject, index: number): readonly Power[] {
  const at = (...rest: FieldPath): FieldPath => ["volumes", index, ...rest];
  const { hostPath, secret, configMap, projected } = volume;
  const sources = objectsOf(objectOf(projected)["sources"]);
  return [
    ...(isObject(hostPath) ? [power("hostPath", hostPath["path"], ...at("hostPath"))] : []),
    ...(isObject(secret) ? [power("secret", secret["secretName"], ...at("secret"))] : []),
    ...(isObject(configMap) ? [power("configMap", configMap["name"], ...at("configMap"))] : []),
    ...sources.flatMap((source, place) => {
      const inside = (key: string) => at("projected", "sources", place, key);
      const { secret: own, configMap: map, serviceAccountToken: token } = source;
      return [
        ...(isObject(own) ? [power("secret", own["name"], ...inside("secret"))] : []),
        ...(isObject(map) ? [power("configMap", map["name"], ...inside("configMap"))] : []),
        ...(isObject(token) ? [power("audience", token["audience"], ...inside("serviceAccountToken"))] : []),
      ];
    }),
  ];
}

/** What a container is given, whatever it had before. */
export function grantedPowers(container: JsonObject, pod: JsonObject): readonly Power[] {
  const own = objectOf(container["securityContext"]);
  const { capabilities, procMount, privileged, windowsOptions } = own;
  const added = objectOf(capabilities)["add"];
  const at = (...rest: FieldPath): FieldPath => ["securityContext", ...rest];
  return [
    ...(privileged === true ? [power("privileged", "", ...at("privileged"))] : []),
    ...(Array.isArray(added)
      ? added.map((name, index) => power("capability", name, ...at("capabilities", "add", index)))
      : []),
    ...(procMount === undefined || procMount === "Default" ? [] : [power("procMount", procMount, ...at("procMount"))]),
    ...profilesOf(own).map((field) => power("unconfined", field, ...at(field))),
    ...(objectOf(windowsOptions)["hostProcess"] === true ? [power("hostProcess", "", ...at("windowsOptions"))] : []),
    ...objectsOf(container["ports"]).flatMap(({ hostPort }, index) =>
      hostPort === undefined || hostPort === 0 ? [] : [power("hostPort", hostPort, "ports", index, "hostPort")],
    ),
    ...(inherited(own, pod, "runAsUser") === 0 ? [power("root", "runAsUser 0", ...at("runAsUser"))] : []),
    ...sourcesOf(container),
  ];
}

/** Secrets and ConfigMaps that variables are read from. */
function sourcesOf(container: JsonObject): readonly Power[] {
  const single = objectsOf(container["env"]).flatMap(({ valueFrom }, index) => {
    const { secretKeyRef: secret, configMapKeyRef: map } = objectOf(valueFrom);
    return [
      ...(isObject(secret) ? [power("secret", secret["name"], "env", index)] : []),
      ...(isObject(map) ? [power("configMap", map["name"], "env", index)] : []),
    ];
  });
  const whole = objectsOf(container["envFrom"]).flatMap(({ secretRef: secret, configMapRef: map }, index) => [
    ...(isObject(secret) ? [power("secret", secret["name"], "envFrom", index)] : []),
    ...(isObject(map) ? [power("configMap", map["name"], "envFrom", index)] : []),
  ]);
  return [...single, ...whole];
}

/** What a container is not kept from: compared only for one that was there before, because most containers say nothing. */
export function leftOpen(container: JsonObject, pod: JsonObject): readonly Power[] {
  const own = objectOf(container["securityContext"]);
  const { capabilities, allowPrivilegeEscalation, readOnlyRootFilesystem } = own;
  const dropped = objectOf(capabilities)["drop"];
  const user = inherited(own, pod, "runAsUser");
  const isNeverRoot = inherited(own, pod, "runAsNonRoot") === true || (typeof user === "number" && user > 0);
  return [
    ...(Array.isArray(dropped) && dropped.includes("ALL")
      ? []
      : [power("escalation", "capabilities that are not dropped", "securityContext")]),
    ...(allowPrivilegeEscalation === false ? [] : [power("escalation", "allowPrivilegeEscalation", "securityContext")]),
    ...(readOnlyRootFilesystem === true
      ? []
      : [power("writable", "a root filesystem that can be written", "securityContext")]),
    ...(isNeverRoot ? [] : [power("root", "a user that may be root", "securityContext")]),
  ];
}

/** Kinds whose values are sentences. */
const IN_WORDS: readonly string[] = ["root", "escalation", "writable"];

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Power): string {
  if (IN_WORDS.includes(kind)) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

function profilesOf({ seccompProfile, appArmorProfile }: JsonObject): readonly string[] {
  const profiles = { seccompProfile, appArmorProfile };
  return Object.entries(profiles).flatMap(([field, profile]) =>
    objectOf(profile)["type"] === "Unconfined" ? [field] : [],
  );
}

function inherited(own: JsonObject, pod: JsonObject, field: string): JsonValue | undefined {
  return own[field] ?? objectOf(pod["securityContext"])[field];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
