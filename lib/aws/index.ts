// The face of @outrigger/aws: what other packages and other people may use. Everything else is internal.
export { awsError } from "./aws-errors.ts";
export type { ListedObject, ObjectPlace, ObjectStore } from "./bucket/object-store.ts";
export { signedObjectStore } from "./bucket/signed-object-store.ts";
export {
  type CloudFormationRequest,
  type CloudFormationResponse,
  isCloudFormation,
  respond,
} from "./cloudformation-response.ts";
export { DEPLOYER_NEEDS } from "./iam/deployer-policy.ts";
export { clusterRolePolicy, type PolicyKind, policyFor, policyKinds } from "./iam/people-policies.ts";
export { keepTier } from "./parameter-store/keep-tier.ts";
export { pacedStore } from "./parameter-store/paced-store.ts";
export {
  type CallOptions,
  MAX_NAMES,
  type Parameter,
  type ParameterReader,
  type ParameterStore,
  type ParametersByName,
  type ParameterWrite,
  type Tier,
} from "./parameter-store/parameter-store.ts";
export { readAll } from "./parameter-store/read-all.ts";
export { signedParameterReader } from "./parameter-store/signed-parameter-reader.ts";
export { ssmParameterReader } from "./parameter-store/ssm-parameter-reader.ts";
export { ssmParameterStore } from "./parameter-store/ssm-parameter-store.ts";
export { storeError } from "./parameter-store/store-error.ts";
export { type TakeOffLabels, unlabelledStore } from "./parameter-store/unlabelled-store.ts";
export { regionOf } from "./region/region.ts";
export { partitionOf, serviceDomain } from "./region/service-domain.ts";
export type { Answer } from "./signed/answer-reader.ts";
export { type ExchangeOptions, exchangeOnce } from "./signed/exchange-once.ts";
export { fetchExchange } from "./signed/fetch-exchange.ts";
export { type Environment, serviceEndpoint } from "./signed/service-endpoint.ts";
export { type Layout, layoutOf, MAX_PARTS } from "./values/parameter-layout.ts";
export {
  capacityOf,
  compressedLength,
  inBucket,
  MAX_VALUE,
  type Packed,
  packParts,
  parseReference,
  type StoredObject,
  unpackParts,
  usedBy,
} from "./values/parts.ts";
export { fitsParameter, readRecord, recordText } from "./values/record-text.ts";
export { unpackWhole, type WholeOptions } from "./values/whole-value.ts";
