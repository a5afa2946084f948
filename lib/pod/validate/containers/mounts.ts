// What containers mount of the pod's volumes, as files or as devices.

import { listOf } from "@outrigger/base";
import type { Container, Volume, VolumeDevice, VolumeMount } from "../../generated/pod-types.ts";
import { hasBackstep, isDescendingPath, NO_BACKSTEPS, RELATIVE_PATH } from "../../names.ts";
import {
  asObject,
  asText,
  type Check,
  checkItems,
  checkOneOf,
  checkUnique,
  isPresent,
  knownItems,
  quote,
  report,
  requireText,
} from "../check.ts";

const PROPAGATIONS: readonly string[] = ["Bidirectional", "HostToContainer", "None"];
const RECURSIVE_READ_ONLY: readonly string[] = ["Disabled", "IfPossible", "Enabled"];

/** The pod's volume of a name. */
export type FindVolume = (name: string) => Volume | undefined;

/** core/validation: ValidateVolumeMounts and ValidateVolumeDevices of one container. */
export function checkMounts(container: Container, before: Container, findVolume: FindVolume, check: Check): void {
  const { volumeMounts, volumeDevices, securityContext } = container;
  const isSamePrivilege = securityContext === before.securityContext;
  if (volumeMounts !== before.volumeMounts || !isSamePrivilege) {
    checkItems(
      check,
      "volumeMounts",
      volumeMounts,
      isSamePrivilege ? before.volumeMounts : undefined,
      checkMount,
      asObject(securityContext).privileged === true,
    );
    checkUnique(
      check,
      "volumeMounts",
      volumeMounts,
      mountPathOf,
      (path) => `${quote(path)} is mounted already`,
      "mountPath",
    );
  }
  if (volumeDevices !== before.volumeDevices) {
    checkItems(check, "volumeDevices", volumeDevices, undefined, checkDevice, undefined);
    checkUnique(
      check,
      "volumeDevices",
      volumeDevices,
      devicePathOf,
      (path) => `${quote(path)} is a device already`,
      "devicePath",
    );
    checkUnique(check, "volumeDevices", volumeDevices, nameOf, (name) => `${quote(name)} is a device already`, "name");
  }
  checkReferences(container, before, findVolume, check);
  if (listOf(volumeDevices).length > 0) checkOverlap(container, check);
}

function nameOf(mount: { readonly name: string }): string {
  return asText(mount.name);
}

function mountPathOf(mount: VolumeMount): string {
  return asText(mount.mountPath);
}

function devicePathOf(device: VolumeDevice): string {
  return asText(device.devicePath);
}

function checkMount(mount: VolumeMount, check: Check, isPrivileged: boolean): void {
  const { mountPath, subPath, subPathExpr, mountPropagation } = mount;
  requireText(check, mount.name, "name");
  requireText(check, mountPath, "mountPath");
  if (isPresent(subPath) && subPath !== "") checkSubPath(subPath, "subPath", check);
  if (isPresent(subPathExpr) && subPathExpr !== "") {
    if (asText(subPath) !== "")
      report(check, "invalid", "must not be set when subPath is: remove one of them", "subPathExpr");
    checkSubPath(subPathExpr, "subPathExpr", check);
  }
  checkOneOf(check, mountPropagation, PROPAGATIONS, "mountPropagation");
  if (mountPropagation === "Bidirectional" && !isPrivileged) {
    report(check, "forbidden", "must not be Bidirectional in a container that is not privileged", "mountPropagation");
  }
  if (isPresent(mount.recursiveReadOnly)) checkRecursion(mount, check);
}

/** core/validation: validateLocalDescendingPath. */
function checkSubPath(path: unknown, key: string, check: Check): void {
  if (!isDescendingPath(asText(path))) report(check, "invalid", RELATIVE_PATH, key);
}

/** core/validation: validateMountRecursiveReadOnly. */
function checkRecursion({ recursiveReadOnly, readOnly, mountPropagation }: VolumeMount, check: Check): void {
  checkOneOf(check, recursiveReadOnly, RECURSIVE_READ_ONLY, "recursiveReadOnly");
  if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") return;
  if (readOnly !== true) report(check, "forbidden", "needs readOnly: true", "recursiveReadOnly");
  if (isPresent(mountPropagation) && mountPropagation !== "None") {
    report(check, "forbidden", "needs mountPropagation to be None or absent", "recursiveReadOnly");
  }
}

function checkDevice({ name, devicePath }: VolumeDevice, check: Check): void {
  requireText(check, name, "name");
  if (requireText(check, devicePath, "devicePath") && hasBackstep(devicePath)) {
    report(check, "invalid", NO_BACKSTEPS, "devicePath");
  }
}

/** Mounts that are as before are looked up too, when a volume may be gone: the caller then passes no container before. */
function checkReferences(container: Container, before: Container, findVolume: FindVolume, check: Check): void {
  const mounts = listOf(container.volumeMounts === before.volumeMounts ? undefined : container.volumeMounts);
  const isKnownMount = knownItems(before.volumeMounts);
  for (let at = 0; at < mounts.length; at++) {
    const mount = mounts[at];
    if (isKnownMount(mount, at)) continue;
    const name = asText(asObject(mount).name);
    if (name !== "" && findVolume(name) === undefined) {
      report(check, "not-found", `must name a volume of the pod, not ${quote(name)}`, "volumeMounts", at, "name");
    }
  }
  for (const [at, device] of listOf(container.volumeDevices).entries()) {
    const name = asText(asObject(device).name);
    if (name === "") continue;
    const volume = findVolume(name);
    if (volume === undefined) {
      report(check, "not-found", `must name a volume of the pod, not ${quote(name)}`, "volumeDevices", at, "name");
    } else if (!isPresent(volume.persistentVolumeClaim) && !isPresent(volume.ephemeral)) {
      report(
        check,
        "invalid",
        "must name a volume of type persistentVolumeClaim or ephemeral",
        "volumeDevices",
        at,
        "name",
      );
    }
  }
}

/** A volume is used as files or as a device, and a path is one of them. */
function checkOverlap({ volumeMounts, volumeDevices }: Container, check: Check): void {
  const names = new Set(listOf(volumeDevices).map((device) => nameOf(asObject(device))));
  const paths = new Set(listOf(volumeDevices).map((device) => devicePathOf(asObject(device))));
  for (const [at, mount] of listOf(volumeMounts).entries()) {
    const [name, path] = [nameOf(asObject(mount)), mountPathOf(asObject(mount))];
    if (names.has(name)) report(check, "invalid", `${quote(name)} is in volumeDevices too`, "volumeMounts", at, "name");
    if (paths.has(path))
      report(check, "invalid", `${quote(path)} is in volumeDevices too`, "volumeMounts", at, "mountPath");
  }
}
