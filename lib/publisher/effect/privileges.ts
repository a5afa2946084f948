// What a pod and its containers may do on their node, as the Pod Security Standards list it, so that two pods can be compared:
// what is in the later list and not in the earlier one was widened.
import { isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";

/** Fields of the pod that join it to its node. */
const HOST_FIELDS = ["hostPID", "hostIPC", "hostNetwork"] as const;

/** The powers of the pod as a whole. */
export function podPowers(spec: JsonObject): readonly string[] {
  const { securityContext, volumes, serviceAccountName } = spec;
  const { sysctls, windowsOptions } = objectOf(securityContext);
  return [
    ...HOST_FIELDS.filter((field) => spec[field] === true),
    ...listOf(volumes).flatMap(({ hostPath }) => (isObject(hostPath) ? [`hostPath ${text(hostPath["path"])}`] : [])),
    ...listOf(sysctls).map(({ name }) => `sysctl ${text(name)}`),
    ...(objectOf(windowsOptions)["hostProcess"] === true ? ["hostProcess"] : []),
    ...(serviceAccountName === undefined ? [] : [`serviceAccountName ${text(serviceAccountName)}`]),
    ...(spec["shareProcessNamespace"] === true ? ["shareProcessNamespace"] : []),
  ];
}

/** What a container is given, whatever it had before. */
export function grantedPowers(container: JsonObject, pod: JsonObject): readonly string[] {
  const own = objectOf(container["securityContext"]);
  const { capabilities, procMount, seccompProfile, appArmorProfile, privileged, windowsOptions } = own;
  const profiles = [seccompProfile, appArmorProfile].map((profile) => objectOf(profile)["type"]);
  const added = objectOf(capabilities)["add"];
  return [
    ...(privileged === true ? ["privileged"] : []),
    ...(Array.isArray(added) ? added.map((name) => `capability ${text(name)}`) : []),
    ...(procMount === undefined || procMount === "Default" ? [] : [`procMount ${text(procMount)}`]),
    ...(profiles.includes("Unconfined") ? ["an unconfined profile"] : []),
    ...(objectOf(windowsOptions)["hostProcess"] === true ? ["hostProcess"] : []),
    ...listOf(container["ports"]).flatMap(({ hostPort }) => (hostPort === undefined ? [] : [`hostPort ${hostPort}`])),
    ...(inherited(own, pod, "runAsUser") === 0 ? ["runAsUser 0"] : []),
  ];
}

/** What a container is not kept from: compared only for one that was there before, because most containers say nothing. */
export function leftOpen(container: JsonObject, pod: JsonObject): readonly string[] {
  const own = objectOf(container["securityContext"]);
  const { capabilities, allowPrivilegeEscalation, readOnlyRootFilesystem } = own;
  const dropped = objectOf(capabilities)["drop"];
  const user = inherited(own, pod, "runAsUser");
  const isNeverRoot = inherited(own, pod, "runAsNonRoot") === true || (typeof user === "number" && user > 0);
  return [
    ...(Array.isArray(dropped) && dropped.includes("ALL") ? [] : ["capabilities that are not dropped"]),
    ...(allowPrivilegeEscalation === false ? [] : ["allowPrivilegeEscalation"]),
    ...(readOnlyRootFilesystem === true ? [] : ["a root filesystem that can be written"]),
    ...(isNeverRoot ? [] : ["a user that may be root"]),
  ];
}

function inherited(own: JsonObject, pod: JsonObject, field: string): JsonValue | undefined {
  return own[field] ?? objectOf(pod["securityContext"])[field];
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
