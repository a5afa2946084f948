// The downward API: which fields of a pod, and which resources of its containers, variables and volumes may show.

import type { ObjectFieldSelector, ResourceFieldSelector } from "../../generated/pod-types.ts";
import { QUALIFIED_NAME } from "../../names.ts";
import { compareQuantities, quantityText } from "../../quantity/compare-quantities.ts";
import { canonicalQuantity, isQuantity } from "../../quantity/quantity.ts";
import { type Check, invalid, report } from "../check.ts";
import { requireText } from "../fields.ts";
import { asText, isPresent } from "../go-values.ts";

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

export function checkVolumeFieldRef(selector: ObjectFieldSelector, check: Check): void {
  checkFieldRef(selector, VOLUME_FIELDS, check);
}

/** core/validation: validateObjectFieldSelector, with pods' ConvertDownwardAPIFieldLabel. */
function checkFieldRef(selector: ObjectFieldSelector, fields: readonly string[], check: Check): void {
  const { apiVersion, fieldPath } = selector;
  if (!requireText(check, fieldPath, "fieldPath")) return;
  if (isPresent(apiVersion) && apiVersion !== "" && apiVersion !== "v1") {
    invalid(check, "must be v1", "apiVersion");
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
    invalid(check, "has no keys: only metadata.labels and metadata.annotations do", "fieldPath");
  } else if (!QUALIFIED_NAME.has(field === "metadata.annotations" ? key.toLowerCase() : key)) {
    invalid(check, `its key ${QUALIFIED_NAME.message}`, "fieldPath");
  }
}

/** A volume belongs to no container: it must name the one whose resources it shows. */
export function checkVolumeResourceRef(selector: ResourceFieldSelector, check: Check): void {
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
  invalid(check, `must be one of ${divisors.join(", ")}`, "divisor");
}
