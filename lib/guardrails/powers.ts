// What a pod and its containers may do on their node, as a list. Every injection is judged by it, so it makes nothing for what gives
// no power.
import { type FieldPath, isObject, type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";
import type { FieldEffect } from "./fields.ts";

/** Something that a pod or container is given. */
export interface Power {
  /** `capability`, `hostPath`, …; `field` for what no table allows. */
  readonly kind: string;
  /** `NET_ADMIN`; empty for a kind that has none. */
  readonly value: string;
  /** Where it is, from the pod on. */
  readonly at: FieldPath;
  /** The container that it is given to. */
  readonly container?: string | undefined;
  /** The volume that gives it. */
  readonly volume?: string | undefined;
  /** The class of publishing that it is of, where its kind does not say so. */
  readonly effect?: FieldEffect | undefined;
}

/** SELinux types that `baseline` lets a container have. Source: Kubernetes, Pod Security Standards. */
const SELINUX_TYPES: readonly string[] = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

const power = (kind: string, value: JsonValue | undefined, at: FieldPath): Power => ({ kind, value: text(value), at });

/** What the security context of a pod gives. */
export function podPowers({ securityContext }: JsonObject): readonly Power[] {
  if (!isObject(securityContext)) return [];
  const found: Power[] = [];
  addConfinement(securityContext, found);
  if (securityContext["runAsUser"] === 0) found.push(power("root", "runAsUser 0", ["securityContext", "runAsUser"]));
  for (const [index, { name }] of objectsOf(securityContext["sysctls"]).entries())
    found.push(power("sysctl", name, ["securityContext", "sysctls", index]));
  return found;
}

/** What annotations say in place of fields: profiles of AppArmor, until Kubernetes 1.30. */
export function annotatedPowers(annotations: JsonObject): readonly Power[] {
  const found: Power[] = [];
  for (const key of Object.keys(annotations)) {
    if (key.startsWith("container.apparmor.security.beta.kubernetes.io/") && annotations[key] === "unconfined")
      found.push(power("unconfined", "appArmorProfile", ["metadata", "annotations", key]));
  }
  return found;
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
const IN_WORDS: readonly string[] = ["root", "escalation", "writable", "cpu", "memory"];

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

export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
