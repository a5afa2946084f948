// What containers mount of the pod's volumes, as files or as devices.
import { listOf } from "@outrigger/base";
import type { Container, Volume, VolumeMount } from "../../generated/pod-types.ts";
import { DESCENDING_PATH, PLAIN_PATH } from "../../names.ts";
import { type Check, invalid, knownItems, quote, report } from "../check.ts";
import { fields, items, itemsIn, oneOf, optional, required, unique } from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";

export type FindVolume = (name: string) => Volume | undefined;

/** core/validation: validateMountRecursiveReadOnly among others. */
const checkMount = fields<VolumeMount, boolean>(
  {
    name: required(),
    mountPath: required(),
    subPath: optional(DESCENDING_PATH),
    subPathExpr: optional(DESCENDING_PATH),
    mountPropagation: oneOf("Bidirectional", "HostToContainer", "None"),
    recursiveReadOnly: oneOf("Disabled", "IfPossible", "Enabled"),
  },
  ({ subPath, subPathExpr, mountPropagation, recursiveReadOnly, readOnly }, check, isPrivileged) => {
    if (asText(subPathExpr) !== "" && asText(subPath) !== "") {
      invalid(check, "must not be set when subPath is: remove one of them", "subPathExpr");
    }
    if (mountPropagation === "Bidirectional" && !isPrivileged) {
      report(check, "forbidden", "must not be Bidirectional in a container that is not privileged", "mountPropagation");
    }
    if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") return;
    if (readOnly !== true) report(check, "forbidden", "needs readOnly: true", "recursiveReadOnly");
    if (isPresent(mountPropagation) && mountPropagation !== "None") {
      report(check, "forbidden", "needs mountPropagation to be None or absent", "recursiveReadOnly");
    }
  },
);

/** The rule of a container's mounts. Its context is whether the container is privileged. */
const checkMountList = fields<Container, boolean>({
  volumeMounts: [itemsIn(checkMount), unique("mountPath", (path) => `${quote(path)} is mounted already`)],
});

const isDeviceAlready = (key: string) => `${quote(key)} is a device already`;

const checkDeviceList = fields<Container>({
  volumeDevices: [
    items({ name: required(), devicePath: required(PLAIN_PATH) }),
    unique("devicePath", isDeviceAlready),
    unique("name", isDeviceAlready),
  ],
});

/** core/validation: ValidateVolumeMounts and ValidateVolumeDevices of one container. */
export function checkMounts(container: Container, before: Container, findVolume: FindVolume, check: Check): void {
  const { securityContext } = container;
  const isSamePrivilege = securityContext === before.securityContext;
  const isPrivileged = asObject(securityContext).privileged === true;
  checkMountList(container, check, isPrivileged, isSamePrivilege ? before : undefined);
  checkDeviceList(container, check, undefined, before);
  checkReferences(container, before, findVolume, check);
  if (listOf(container.volumeDevices).length > 0) checkOverlap(container, check);
}

/**
 * Checks that mounts refer to volumes. Mounts that are as before are looked up too, when a volume may be gone: the
 * caller then passes no container before.
 */
function checkReferences(container: Container, before: Container, findVolume: FindVolume, check: Check): void {
  const mounts = listOf(container.volumeMounts === before.volumeMounts ? undefined : container.volumeMounts);
  const isKnownMount = knownItems(before.volumeMounts);
  for (let at = 0; at < mounts.length; at++) {
    if (isKnownMount(mounts[at], at)) continue;
    findNamed(asText(asObject(mounts[at]).name), "volumeMounts", at, findVolume, check);
  }
  for (const [at, device] of listOf(container.volumeDevices).entries()) {
    const volume = findNamed(asText(asObject(device).name), "volumeDevices", at, findVolume, check);
    if (volume === undefined || isPresent(volume.persistentVolumeClaim) || isPresent(volume.ephemeral)) continue;
    const message = "must name a volume of type persistentVolumeClaim or ephemeral";
    invalid(check, message, "volumeDevices", at, "name");
  }
}

function findNamed(name: string, key: string, at: number, findVolume: FindVolume, check: Check): Volume | undefined {
  const volume = name === "" ? undefined : findVolume(name);
  if (name !== "" && volume === undefined) {
    report(check, "not-found", `must name a volume of the pod, not ${quote(name)}`, key, at, "name");
  }
  return volume;
}

/** A volume is used as files or as a device, and a path is one of them. */
function checkOverlap({ volumeMounts, volumeDevices }: Container, check: Check): void {
  const names = new Set(listOf(volumeDevices).map((device) => asText(asObject(device).name)));
  const paths = new Set(listOf(volumeDevices).map((device) => asText(asObject(device).devicePath)));
  for (const [at, mount] of listOf(volumeMounts).entries()) {
    const [name, path] = [asText(asObject(mount).name), asText(asObject(mount).mountPath)];
    const message = (key: string) => `${quote(key)} is in volumeDevices too`;
    if (names.has(name)) invalid(check, message(name), "volumeMounts", at, "name");
    if (paths.has(path)) invalid(check, message(path), "volumeMounts", at, "mountPath");
  }
}
