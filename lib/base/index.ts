// The face of @outrigger/base: what other packages and other people may use. Everything else is internal.
export {
  boundedCache,
  cacheMemory,
  heapBytes,
  limitCaches,
  memoize,
  memoizeJson,
  once,
  type Size,
  sharedMemory,
} from "./bounded-cache.ts";
export { type Around, decorate } from "./decorate.ts";
export { type ErrorCode, isOwnError, OutriggerError, ownError } from "./errors.ts";
export {
  defined,
  defineEntry,
  entryOf,
  type FieldPath,
  isInexact,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  lookup,
  objectOf,
  objectsOf,
  textOf,
  valueAt,
  withoutEntries,
} from "./json.ts";
export {
  channelNamePattern,
  clusterNamePattern,
  DEFAULT_REVISION,
  DELETE_DIRECTIVE,
  isDirective,
  kubernetesVersionPattern,
  NETWORK_FORM,
  networkPattern,
  ORDER_DIRECTIVE,
} from "./names.ts";
export { lineIndex, nearestName, suggestName, trimEnd } from "./nearest-name.ts";
export { type Patience, readUntil } from "./read-until.ts";
