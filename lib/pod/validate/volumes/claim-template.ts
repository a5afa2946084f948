// The claim that an ephemeral volume makes.
// Mirrors core/validation's validateEphemeralVolumeSource and ValidatePersistentVolumeClaimSpec.
import { listOf } from "@outrigger/base";
import type {
  EphemeralVolumeSource,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  ResourceRequirements,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "../../generated/pod-types.ts";
import { DNS_LABEL, DNS_NAME } from "../../names.ts";
import { compareQuantities, quantityText } from "../../quantity/compare-quantities.ts";
import { type Check, invalid, report } from "../check.ts";
import type { FieldRules } from "../fields.ts";
import { fields, filled, needed, object, oneOf, optional, PRESENT, part, required } from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";
import { checkAnnotations, checkLabelSelector, checkLabels } from "../metadata/metadata.ts";

type TemplateMetadata = NonNullable<PersistentVolumeClaimTemplate["metadata"]>;

const ACCESS_MODES: readonly string[] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/** core/validation: ValidateTemplateObjectMeta. */
const checkMetadata = fields<TemplateMetadata>(
  { annotations: checkAnnotations, labels: checkLabels },
  (metadata, check) => {
    for (const key in metadata) {
      const value = metadata[key as keyof TemplateMetadata] as unknown;
      if (key === "labels" || key === "annotations" || !isPresent(value) || value === "" || value === 0) continue;
      report(check, "forbidden", "must not be set: only labels and annotations can be", key);
    }
  },
);

/** core/validation: validateDataSource and validateDataSourceRef. */
const DATA_SOURCE = { name: required(), kind: required(), apiGroup: optional(DNS_NAME) };

const checkClaimSpec = fields<PersistentVolumeClaimSpec>(
  {
    accessModes: [filled("must have at least one mode"), checkAccessModes],
    selector: object(checkLabelSelector),
    resources: needed((check, resources, key) => {
      const storage = (asObject(resources) as ResourceRequirements).requests?.["storage"];
      const path = [key, "requests", "storage"];
      if (storage === undefined) report(check, "required", "is required", ...path);
      else if (compareQuantities(quantityText(storage), "0") <= 0) {
        invalid(check, "must be more than 0", ...path);
      }
    }),
    storageClassName: optional(DNS_NAME),
    volumeAttributesClassName: optional(DNS_NAME),
    volumeMode: oneOf("Block", "Filesystem"),
    dataSource: object(DATA_SOURCE, checkKind),
    dataSourceRef: object({ ...DATA_SOURCE, namespace: optional(DNS_LABEL) }, checkKind),
  },
  ({ dataSource, dataSourceRef }, check) => {
    if (!isPresent(dataSource) || !isPresent(dataSourceRef)) return;
    if (asText(dataSourceRef.namespace) !== "") {
      invalid(check, "must not be set when dataSourceRef.namespace is", "dataSource");
    } else if (!isSameSource(dataSource, dataSourceRef)) {
      invalid(check, "must match dataSourceRef", "dataSource");
    }
  },
);

function checkAccessModes(check: Check, modes: readonly string[] | undefined, key: string): void {
  for (const [at, mode] of listOf(modes).entries()) {
    if (ACCESS_MODES.includes(mode)) continue;
    report(check, "not-supported", `must be one of ${ACCESS_MODES.join(", ")}`, key, at);
  }
  const known = listOf(modes).filter((mode) => ACCESS_MODES.includes(mode));
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod")) {
    report(check, "forbidden", "must not have other modes with ReadWriteOncePod", key);
  }
}

function checkKind({ apiGroup, kind }: TypedLocalObjectReference, check: Check): void {
  if (asText(apiGroup) !== "" || kind === "PersistentVolumeClaim") return;
  invalid(check, "must be PersistentVolumeClaim where apiGroup is absent", "kind");
}

function isSameSource(source: TypedLocalObjectReference, reference: TypedObjectReference): boolean {
  const isSameGroup = (source.apiGroup ?? undefined) === (reference.apiGroup ?? undefined);
  return isSameGroup && source.kind === reference.kind && source.name === reference.name;
}

export const CLAIM_TEMPLATE: FieldRules<EphemeralVolumeSource, unknown> = {
  volumeClaimTemplate: [PRESENT, object({ metadata: object(checkMetadata), spec: part(checkClaimSpec) })],
};
