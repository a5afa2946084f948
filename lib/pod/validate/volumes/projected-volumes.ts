// Volumes whose files are of the cluster: config maps, secrets, the downward API, tokens, and several of them in one.

import { listOf } from "@outrigger/base";
import type {
  ConfigMapProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ObjectFieldSelector,
  ProjectedVolumeSource,
  ResourceFieldSelector,
  SecretProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../../generated/pod-types.ts";
import { isLocalPath, isQualifiedName, LOCAL_PATH, QUALIFIED_FORM } from "../../names.ts";
import { canonicalQuantity, compareQuantities, isQuantity, quantityText } from "../../quantity/quantity.ts";
import {
  asObject,
  asText,
  type Check,
  checkField,
  checkItems,
  checkRange,
  isPresent,
  quote,
  report,
  requireText,
} from "../check.ts";

const MAX_MODE = 0o777;
const TEN_MINUTES = 600;
const MAX_EXPIRATION = 2 ** 32;

/**
 * clusterTrustBundle and podCertificate are behind feature gates, without which they are dropped: they are judged where
 * the gates are on, by the API server.
 */
const SOURCES = ["secret", "configMap", "downwardAPI", "serviceAccountToken"] as const;

interface ConfigVolume {
  readonly name?: string | undefined;
  readonly secretName?: string | undefined;
  readonly defaultMode?: number | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
}

/** core/validation: validateConfigMapVolumeSource and validateSecretVolumeSource. */
export function checkConfigVolume(source: ConfigVolume, check: Check, nameKey: "name" | "secretName"): void {
  requireText(check, source[nameKey], nameKey);
  checkMode(source.defaultMode, "defaultMode", check);
  checkItems(check, "items", source.items, undefined, checkKeyToPath, undefined);
}

/** core/validation: validateKeyToPath. */
function checkKeyToPath({ key, path, mode }: KeyToPath, check: Check): void {
  requireText(check, key, "key");
  if (requireText(check, path, "path") && !isLocalPath(path)) report(check, "invalid", LOCAL_PATH, "path");
  checkMode(mode, "mode", check);
}

function checkMode(mode: unknown, key: string, check: Check): void {
  if (typeof mode !== "number" || (mode >= 0 && mode <= MAX_MODE)) return;
  report(check, "invalid", "must be between 0 and 0777 (octal), which is 511", key);
}

/** core/validation: validateDownwardAPIVolumeSource. */
export function checkDownwardVolume({ defaultMode, items }: DownwardAPIVolumeSource, check: Check): void {
  checkMode(defaultMode, "defaultMode", check);
  checkItems(check, "items", items, undefined, checkDownwardFile, undefined);
}

/** core/validation: validateDownwardAPIVolumeFile. */
function checkDownwardFile(file: DownwardAPIVolumeFile, check: Check): void {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  if (requireText(check, path, "path") && !isLocalPath(path)) report(check, "invalid", LOCAL_PATH, "path");
  if (isPresent(fieldRef)) {
    checkField(check, "fieldRef", fieldRef, checkVolumeFieldRef, undefined);
    if (isPresent(resourceFieldRef)) report(check, "invalid", "must not be set when fieldRef is", "resourceFieldRef");
  } else if (isPresent(resourceFieldRef)) {
    checkField(check, "resourceFieldRef", resourceFieldRef, checkVolumeResourceRef, undefined);
  } else report(check, "required", "must have a fieldRef or a resourceFieldRef");
  checkMode(mode, "mode", check);
}

/** core/validation: validateProjectedVolumeSource and validateProjectionSources. */
export function checkProjectedVolume(volume: ProjectedVolumeSource, check: Check): void {
  checkMode(volume.defaultMode, "defaultMode", check);
  checkItems(check, "sources", volume.sources, undefined, checkProjection, undefined);
  checkPaths(listOf(volume.sources), check);
}

function checkProjection(source: VolumeProjection, check: Check): void {
  let first: string | undefined;
  for (const key of SOURCES) {
    if (!isPresent(source[key])) continue;
    if (first !== undefined) report(check, "forbidden", `must not be set, as ${first} is: use an item for each`, key);
    first ??= key;
  }
  checkField(check, "secret", source.secret, checkConfigProjection, undefined);
  checkField(check, "configMap", source.configMap, checkConfigProjection, undefined);
  checkField(check, "downwardAPI", source.downwardAPI, checkDownwardVolume, undefined);
  checkField(check, "serviceAccountToken", source.serviceAccountToken, checkToken, undefined);
}

function checkConfigProjection(source: SecretProjection | ConfigMapProjection, check: Check): void {
  requireText(check, source.name, "name");
  checkItems(check, "items", source.items, undefined, checkKeyToPath, undefined);
}

/**
 * core/validation: validateProjectionSources. That the pod has a service account is not asked: where it names none, the
 * ServiceAccount admission plugin sets one before a pod is validated.
 */
function checkToken(token: ServiceAccountTokenProjection, check: Check): void {
  checkRange(check, token.expirationSeconds, TEN_MINUTES, MAX_EXPIRATION, "expirationSeconds");
  if (requireText(check, token.path, "path") && !isLocalPath(token.path)) report(check, "invalid", LOCAL_PATH, "path");
}

/** The files of all sources share one folder. Tokens are left out, as in the reference. */
function checkPaths(sources: readonly VolumeProjection[], check: Check): void {
  const paths = new Set<string>();
  for (const [at, each] of sources.entries()) {
    const source = asObject(each) as VolumeProjection;
    for (const key of ["secret", "configMap", "downwardAPI"] as const) {
      const items = listOf<KeyToPath | DownwardAPIVolumeFile>(asObject(source[key]).items);
      for (const [index, item] of items.entries()) {
        const path = asText(asObject(item).path);
        if (path !== "" && paths.has(path)) {
          report(
            check,
            "invalid",
            `must be unique: another source has the path ${quote(path)}`,
            "sources",
            at,
            key,
            "items",
            index,
            "path",
          );
        }
        paths.add(path);
      }
    }
  }
}

// The downward API: which fields of a pod, and which resources of its containers, variables and volumes may show.

/** core/validation: validEnvDownwardAPIFieldPathExpressions. `spec.host` is the old name of `spec.nodeName`. */
const ENV_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.host",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** core/validation: validVolumeDownwardAPIFieldPathExpressions. */
const VOLUME_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "metadata.uid",
];

