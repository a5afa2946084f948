// An object's metadata: names, labels, annotations, owners and finalizers. Knows no pod.
// Mirrors apimachinery's ValidateObjectMeta.

import { listOf } from "@outrigger/base";
import type {
  LabelSelector,
  LabelSelectorRequirement,
  ManagedFieldsEntry,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  ObjectMeta,
  OwnerReference,
} from "../../generated/pod-types.ts";
import {
  byteLength,
  isDnsLabel,
  isDnsSubdomain,
  isDnsSubdomainPrefix,
  isLabelValue,
  isQualifiedName,
  LABEL_FORM,
  LABEL_VALUE_FORM,
  QUALIFIED_FORM,
  SUBDOMAIN_FORM,
} from "../../names.ts";
import { asText, type Check, checkItems, isFull, isPresent, quote, report } from "../check.ts";

type Texts = Readonly<Record<string, string>>;

/** Keys and values of all annotations together: core/validation, TotalAnnotationSizeLimitB. */
export const MAX_ANNOTATION_BYTES = 256 * 1024;
const MAX_MANAGER_LENGTH = 128;
const MAX_SUBRESOURCE_LENGTH = 256;

/** What a pod's metadata is compared with, and whether a name is required: templates of workloads have none. */
interface MetadataContext {
  readonly before: ObjectMeta;
  readonly isTemplate: boolean;
}

/** apimachinery api/validation: ValidateObjectMetaAccessor. A name is generated before it is validated. */
export function checkMetadata(metadata: ObjectMeta, check: Check, { before, isTemplate }: MetadataContext): void {
  checkNames(metadata, before, isTemplate, check);
  if (metadata.labels !== before.labels) checkLabels(metadata.labels, "labels", before.labels, check);
  if (metadata.annotations !== before.annotations) checkAnnotations(metadata.annotations, before.annotations, check);
  if (metadata.ownerReferences !== before.ownerReferences) checkOwners(metadata, check);
  if (metadata.finalizers !== before.finalizers) checkFinalizers(metadata, check);
  checkItems(check, "managedFields", metadata.managedFields, before.managedFields, checkManagedFields, undefined);
}

function checkNames(metadata: ObjectMeta, before: ObjectMeta, isTemplate: boolean, check: Check): void {
  const { name, generateName, namespace } = metadata;
  if (generateName !== before.generateName && isPresent(generateName) && generateName !== "") {
    if (!isNamePrefix(asText(generateName), !isPresent(name) || name === ""))
      report(check, "invalid", `with five characters after it, ${SUBDOMAIN_FORM}`, "generateName");
  }
  if (!isPresent(name) || name === "") {
    if (!isTemplate && (!isPresent(generateName) || generateName === "")) {
      report(check, "required", "is required, or generateName in its place", "name");
    }
  } else if (name !== before.name && !isDnsSubdomain(asText(name))) report(check, "invalid", SUBDOMAIN_FORM, "name");
  if (namespace === before.namespace || !isPresent(namespace) || namespace === "") return;
  if (!isDnsLabel(asText(namespace))) report(check, "invalid", LABEL_FORM, "namespace");
}

/** Without a name, one is generated: the prefix, cut to 58 characters, and five others (apiserver storage/names). */
function isNamePrefix(prefix: string, isUsed: boolean): boolean {
  return isDnsSubdomainPrefix(prefix) && (!isUsed || isDnsSubdomain(`${prefix.slice(0, 58)}xxxxx`));
}

/** apimachinery meta/v1/validation: ValidateLabels. Also of node selectors and of selectors' matchLabels. */
export function checkLabels(
  labels: Texts | null | undefined,
  key: string,
  before: Texts | null | undefined,
  check: Check,
): void {
  if (!isPresent(labels)) return;
  for (const name in labels) {
    const value = labels[name];
    if (isPresent(before) && value === before[name]) continue;
    if (!isQualifiedName(name)) report(check, "invalid", `its key ${QUALIFIED_FORM}`, key, name);
    if (typeof value === "string" && !isLabelValue(value)) report(check, "invalid", LABEL_VALUE_FORM, key, name);
    if (isFull(check)) return;
  }
}

/** apimachinery api/validation: ValidateAnnotations. Keys count in any case; all together are at most 256 KiB. */
export function checkAnnotations(
  annotations: Texts | null | undefined,
  before: Texts | null | undefined,
  check: Check,
): void {
  if (!isPresent(annotations)) return;
  let length = 0;
  for (const name in annotations) {
    const value = annotations[name];
    length += name.length + (typeof value === "string" ? value.length : 0);
    if (isPresent(before) && value === before[name] && value !== undefined) continue;
    if (isQualifiedName(name) || isQualifiedName(name.toLowerCase())) continue;
    report(check, "invalid", `its key ${QUALIFIED_FORM}`, "annotations", name);
    if (isFull(check)) return;
  }
  // A character is at most three bytes.
  if (length * 3 > MAX_ANNOTATION_BYTES && annotationBytes(annotations) > MAX_ANNOTATION_BYTES) {
    report(check, "too-long", "must be at most 262144 bytes, keys and values together", "annotations");
  }
}

function annotationBytes(annotations: Texts): number {
  let bytes = 0;
  for (const name in annotations) bytes += byteLength(name) + byteLength(asText(annotations[name]));
  return bytes;
}

/** apimachinery api/validation: ValidateOwnerReferences. */
function checkOwners({ ownerReferences }: ObjectMeta, check: Check): void {
  checkItems(check, "ownerReferences", ownerReferences, undefined, checkOwner, undefined);
  const controllers = listOf(ownerReferences).filter((owner) => owner?.controller === true);
  if (controllers.length > 1) report(check, "invalid", "must name at most one controller", "ownerReferences");
}

