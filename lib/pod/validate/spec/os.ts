// What the operating system of a pod's nodes rules out.
// Mirrors core/validation's validateOS, validateLinux, validateWindows and validateWindowsHostProcessPod.

import { listOf } from "@outrigger/base";
import type { Container, PodSpec, SecurityContext } from "../../generated/pod-types.ts";
import { type Check, report, requireText } from "../check.ts";
import { asObject, isPresent } from "../zero-values.ts";

/** Fields of a container's security context that Windows has no notion of. */
const LINUX_CONTAINER_FIELDS: readonly (keyof SecurityContext)[] = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

const LINUX_POD_FIELDS = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;

/** These are set by being there, even when they are false; the other two by being true. */
const LINUX_SPEC_FIELDS = ["hostUsers", "shareProcessNamespace"] as const;
const LINUX_SPEC_SWITCHES = ["hostPID", "hostIPC"] as const;

/** Runs over all containers: what is asked is of the pod as a whole. */
export function checkOs(spec: PodSpec, check: Check): void {
  checkHostProcess(spec, check);
  if (!isPresent(spec.os)) return;
  const name = asObject(spec.os).name;
  if (!requireText(check, name, "os")) return;
  if (name === "windows") checkWindows(spec, check);
  else if (name === "linux") checkLinux(spec, check);
  else report(check, "not-supported", "must be linux or windows", "os", "name");
}

function checkLinux(spec: PodSpec, check: Check): void {
  if (isPresent(asObject(spec.securityContext).windowsOptions)) {
    report(check, "forbidden", "must not be set for a Linux pod", "securityContext", "windowsOptions");
  }
  forEachContext(spec, (context, ...keys) => {
    if (isPresent(context?.windowsOptions)) {
      report(check, "forbidden", "must not be set for a Linux pod", ...keys, "securityContext", "windowsOptions");
    }
  });
}

function checkWindows(spec: PodSpec, check: Check): void {
  const message = "must not be set for a Windows pod";
  const pod = asObject(spec.securityContext) ?? {};
  for (const key of LINUX_POD_FIELDS)
    if (isPresent(pod[key])) report(check, "forbidden", message, "securityContext", key);
  if (listOf(pod.sysctls).length > 0) report(check, "forbidden", message, "securityContext", "sysctls");
  for (const key of LINUX_SPEC_FIELDS) if (isPresent(spec[key])) report(check, "forbidden", message, key);
  for (const key of LINUX_SPEC_SWITCHES) if (spec[key] === true) report(check, "forbidden", message, key);
  if (isPresent(spec.resources)) report(check, "forbidden", message, "resources");
  forEachContext(spec, (context, ...keys) => {
    for (const key of LINUX_CONTAINER_FIELDS) {
      if (isPresent(context?.[key])) report(check, "forbidden", message, ...keys, "securityContext", key);
    }
  });
}

/** core/validation: validateWindowsHostProcessPod. All containers run as processes of the host, or none. */
function checkHostProcess(spec: PodSpec, check: Check): void {
  const ofPod = asObject(asObject(spec.securityContext)?.windowsOptions).hostProcess ?? undefined;
  let [count, hostProcesses] = [0, 0];
  forEachContext(spec, (context, ...keys) => {
    const own = asObject(context?.windowsOptions).hostProcess ?? undefined;
    count += 1;
    if (own ?? ofPod) hostProcesses += 1;
    if (own === undefined || ofPod === undefined || own === ofPod) return;
    const path = ["securityContext", "windowsOptions", "hostProcess"];
    report(check, "invalid", "must be as in the pod's securityContext", ...keys, ...path);
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== count) report(check, "invalid", "must have hostProcess for all containers, as some have it");
  if (spec.hostNetwork !== true)
    report(check, "invalid", "must be true, as containers have hostProcess", "hostNetwork");
}

function forEachContext(
  spec: PodSpec,
  visit: (context: SecurityContext | undefined, field: string, at: number) => void,
): void {
  for (const field of ["initContainers", "containers"] as const) {
    const containers = listOf(spec[field]);
    for (let at = 0; at < containers.length; at++) {
      visit(asObject((asObject(containers[at]) as Container).securityContext), field, at);
    }
  }
}
