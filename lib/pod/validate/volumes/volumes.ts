// A pod's volumes: one source each, and what each kind of source requires.
// Mirrors core/validation's ValidateVolumes and validateVolumeSource.

import { isObject, type JsonObject, listOf } from "@outrigger/base";
import type { ObjectMeta, Volume } from "../../generated/pod-types.ts";
import { hasBackstep, isDnsLabel, isDnsSubdomain, LABEL_FORM, NO_BACKSTEPS, SUBDOMAIN_FORM } from "../../names.ts";
import { isNegativeQuantity, quantityText } from "../../quantity/quantity.ts";
import {
  asObject,
  asText,
  type Check,
  checkField,
  checkItems,
  checkOneOf,
  checkUnique,
  isPresent,
  quote,
  report,
  requireText,
} from "../check.ts";
import { checkClaimTemplate } from "./claim-template.ts";
import { checkConfigVolume, checkDownwardVolume, checkProjectedVolume } from "./projected-volumes.ts";
import { SOURCE_RULES } from "./volume-sources.ts";

const HOST_PATH_TYPES: readonly string[] = [
  "",
  "DirectoryOrCreate",
  "Directory",
  "FileOrCreate",
  "File",
  "Socket",
  "CharDevice",
  "BlockDevice",
];
const PULL_POLICIES: readonly string[] = ["Always", "IfNotPresent", "Never", ""];

const CHECKED_HERE: ReadonlySet<string> = new Set([
  "emptyDir",
  "configMap",
  "secret",
  "projected",
  "downwardAPI",
  "hostPath",
  "image",
  "ephemeral",
]);

/** @param metadata the pod's name gives the names of the claims that ephemeral volumes make */
export function checkVolumes(
  volumes: readonly Volume[] | undefined,
  before: readonly Volume[] | undefined,
  check: Check,
  metadata: ObjectMeta,
): void {
  checkItems(check, "volumes", volumes, before, checkVolume, undefined);
  if (volumes === before) return;
  checkUnique(
    check,
    "volumes",
    volumes,
    ({ name }) => asText(name),
    (name) => `must be unique: another volume is named ${quote(name)}`,
    "name",
  );
  checkOwnClaims(listOf(volumes), metadata, check);
}

function checkVolume(volume: Volume, check: Check): void {
  if (requireText(check, volume.name, "name") && !isDnsLabel(volume.name)) report(check, "invalid", LABEL_FORM, "name");
  let first: string | undefined;
  for (const key in volume) {
    if (key === "name") continue;
    const source = (volume as JsonObject)[key];
    // A kind of volume that is newer than these rules is not judged.
    if (!isObject(source) || !(CHECKED_HERE.has(key) || Object.hasOwn(SOURCE_RULES, key))) continue;
    if (first !== undefined)
      report(check, "forbidden", `must not be set, as ${first} is: a volume has one source`, key);
    first ??= key;
    checkSource(key, source, volume, check);
  }
}

function checkSource(key: string, source: JsonObject, volume: Volume, check: Check): void {
  switch (key) {
    case "emptyDir":
      checkField(check, key, volume.emptyDir, checkEmptyDir, undefined);
      break;
    case "configMap":
      checkField(check, key, volume.configMap, checkConfigVolume, "name");
      break;
    case "secret":
      checkField(check, key, volume.secret, checkConfigVolume, "secretName");
      break;
    case "projected":
      checkField(check, key, volume.projected, checkProjectedVolume, undefined);
      break;
    case "downwardAPI":
      checkField(check, key, volume.downwardAPI, checkDownwardVolume, undefined);
      break;
    case "hostPath":
      checkField(check, key, volume.hostPath, checkHostPath, undefined);
      break;
    case "image":
      checkField(check, key, volume.image, checkImage, undefined);
      break;
    case "ephemeral":
      checkField(check, key, volume.ephemeral, checkClaimTemplate, undefined);
      break;
    default:
      checkField(check, key, source, SOURCE_RULES[key] as NonNullable<(typeof SOURCE_RULES)[string]>, volume);
  }
}

/** core/validation: validateVolumeSource, of emptyDir. */
function checkEmptyDir(source: NonNullable<Volume["emptyDir"]>, check: Check): void {
  if (isPresent(source.sizeLimit) && isNegativeQuantity(quantityText(source.sizeLimit))) {
    report(check, "forbidden", "must be 0 or more", "sizeLimit");
  }
}

/** core/validation: validateHostPathVolumeSource. */
function checkHostPath(source: NonNullable<Volume["hostPath"]>, check: Check): void {
  if (!requireText(check, source.path, "path")) return;
  if (hasBackstep(source.path)) report(check, "invalid", NO_BACKSTEPS, "path");
  checkOneOf(check, source.type, HOST_PATH_TYPES, "type");
}

/** core/validation: validateImageVolumeSource. */
function checkImage(source: NonNullable<Volume["image"]>, check: Check): void {
  requireText(check, source.reference, "reference");
  checkOneOf(check, source.pullPolicy, PULL_POLICIES, "pullPolicy");
}

/**
 * core/validation: ValidateVolumes and validateVolumeSource. The claim of an ephemeral volume is named for the pod and the
 * volume. Another volume must not use it.
 */
function checkOwnClaims(volumes: readonly Volume[], { name }: ObjectMeta, check: Check): void {
  if (asText(name) === "" || !volumes.some((volume) => isPresent(asObject(volume).ephemeral))) return;
  const made = new Set<string>();
  for (const [at, each] of volumes.entries()) {
    const volume = asObject(each);
    if (!isPresent(volume.ephemeral)) continue;
    const claim = `${asText(name)}-${asText(volume.name)}`;
    made.add(claim);
    if (asText(volume.name) === "" || isDnsSubdomain(claim)) continue;
    report(check, "invalid", `with the pod's name before it, ${SUBDOMAIN_FORM}`, "volumes", at, "name");
  }
  for (const [at, each] of volumes.entries()) {
    if (!made.has(asText(asObject(asObject(each).persistentVolumeClaim).claimName))) continue;
    const message = "must not be the claim of an ephemeral volume of this pod";
    report(check, "invalid", message, "volumes", at, "persistentVolumeClaim", "claimName");
  }
}
