// An object's metadata: names, labels, annotations, owners and finalizers. Knows no pod.
// Mirrors apimachinery's ValidateObjectMeta.
import { listOf } from "@outrigger/base";
import type {
  LabelSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  ObjectMeta,
  OwnerReference,
} from "../../generated/pod-types.ts";
import { byteLength, DNS_LABEL, DNS_NAME, DNS_NAME_PREFIX, LABEL_VALUE, QUALIFIED_NAME } from "../../names.ts";
import { type Check, invalid, isFull, quote, report } from "../check.ts";
import { always, atMost, checkForm, each, type FieldRule, fields, items, optional } from "../fields.ts";
import { asText, isPresent } from "../go-values.ts";

type Texts = Readonly<Record<string, string>>;

/** Keys and values of all annotations together: core/validation, TotalAnnotationSizeLimitB. */
export const MAX_ANNOTATION_BYTES = 256 * 1024;

const FILLED = { has: (text: string) => text !== "", message: "must not be empty" };

/** apimachinery api/validation: ValidateOwnerReferences. */
const checkOwner = fields<OwnerReference>(
  {
    apiVersion: always({
      has: (text) => text !== "" && text !== "/" && !text.endsWith("/") && text.split("/").length <= 2,
      message: "must have a version, like apps/v1",
    }),
    kind: always(FILLED),
    name: always(FILLED),
    uid: always(FILLED),
  },
  ({ apiVersion, kind }, check) => {
    if (apiVersion === "v1" && kind === "Event") invalid(check, "must not be an Event", "kind");
  },
);

const STANDARD_FINALIZERS: readonly string[] = ["kubernetes", "orphan", "foregroundDeletion"];

/** apimachinery meta/v1/validation: ValidateLabels. Also of node selectors and of selectors' matchLabels. */
export const checkLabels: FieldRule<Texts> = (check, labels, key, _, before) => {
  for (const name in labels) {
    const value = labels[name];
    if (isPresent(before) && value === before[name]) continue;
    if (!QUALIFIED_NAME.has(name)) invalid(check, `its key ${QUALIFIED_NAME.message}`, key, name);
    if (typeof value === "string" && !LABEL_VALUE.has(value)) invalid(check, LABEL_VALUE.message, key, name);
    if (isFull(check)) return;
  }
};

/** apimachinery api/validation: ValidateAnnotations. Keys count in any case; all together are at most 256 KiB. */
export const checkAnnotations: FieldRule<Texts> = (check, annotations, key, _, before) => {
  let length = 0;
  for (const name in annotations) {
    const value = annotations[name];
    length += name.length + (typeof value === "string" ? value.length : 0);
    if (isPresent(before) && value === before[name] && value !== undefined) continue;
    if (QUALIFIED_NAME.has(name) || QUALIFIED_NAME.has(name.toLowerCase())) continue;
    invalid(check, `its key ${QUALIFIED_NAME.message}`, key, name);
    if (isFull(check)) return;
  }
  // A character is at most three bytes.
  if (length * 3 > MAX_ANNOTATION_BYTES && annotationBytes(annotations) > MAX_ANNOTATION_BYTES) {
    report(check, "too-long", "must be at most 262144 bytes, keys and values together", key);
  }
};

/** apimachinery api/validation: ValidateObjectMetaAccessor. */
const checkFields = fields<ObjectMeta>({
  namespace: optional(DNS_LABEL),
  labels: checkLabels,
  annotations: checkAnnotations,
  ownerReferences: [
    items(checkOwner),
    (check, owners, key) => {
      if (listOf(owners).filter((owner) => owner?.controller === true).length <= 1) return;
      invalid(check, "must name at most one controller", key);
    },
  ],
  /** apimachinery api/validation: ValidateFinalizers, and core/validation: validateKubeFinalizerName. */
  finalizers: (check, finalizers, key) => {
    const names = listOf(finalizers);
    for (const [at, name] of names.entries()) {
      if (!QUALIFIED_NAME.has(asText(name))) invalid(check, QUALIFIED_NAME.message, key, at);
      else if (!name.includes("/") && !STANDARD_FINALIZERS.includes(name)) {
        invalid(check, "must have a domain, like example.com/finalizer", key, at);
      }
    }
    if (names.includes("orphan") && names.includes("foregroundDeletion")) {
      invalid(check, `must not have both ${quote("orphan")} and ${quote("foregroundDeletion")}`, key);
    }
  },
  /** apimachinery meta/v1/validation: ValidateManagedFields. */
  managedFields: items({
    operation: always({ has: (text) => text === "Apply" || text === "Update", message: "must be Apply or Update" }),
    fieldsType: optional({ has: (text) => text === "FieldsV1", message: "must be FieldsV1" }),
    manager: atMost(128),
    subresource: atMost(256),
  }),
});

