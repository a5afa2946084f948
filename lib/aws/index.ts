// The face of @outrigger/aws: what other packages and other people may use. Everything else is internal.

// AWS itself
export { awsError } from "./aws-errors.ts";
// Parameter Store and the release bucket, as calls in our own words
export type { ObjectPlace, ObjectStore } from "./bucket/object-store.ts";
// who answers these calls
export { signedObjectStore } from "./bucket/signed-object-store.ts";
export { policyFor, policyKinds } from "./iam/people-policies.ts";
export { splitPolicy } from "./iam/split-policy.ts";
export { stackNames } from "./iam/stack-names.ts";
export type { CallOptions } from "./parameter-store/call-options.ts";
export { deleteAll } from "./parameter-store/delete-all.ts";
export { keepTier } from "./parameter-store/keep-tier.ts";
export {
  MAX_NAMES,
  type Parameter,
  type ParameterReader,
  type ParameterStore,
  type ParametersByName,
  type Tier,
} from "./parameter-store/parameter-store.ts";
export { readAll } from "./parameter-store/read-all.ts";
export { signedParameterReader } from "./parameter-store/signed-parameter-reader.ts";
export { ssmParameterStore } from "./parameter-store/ssm-parameter-store.ts";
export { storeError } from "./parameter-store/store-error.ts";
export { partitionOf } from "./region/partition.ts";
export { regionOf } from "./region/region.ts";
export { exchangeOnce } from "./signed/exchange-once.ts";
export { signedStackStatus } from "./signed/stack-status.ts";
export { traceIdOf } from "./signed/trace-id.ts";
// what is stored: names, large values, small records
export { type Layout, layoutOf, MAX_PARTS } from "./values/parameter-layout.ts";
export {
  capacityOf,
  compressedLength,
  MAX_VALUE,
  type Packed,
  packParts,
  parseReference,
  usedBy,
} from "./values/parts.ts";
export { fitsParameter, readRecord, recordText } from "./values/record-text.ts";
export { unpackWhole } from "./values/whole-value.ts";
