// The claim that an ephemeral volume makes.
// Mirrors core/validation's validateEphemeralVolumeSource and ValidatePersistentVolumeClaimSpec.

import { listOf } from "@outrigger/base";
import type {
  EphemeralVolumeSource,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "../../generated/pod-types.ts";
import { isDnsLabel, isDnsSubdomain, LABEL_FORM, SUBDOMAIN_FORM } from "../../names.ts";
import { compareQuantities, quantityText } from "../../quantity/quantity.ts";
import { asObject, asText, type Check, checkField, checkOneOf, isPresent, report, requireText } from "../check.ts";
import { checkAnnotations, checkLabelSelector, checkLabels } from "../metadata/metadata.ts";

const ACCESS_MODES: readonly string[] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];

export function checkClaimTemplate({ volumeClaimTemplate }: EphemeralVolumeSource, check: Check): void {
  if (!isPresent(volumeClaimTemplate)) report(check, "required", "is required", "volumeClaimTemplate");
  checkField(check, "volumeClaimTemplate", volumeClaimTemplate, checkTemplate, undefined);
}

function checkTemplate({ metadata, spec }: PersistentVolumeClaimTemplate, check: Check): void {
  checkField(check, "metadata", metadata, checkTemplateMetadata, undefined);
  check.steps.push("spec");
  checkClaimSpec(asObject(spec), check);
  check.steps.pop();
}

/** core/validation: ValidateTemplateObjectMeta. */
function checkTemplateMetadata(metadata: NonNullable<PersistentVolumeClaimTemplate["metadata"]>, check: Check): void {
  checkAnnotations(metadata.annotations, undefined, check);
  checkLabels(metadata.labels, "labels", undefined, check);
  for (const key in metadata) {
    const value = metadata[key as keyof typeof metadata] as unknown;
    if (key === "labels" || key === "annotations" || !isPresent(value) || value === "" || value === 0) continue;
    report(check, "forbidden", "must not be set: only labels and annotations can be", key);
  }
}

/** core/validation: ValidatePersistentVolumeClaimSpec. */
function checkClaimSpec(spec: PersistentVolumeClaimSpec, check: Check): void {
  checkAccessModes(listOf(spec.accessModes), check);
  checkField(check, "selector", spec.selector, checkLabelSelector, undefined);
  const storage = asObject(spec.resources).requests?.["storage"];
  if (storage === undefined) report(check, "required", "is required", "resources", "requests", "storage");
  else if (compareQuantities(quantityText(storage), "0") <= 0) {
    report(check, "invalid", "must be more than 0", "resources", "requests", "storage");
  }
  for (const key of ["storageClassName", "volumeAttributesClassName"] as const) {
    const name = asText(spec[key]);
    if (name !== "" && !isDnsSubdomain(name)) report(check, "invalid", SUBDOMAIN_FORM, key);
  }
  checkOneOf(check, spec.volumeMode, VOLUME_MODES, "volumeMode");
  checkDataSources(spec, check);
}

function checkAccessModes(modes: readonly string[], check: Check): void {
  if (modes.length === 0) report(check, "required", "must have at least one mode", "accessModes");
  for (const [at, mode] of modes.entries()) {
    if (ACCESS_MODES.includes(mode)) continue;
    report(check, "not-supported", `must be one of ${ACCESS_MODES.join(", ")}`, "accessModes", at);
  }
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod")) {
    report(check, "forbidden", "must not have other modes with ReadWriteOncePod", "accessModes");
  }
}

function checkDataSources({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, check: Check): void {
  checkField(check, "dataSource", dataSource, checkDataSource, undefined);
  checkField(check, "dataSourceRef", dataSourceRef, checkDataSource, undefined);
  if (!isPresent(dataSource) || !isPresent(dataSourceRef)) return;
  if (asText(dataSourceRef.namespace) !== "") {
    report(check, "invalid", "must not be set when dataSourceRef.namespace is", "dataSource");
  } else if (!isSameSource(dataSource, dataSourceRef))
    report(check, "invalid", "must match dataSourceRef", "dataSource");
}

function isSameSource(source: TypedLocalObjectReference, reference: TypedObjectReference): boolean {
  const isSameGroup = (source.apiGroup ?? undefined) === (reference.apiGroup ?? undefined);
  return isSameGroup && source.kind === reference.kind && source.name === reference.name;
}

/** core/validation: validateDataSource and validateDataSourceRef. */
function checkDataSource(source: TypedLocalObjectReference | TypedObjectReference, check: Check): void {
  const { apiGroup, kind, name } = source;
  requireText(check, name, "name");
  requireText(check, kind, "kind");
  const group = asText(apiGroup);
  if (group === "" && kind !== "PersistentVolumeClaim") {
    report(check, "invalid", "must be PersistentVolumeClaim where apiGroup is absent", "kind");
  }
  if (group !== "" && !isDnsSubdomain(group)) report(check, "invalid", SUBDOMAIN_FORM, "apiGroup");
  const namespace = "namespace" in source ? asText(source.namespace) : "";
  if (namespace !== "" && !isDnsLabel(namespace)) report(check, "invalid", LABEL_FORM, "namespace");
}
