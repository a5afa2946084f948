// The face of @outrigger/aws: what other packages and other people may use. Everything else is internal.
export { awsError } from "./aws-errors.ts";
export {
  type CloudFormationRequest,
  type CloudFormationResponse,
  isCloudFormation,
  respond,
} from "./cloudformation-response.ts";
export { DEPLOYER_NEEDS } from "./deployer-policy.ts";
export type { Answer } from "./parameter-store/answer-reader.ts";
export { type ExchangeOptions, exchangeOnce } from "./parameter-store/exchange-once.ts";
export { fetchExchange } from "./parameter-store/fetch-exchange.ts";
export { keepTier } from "./parameter-store/keep-tier.ts";
export type { ListedObject, ObjectPlace, ObjectStore } from "./parameter-store/object-store.ts";
export { pacedStore } from "./parameter-store/paced-store.ts";
export { type Layout, layoutOf, MAX_PARTS } from "./parameter-store/parameter-layout.ts";
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
} from "./parameter-store/parts.ts";
export { readAll } from "./parameter-store/read-all.ts";
export { fitsParameter, readRecord, recordText } from "./parameter-store/record-text.ts";
export { type Environment, serviceEndpoint } from "./parameter-store/service-endpoint.ts";
export { signedObjectStore } from "./parameter-store/signed-object-store.ts";
export { signedParameterReader } from "./parameter-store/signed-parameter-reader.ts";
export { ssmParameterReader } from "./parameter-store/ssm-parameter-reader.ts";
export { ssmParameterStore } from "./parameter-store/ssm-parameter-store.ts";
export { storeError } from "./parameter-store/store-error.ts";
export { type TakeOffLabels, unlabelledStore } from "./parameter-store/unlabelled-store.ts";
export { unpackWhole, type WholeOptions } from "./parameter-store/whole-value.ts";
export { clusterRolePolicy, type PolicyKind, policyFor, policyKinds } from "./people-policies.ts";
export { regionOf } from "./region.ts";
export { partitionOf, serviceDomain } from "./service-domain.ts";