/** core/validation: validContainerResourceFieldPathExpressions. */
const RESOURCES: readonly string[] = [
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
];

const CPU_DIVISORS: readonly string[] = ["1m", "1"];
const BYTE_DIVISORS: readonly string[] = [
  "1",
  "1k",
  "1M",
  "1G",
  "1T",
  "1P",
  "1E",
  "1Ki",
  "1Mi",
  "1Gi",
  "1Ti",
  "1Pi",
  "1Ei",
];

export function checkEnvFieldRef(selector: ObjectFieldSelector, check: Check): void {
  checkFieldRef(selector, ENV_FIELDS, check);
}

function checkVolumeFieldRef(selector: ObjectFieldSelector, check: Check): void {
  checkFieldRef(selector, VOLUME_FIELDS, check);
}

/** core/validation: validateObjectFieldSelector, with pods' ConvertDownwardAPIFieldLabel. */
function checkFieldRef(selector: ObjectFieldSelector, fields: readonly string[], check: Check): void {
  const { apiVersion, fieldPath } = selector;
  if (!requireText(check, fieldPath, "fieldPath")) return;
  if (isPresent(apiVersion) && apiVersion !== "" && apiVersion !== "v1") {
    report(check, "invalid", "must be v1", "apiVersion");
    return;
  }
  if (fields.includes(fieldPath)) return;
  const open = fieldPath.endsWith("']") ? fieldPath.indexOf("['") : -1;
  if (open <= 0) {
    const known = fields.filter((field) => field !== "spec.host");
    const keyed = "metadata.labels['KEY'], metadata.annotations['KEY']";
    report(check, "not-supported", `must be one of ${known.join(", ")}, ${keyed}`, "fieldPath");
    return;
  }
  const [field, key] = [fieldPath.slice(0, open), fieldPath.slice(open + 2, -2)];
  if (field !== "metadata.annotations" && field !== "metadata.labels") {
    report(check, "invalid", "has no keys: only metadata.labels and metadata.annotations do", "fieldPath");
  } else if (!isQualifiedName(field === "metadata.annotations" ? key.toLowerCase() : key)) {
    report(check, "invalid", `its key ${QUALIFIED_FORM}`, "fieldPath");
  }
}

export function checkEnvResourceRef(selector: ResourceFieldSelector, check: Check): void {
  checkResourceRef(selector, check);
}

/** A volume belongs to no container: it must name the one whose resources it shows. */
function checkVolumeResourceRef(selector: ResourceFieldSelector, check: Check): void {
  if (requireText(check, selector.containerName, "containerName")) checkResourceRef(selector, check);
  else checkDivisor(selector, check);
}

/** core/validation: validateContainerResourceFieldSelector. */
function checkResourceRef(selector: ResourceFieldSelector, check: Check): void {
  const { resource } = selector;
  if (requireText(check, resource, "resource") && !RESOURCES.includes(resource) && !isHugePages(resource)) {
    report(check, "not-supported", `must be one of ${RESOURCES.join(", ")}`, "resource");
  }
  checkDivisor(selector, check);
}

function isHugePages(resource: string): boolean {
  return resource.startsWith("limits.hugepages-") || resource.startsWith("requests.hugepages-");
}

/** core/validation: validateContainerResourceDivisor. The divisor is compared by its canonical text: `1000m` is `1`. */
function checkDivisor({ resource, divisor }: ResourceFieldSelector, check: Check): void {
  if (!isPresent(divisor)) return;
  const text = quantityText(divisor);
  const name = asText(resource);
  const isCpu = name === "limits.cpu" || name === "requests.cpu";
  if (!isCpu && !RESOURCES.includes(name) && !isHugePages(name)) return;
  const divisors = isCpu ? CPU_DIVISORS : BYTE_DIVISORS;
  if (divisors.includes(text) || !isQuantity(text) || compareQuantities(text, "0") === 0) return;
  if (divisors.includes(canonicalQuantity(text))) return;
  report(check, "invalid", `must be one of ${divisors.join(", ")}`, "divisor");
}
