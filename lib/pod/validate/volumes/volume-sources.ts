// The kinds of volumes that are storage systems: what each requires, as a table. Most are a name and a path.

import { type JsonObject, listOf } from "@outrigger/base";
import type { Volume } from "../../generated/pod-types.ts";
import {
  isDescendingPath,
  isDnsLabel,
  isDnsSubdomain,
  LABEL_FORM,
  RELATIVE_PATH,
  SUBDOMAIN_FORM,
} from "../../names.ts";
import {
  asObject,
  asText,
  type Check,
  checkOneOf,
  checkRange,
  isPresent,
  quote,
  report,
  requireText,
} from "../check.ts";

type SourceRule = (source: JsonObject, check: Check, volume: Volume) => void;

const MAX_ISCSI_LENGTH = 1000;

/** By the field of a volume; each names the function of core/validation that it mirrors. */
export const SOURCE_RULES: Readonly<Record<string, SourceRule>> = {
  // validatePersistentClaimVolumeSource
  persistentVolumeClaim: requires("claimName"),
  // validateGCEPersistentDiskVolumeSource
  gcePersistentDisk: (source, check) => checkDisk(source, "pdName", check),
  // validateAWSElasticBlockStoreVolumeSource
  awsElasticBlockStore: (source, check) => checkDisk(source, "volumeID", check),
  // validateGlusterfsVolumeSource
  glusterfs: requires("endpoints", "path"),
  // validateAzureFile
  azureFile: requires("secretName", "shareName"),
  // validateVsphereVolumeSource
  vsphereVolume: requires("volumePath"),
  // validatePhotonPersistentDiskVolumeSource
  photonPersistentDisk: requires("pdID"),
  // validatePortworxVolumeSource
  portworxVolume: requires("volumeID"),
  // validateScaleIOVolumeSource
  scaleIO: requires("gateway", "system", "volumeName"),
  // validateCephFSVolumeSource
  cephfs: checkMonitors,
  // validateRBDVolumeSource
  rbd: (source, check) => {
    checkMonitors(source, check);
    requireText(check, source["image"], "image");
  },
  // validateCinderVolumeSource
  cinder: (source, check) => {
    requireText(check, source["volumeID"], "volumeID");
    requireSecretName(source, "secretRef", check);
  },
  gitRepo: checkGitRepo,
  nfs: checkNfs,
  iscsi: checkIscsi,
  fc: checkFibreChannel,
  flocker: checkFlocker,
  flexVolume: checkFlexVolume,
  quobyte: checkQuobyte,
  azureDisk: checkAzureDisk,
  storageos: checkStorageOs,
  csi: checkCsi,
};

function requires(...keys: readonly string[]): SourceRule {
  return (source, check) => {
    for (const key of keys) requireText(check, source[key], key);
  };
}

function checkDisk(source: JsonObject, key: string, check: Check): void {
  requireText(check, source[key], key);
  checkRange(check, source["partition"], 0, 255, "partition");
}

function checkMonitors(source: JsonObject, check: Check): void {
  if (listOf(source["monitors"] as readonly string[]).length === 0)
    report(check, "required", "is required", "monitors");
}

function requireSecretName(source: JsonObject, key: string, check: Check): void {
  const reference = source[key];
  if (!isPresent(reference) || asText(asObject(reference as JsonObject)["name"]) !== "") return;
  report(check, "required", "is required", key, "name");
}

/** validateGitRepoVolumeSource */
function checkGitRepo(source: JsonObject, check: Check): void {
  requireText(check, source["repository"], "repository");
  if (!isDescendingPath(asText(source["directory"]))) report(check, "invalid", RELATIVE_PATH, "directory");
}

/** validateNFSVolumeSource */
function checkNfs(source: JsonObject, check: Check): void {
  requireText(check, source["server"], "server");
  if (requireText(check, source["path"], "path") && !asText(source["path"]).startsWith("/")) {
    report(check, "invalid", "must be an absolute path", "path");
  }
}

/** validateISCSIVolumeSource */
function checkIscsi(source: JsonObject, check: Check, volume: Volume): void {
  const { iqn, targetPortal, initiatorName, secretRef } = source;
  requireText(check, targetPortal, "targetPortal");
  if (requireText(check, iqn, "iqn") && !isIscsiName(asText(iqn))) report(check, "invalid", ISCSI_FORM, "iqn");
  checkRange(check, source["lun"], 0, 255, "lun");
  if ((source["chapAuthDiscovery"] === true || source["chapAuthSession"] === true) && !isPresent(secretRef)) {
    report(check, "required", "is required, as CHAP authentication is on", "secretRef");
  }
  if (!isPresent(initiatorName)) return;
  if (!isIscsiName(asText(initiatorName))) report(check, "invalid", ISCSI_FORM, "initiatorName");
  if (asText(volume.name).length + 1 + asText(targetPortal).length > 64) {
    report(
      check,
      "invalid",
      "with the volume's name, must be less than 64 characters, as initiatorName is set",
      "targetPortal",
    );
  }
}

const ISCSI_FORM =
  "must be an iSCSI name like iqn.2001-04.com.example:disk, eui. with 16 or naa. with 32 letters and digits";

