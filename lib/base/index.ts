// The face of @outrigger/base: what other packages and other people may use. Everything else is internal.
export {
  boundedCache,
  cacheMemory,
  heapBytes,
  memoize,
  memoizeJson,
  memoizeObject,
  once,
  sharedMemory,
} from "./bounded-cache.ts";
export { decorate, readUntil } from "./calls.ts";
export { type CodeOf, type ErrorCode, errorKinds, type Fault, faultOf } from "./error-codes.ts";
export { isOwnError, OutriggerError, ownError, usageError } from "./errors.ts";
export type { FieldPath, JsonObject, JsonValue } from "./json.ts";
export {
  DELETE_DIRECTIVE,
  defined,
  defineEntry,
  entryOf,
  isDirective,
  isInexact,
  isObject,
  isWholeIn,
  jsonEqual,
  listOf,
  lookup,
  ORDER_DIRECTIVE,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
  valueAt,
  withoutEntries,
} from "./json.ts";
export { lineIndex } from "./line-index.ts";
export {
  keysOf,
  type MetadataKey,
  metadataKeys,
  metadataKeyTable,
  type ValueRule,
  valueRules,
} from "./metadata-keys.ts";
export {
  channelNamePattern,
  clusterNamePattern,
  DEFAULT_REVISION,
  kubernetesVersionPattern,
  NETWORK_FORM,
  networkPattern,
} from "./names.ts";
export { nearestName, suggestName } from "./nearest-name.ts";
export { trimEnd } from "./trim-end.ts";
