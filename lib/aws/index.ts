// The face of @outrigger/aws: what other packages and other people may use. Everything else is internal.

// AWS itself
export { awsFailure } from "./aws-errors.ts";
export { namedBucket } from "./bucket/named-bucket.ts";
// these calls, in our own words
export type { ListedObject, ObjectReader, ObjectStore, ObjectWrite, StoredObject } from "./bucket/object-store.ts";
// who answers the calls of Parameter Store and of the bucket
export { signedObjectStore } from "./bucket/signed-object-store.ts";
export { httpCall } from "./http-call.ts";
export { policyFor, policyKinds, splitPolicy } from "./iam/people-policies.ts";
export { stackNames } from "./iam/stack-names.ts";
export type { CallOptions, OutsideCall } from "./outside-call.ts";
export { keepTier } from "./parameter-store/keep-tier.ts";
export {
  deleteAll,
  isCreated,
  MAX_NAMES,
  type Parameter,
  type ParameterReader,
  type ParameterStore,
  type ParametersByName,
  type ParameterWrite,
  readAll,
  type Tier,
} from "./parameter-store/parameter-store.ts";
export { signedParameterReader } from "./parameter-store/signed-parameter-reader.ts";
export { publishedPrefixes, ssmParameterStore } from "./parameter-store/ssm-parameter-store.ts";
export { storeError } from "./parameter-store/store-error.ts";
export { regionOf } from "./region.ts";
export { signedEventBus } from "./signed/event-bus.ts";
export { exchangeOnce } from "./signed/exchange-once.ts";
export { partitionOf } from "./signed/service-endpoint.ts";
export { traceIdOf } from "./signed/signed-call.ts";
export { signedStackStatus } from "./signed/stack-status.ts";
export { type Layout, layoutOf, MAX_PARTS } from "./values/parameter-layout.ts";
export {
  compressedLength,
  fitsParameter,
  MAX_OBJECT,
  MAX_VALUE,
  type Packed,
  packParts,
  packText,
  partsOf,
  unpackParts,
  unpackText,
} from "./values/parts.ts";
// what is stored: names, large values, small records
export { readRecord, recordText } from "./values/record-text.ts";