/** iscsiInitiatorIqnRegex and its like; longer names are not judged. */
function isIscsiName(name: string): boolean {
  if (name.length > MAX_ISCSI_LENGTH) return true;
  if (name.startsWith("iqn")) return /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\t\n\f\r ]+$/.test(name);
  if (name.startsWith("eui")) return /^eui.[A-Za-z0-9]{16}$/.test(name);
  return /^naa.[A-Za-z0-9]{32}$/.test(name);
}

/** validateFCVolumeSource */
function checkFibreChannel(source: JsonObject, check: Check): void {
  const { targetWWNs, wwids, lun } = source;
  const names = listOf(targetWWNs as readonly string[]);
  const ids = listOf(wwids as readonly string[]);
  if (names.length === 0 && ids.length === 0)
    report(check, "required", "is required, or wwids in its place", "targetWWNs");
  if (names.length > 0 && ids.length > 0) report(check, "invalid", "must not be set when wwids is", "targetWWNs");
  if (names.length === 0) return;
  if (!isPresent(lun)) report(check, "required", "is required with targetWWNs", "lun");
  checkRange(check, lun, 0, 255, "lun");
}

/** validateFlockerVolumeSource */
function checkFlocker({ datasetName, datasetUUID }: JsonObject, check: Check): void {
  const [name, uuid] = [asText(datasetName), asText(datasetUUID)];
  if (name === "" && uuid === "") report(check, "required", "must have a datasetName or a datasetUUID");
  if (name !== "" && uuid !== "") report(check, "invalid", "must not have both a datasetName and a datasetUUID");
  if (name.includes("/")) report(check, "invalid", 'must not contain "/"', "datasetName");
}

/** validateFlexVolumeSource */
function checkFlexVolume(source: JsonObject, check: Check): void {
  requireText(check, source["driver"], "driver");
  for (const key in asObject(source["options"] as JsonObject)) {
    const domain = `.${key.split("/", 1)[0]?.toLowerCase()}`;
    if (!domain.endsWith(".kubernetes.io") && !domain.endsWith(".k8s.io")) continue;
    report(check, "invalid", "must not be in kubernetes.io or k8s.io, which are reserved", "options", key);
  }
}

/** validateQuobyteVolumeSource */
function checkQuobyte({ registry, tenant, volume }: JsonObject, check: Check): void {
  if (requireText(check, registry, "registry")) {
    if (asText(tenant).length >= 65) report(check, "required", "must be a UUID of at most 64 characters", "tenant");
    else if (!asText(registry).split(",").every(isHostPort)) {
      report(check, "invalid", "must be host:port, or several of them with commas between", "registry");
    }
  }
  requireText(check, volume, "volume");
}

/** net.SplitHostPort */
function isHostPort(text: string): boolean {
  const colon = text.lastIndexOf(":");
  if (colon === -1) return false;
  const host = text.slice(0, colon);
  if (host.startsWith("[")) return host.indexOf("]") === host.length - 1 && host.lastIndexOf("[") === 0;
  return !/[:[\]]/.test(host) && !/[[\]]/.test(text.slice(colon));
}

/** validateAzureDisk */
function checkAzureDisk(source: JsonObject, check: Check): void {
  const { kind, diskURI } = source;
  requireText(check, source["diskName"], "diskName");
  requireText(check, diskURI, "diskURI");
  checkOneOf(check, source["cachingMode"], ["None", "ReadOnly", "ReadWrite"], "cachingMode");
  checkOneOf(check, kind, ["Shared", "Dedicated", "Managed"], "kind");
  // Absent, the kind is Shared.
  const start = kind === "Managed" ? "/subscriptions/" : "https://";
  if (asText(diskURI).startsWith(start)) return;
  report(check, "not-supported", `must start with ${start} for this kind of disk`, "diskURI");
}

/** validateStorageOSVolumeSource */
function checkStorageOs(source: JsonObject, check: Check): void {
  const { volumeName, volumeNamespace } = source;
  if (requireText(check, volumeName, "volumeName") && !isDnsLabel(asText(volumeName))) {
    report(check, "invalid", LABEL_FORM, "volumeName");
  }
  if (asText(volumeNamespace) !== "" && !isDnsLabel(asText(volumeNamespace))) {
    report(check, "invalid", LABEL_FORM, "volumeNamespace");
  }
  requireSecretName(source, "secretRef", check);
}

/** validateCSIVolumeSource and ValidateCSIDriverName */
function checkCsi(source: JsonObject, check: Check): void {
  const { driver, nodePublishSecretRef } = source;
  if (requireText(check, driver, "driver")) {
    const name = asText(driver);
    if (name.length > 63) report(check, "too-long", "must be at most 63 characters", "driver");
    if (!isDnsSubdomain(name.toLowerCase())) report(check, "invalid", `in lower case, ${SUBDOMAIN_FORM}`, "driver");
  }
  requireSecretName(source, "nodePublishSecretRef", check);
  const secret = asText(asObject(nodePublishSecretRef as JsonObject)["name"]);
  if (secret !== "" && !isDnsSubdomain(secret)) {
    report(check, "invalid", `${SUBDOMAIN_FORM}, not ${quote(secret)}`, "nodePublishSecretRef", "name");
  }
}
