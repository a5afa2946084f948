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
  VolumeProjection,
} from "../../generated/pod-types.ts";
import { LOCAL_PATH, QUALIFIED_NAME } from "../../names.ts";
import { canonicalQuantity, compareQuantities, isQuantity, quantityText } from "../../quantity/quantity.ts";
import { asObject, asText, type Check, checkField, isPresent, quote, report } from "../check.ts";
import { checkOnly, type FieldRules, fields, items, object, range, required, requireText } from "../fields.ts";

const MODE = range(0, 0o777, "must be between 0 and 0777 (octal), which is 511");
const TEN_MINUTES = 600;
const MAX_EXPIRATION = 2 ** 32;

/** core/validation: validateKeyToPath. */
const KEYS = items(fields<KeyToPath>({ key: required(), path: required(LOCAL_PATH), mode: MODE }));

/** core/validation: validateConfigMapVolumeSource. */
export const CONFIG_MAP = { name: required(), defaultMode: MODE, items: KEYS };

/** core/validation: validateSecretVolumeSource. */
export const SECRET = { secretName: required(), defaultMode: MODE, items: KEYS };

/** core/validation: validateDownwardAPIVolumeSource and validateDownwardAPIVolumeFile. */
export const DOWNWARD_API: FieldRules<DownwardAPIVolumeSource, unknown> = {
  defaultMode: MODE,
  items: items(
    { path: required(LOCAL_PATH), fieldRef: object(checkVolumeFieldRef), mode: MODE },
    ({ fieldRef, resourceFieldRef }, check) => {
      if (!isPresent(resourceFieldRef)) {
        if (!isPresent(fieldRef)) report(check, "required", "must have a fieldRef or a resourceFieldRef");
      } else if (isPresent(fieldRef)) {
        report(check, "invalid", "must not be set when fieldRef is", "resourceFieldRef");
      } else checkField(check, "resourceFieldRef", resourceFieldRef, checkVolumeResourceRef, undefined);
    },
  ),
};

const checkConfigProjection = fields<ConfigMapProjection>({ name: required(), items: KEYS });

/**
 * clusterTrustBundle and podCertificate are behind feature gates, without which they are dropped: they are judged where
 * the gates are on, by the API server. That the pod has a service account is not asked: where it names none, the
 * ServiceAccount admission plugin sets one before a pod is validated.
 */
const SOURCES = {
  secret: object(checkConfigProjection),
  configMap: object(checkConfigProjection),
  downwardAPI: object(DOWNWARD_API),
  serviceAccountToken: object({
    expirationSeconds: range(TEN_MINUTES, MAX_EXPIRATION),
    path: required(LOCAL_PATH),
  }),
} satisfies FieldRules<VolumeProjection, unknown>;
const SOURCE_NAMES = Object.keys(SOURCES) as (keyof typeof SOURCES)[];

/** core/validation: validateProjectedVolumeSource and validateProjectionSources. */
export const PROJECTED: FieldRules<ProjectedVolumeSource, unknown> = {
  defaultMode: MODE,
  sources: [
    items(SOURCES, (source, check) => {
      checkOnly(check, source, SOURCE_NAMES, (first) => `must not be set, as ${first} is: use an item for each`);
    }),
    (check, sources) => checkPaths(listOf(sources), check),
  ],
};

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
          const message = `must be unique: another source has the path ${quote(path)}`;
          report(check, "invalid", message, "sources", at, key, "items", index, "path");
        }
        paths.add(path);
      }
    }
  }
}

// The downward API: which fields of a pod, and which resources of its containers, variables and volumes may show.

/** core/validation: validEnvDownwardAPIFieldPathExpressions. `spec.host` is the old name of `spec.nodeName`. */
const ENV_FIELDS: readonly string[] = `metadata.name metadata.namespace metadata.uid spec.nodeName spec.host
  spec.serviceAccountName status.hostIP status.hostIPs status.podIP status.podIPs`.split(/\s+/);

/** core/validation: validVolumeDownwardAPIFieldPathExpressions. */
const VOLUME_FIELDS: readonly string[] =
  "metadata.name metadata.namespace metadata.labels metadata.annotations metadata.uid".split(" ");

/** core/validation: validContainerResourceFieldPathExpressions. */
const RESOURCES: readonly string[] = ["limits", "requests"].flatMap((kind) =>
  ["cpu", "memory", "ephemeral-storage"].map((name) => `${kind}.${name}`),
);

const CPU_DIVISORS: readonly string[] = ["1m", "1"];
const BYTE_DIVISORS: readonly string[] = "1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei".split(" ");

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
  } else if (!QUALIFIED_NAME.has(field === "metadata.annotations" ? key.toLowerCase() : key)) {
    report(check, "invalid", `its key ${QUALIFIED_NAME.message}`, "fieldPath");
  }
}

/** A volume belongs to no container: it must name the one whose resources it shows. */
function checkVolumeResourceRef(selector: ResourceFieldSelector, check: Check): void {
  if (requireText(check, selector.containerName, "containerName")) checkResourceRef(selector, check);
  else checkDivisor(selector, check);
}

/** core/validation: validateContainerResourceFieldSelector. */
export function checkResourceRef(selector: ResourceFieldSelector, check: Check): void {
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