/**
 * Checks a pod's metadata. A name is generated before it is validated.
 *
 * @param isTemplate whether no name is required: templates of workloads have none
 */
export function checkMetadata(metadata: ObjectMeta, check: Check, before: ObjectMeta, isTemplate: boolean): void {
  const [name, generateName] = [asText(metadata.name), asText(metadata.generateName)];
  if (generateName !== "" && generateName !== before.generateName && !isNamePrefix(generateName, name === "")) {
    invalid(check, `with five characters after it, ${DNS_NAME.message}`, "generateName");
  }
  if (name !== "") {
    if (name !== before.name) checkForm(check, name, DNS_NAME, "name");
  } else if (!isTemplate && generateName === "") {
    report(check, "required", "is required, or generateName in its place", "name");
  }
  checkFields(metadata, check, undefined, before);
}

/**
 * Whether a text can be the prefix of a name. Without a name, one is generated: the prefix, cut to 58 characters, and
 * five others (apiserver storage/names).
 */
function isNamePrefix(prefix: string, isUsed: boolean): boolean {
  return DNS_NAME_PREFIX.has(prefix) && (!isUsed || DNS_NAME.has(`${prefix.slice(0, 58)}xxxxx`));
}

function annotationBytes(annotations: Texts): number {
  let bytes = 0;
  for (const name in annotations) bytes += byteLength(name) + byteLength(asText(annotations[name]));
  return bytes;
}

/** apimachinery meta/v1/validation: ValidateLabelSelector. */
export const checkLabelSelector = fields<LabelSelector>({
  matchLabels: checkLabels,
  matchExpressions: items({ key: always(QUALIFIED_NAME), values: each(LABEL_VALUE) }, ({ operator, values }, check) => {
    if (checkSetOperator(operator, listOf(values), check)) return;
    invalid(check, "must be one of In, NotIn, Exists, DoesNotExist", "operator");
  }),
});

/** Checks an operator that compares with a set of values. Returns false for another operator than these four. */
function checkSetOperator(operator: unknown, values: readonly string[], check: Check): boolean {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) report(check, "required", `is required with operator ${operator}`, "values");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) report(check, "forbidden", `must not be set with operator ${operator}`, "values");
  } else return false;
  return true;
}

/** core/validation: ValidateNodeSelectorTerm. Where a term only prefers nodes, its values may have any form. */
export function nodeSelectorTerm(isPreferred: boolean) {
  const values = each(LABEL_VALUE);
  return fields<NodeSelectorTerm>({
    matchExpressions: items({ key: always(QUALIFIED_NAME), ...(isPreferred ? {} : { values }) }, checkNodeOperator),
    matchFields: items(checkNodeField),
  });
}

/** core/validation: ValidateNodeSelectorRequirement. */
function checkNodeOperator(requirement: NodeSelectorRequirement, check: Check): void {
  const { operator } = requirement;
  const values = listOf(requirement.values);
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) report(check, "required", `must be one value with operator ${operator}`, "values");
  } else if (!checkSetOperator(operator, values, check)) {
    invalid(check, "must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt", "operator");
  }
}

/** core/validation: ValidateNodeFieldSelectorRequirement. */
function checkNodeField({ key, operator, values }: NodeSelectorRequirement, check: Check): void {
  const names = listOf(values);
  if (operator !== "In" && operator !== "NotIn") invalid(check, "must be In or NotIn", "operator");
  else if (names.length !== 1) report(check, "required", "must be one value", "values");
  if (key !== "metadata.name") invalid(check, "must be metadata.name", "key");
  else if (!names.every((name) => DNS_NAME.has(asText(name)))) invalid(check, DNS_NAME.message, "values");
}