function checkOwner(owner: OwnerReference, check: Check): void {
  const version = asText(owner.apiVersion);
  const hasVersion = version !== "" && version !== "/" && !version.endsWith("/") && version.split("/").length <= 2;
  if (!hasVersion) report(check, "invalid", "must have a version, like apps/v1", "apiVersion");
  if (asText(owner.kind) === "") report(check, "invalid", "must not be empty", "kind");
  if (asText(owner.name) === "") report(check, "invalid", "must not be empty", "name");
  if (asText(owner.uid) === "") report(check, "invalid", "must not be empty", "uid");
  if (version === "v1" && owner.kind === "Event") report(check, "invalid", "must not be an Event", "kind");
}

const STANDARD_FINALIZERS: readonly string[] = ["kubernetes", "orphan", "foregroundDeletion"];

/** apimachinery api/validation: ValidateFinalizers, and core/validation: validateKubeFinalizerName. */
function checkFinalizers({ finalizers }: ObjectMeta, check: Check): void {
  const names = listOf(finalizers);
  for (const [at, name] of names.entries()) {
    if (!isQualifiedName(asText(name))) report(check, "invalid", QUALIFIED_FORM, "finalizers", at);
    else if (!name.includes("/") && !STANDARD_FINALIZERS.includes(name)) {
      report(check, "invalid", "must have a domain, like example.com/finalizer", "finalizers", at);
    }
  }
  if (names.includes("orphan") && names.includes("foregroundDeletion")) {
    report(check, "invalid", `must not have both ${quote("orphan")} and ${quote("foregroundDeletion")}`, "finalizers");
  }
}

/** apimachinery meta/v1/validation: ValidateManagedFields. */
function checkManagedFields(entry: ManagedFieldsEntry, check: Check): void {
  const { operation, fieldsType } = entry;
  if (operation !== "Apply" && operation !== "Update") report(check, "invalid", "must be Apply or Update", "operation");
  if (isPresent(fieldsType) && fieldsType !== "" && fieldsType !== "FieldsV1") {
    report(check, "invalid", "must be FieldsV1", "fieldsType");
  }
  if (asText(entry.manager).length > MAX_MANAGER_LENGTH)
    report(check, "too-long", "must be at most 128 characters", "manager");
  if (asText(entry.subresource).length > MAX_SUBRESOURCE_LENGTH) {
    report(check, "too-long", "must be at most 256 characters", "subresource");
  }
}

/** apimachinery meta/v1/validation: ValidateLabelSelector. */
export function checkLabelSelector(selector: LabelSelector, check: Check): void {
  checkLabels(selector.matchLabels, "matchLabels", undefined, check);
  checkItems(check, "matchExpressions", selector.matchExpressions, undefined, checkRequirement, undefined);
}

/** apimachinery meta/v1/validation: ValidateLabelSelectorRequirement. */
function checkRequirement({ key, operator, values }: LabelSelectorRequirement, check: Check): void {
  if (!checkSetOperator(operator, listOf(values), check)) {
    report(check, "invalid", "must be one of In, NotIn, Exists, DoesNotExist", "operator");
  }
  checkKey(key, check);
  checkValues(listOf(values), check);
}

/** False for another operator than the four that compare with a set of values. */
function checkSetOperator(operator: unknown, values: readonly string[], check: Check): boolean {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) report(check, "required", `is required with operator ${operator}`, "values");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) report(check, "forbidden", `must not be set with operator ${operator}`, "values");
  } else return false;
  return true;
}

function checkKey(key: unknown, check: Check): void {
  if (!isQualifiedName(asText(key))) report(check, "invalid", QUALIFIED_FORM, "key");
}

function checkValues(values: readonly string[], check: Check): void {
  for (let at = 0; at < values.length; at++) {
    if (!isLabelValue(asText(values[at]))) report(check, "invalid", LABEL_VALUE_FORM, "values", at);
  }
}

/** core/validation: ValidateNodeSelectorTerm. Where a term only prefers nodes, its values may have any form. */
export function checkNodeSelectorTerm(term: NodeSelectorTerm, check: Check, isPreferred: boolean): void {
  checkItems(check, "matchExpressions", term.matchExpressions, undefined, checkNodeRequirement, isPreferred);
  checkItems(check, "matchFields", term.matchFields, undefined, checkNodeField, undefined);
}

/** core/validation: ValidateNodeSelectorRequirement. */
function checkNodeRequirement(requirement: NodeSelectorRequirement, check: Check, isPreferred: boolean): void {
  const { key, operator } = requirement;
  const values = listOf(requirement.values);
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) report(check, "required", `must be one value with operator ${operator}`, "values");
  } else if (!checkSetOperator(operator, values, check)) {
    report(check, "invalid", "must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt", "operator");
  }
  checkKey(key, check);
  if (!isPreferred) checkValues(values, check);
}

/** core/validation: ValidateNodeFieldSelectorRequirement. */
function checkNodeField({ key, operator, values }: NodeSelectorRequirement, check: Check): void {
  const names = listOf(values);
  if (operator !== "In" && operator !== "NotIn") report(check, "invalid", "must be In or NotIn", "operator");
  else if (names.length !== 1) report(check, "required", "must be one value", "values");
  if (key !== "metadata.name") report(check, "invalid", "must be metadata.name", "key");
  else if (!names.every((name) => isDnsSubdomain(asText(name)))) report(check, "invalid", SUBDOMAIN_FORM, "values");
}
