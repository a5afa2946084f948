// The face of @outrigger/base: what other packages and other people may use. Everything else is internal.
export { boundedCache, cacheMemory, sharedMemory } from "./bounded-cache.ts";
export { decorate, readUntil } from "./calls.ts";
export { compareTexts } from "./compare-texts.ts";
export { defined } from "./defined.ts";
export { DELETE_DIRECTIVE, isDirective, ORDER_DIRECTIVE } from "./directives.ts";
export { type CodeOf, type ErrorCode, errorKinds, type Fault, faultOf } from "./error-codes.ts";
export { isOwnError, OutriggerError, ownError, unlessOwnError, usageError } from "./errors.ts";
export { fnv1a } from "./fnv1a.ts";
export { heapBytes } from "./heap-bytes.ts";
export { type InjectionKeys, injectionKeys, recordKeys } from "./injection-keys.ts";
export type { FieldPath, JsonObject, JsonValue } from "./json.ts";
export {
  defineEntry,
  entryOf,
  isInexact,
  isObject,
  isWholeIn,
  jsonEqual,
  parseJson,
  valueAt,
  withoutEntries,
} from "./json.ts";
export { lineIndex } from "./line-index.ts";
export { lookup } from "./lookup.ts";
export { memoize, memoizeJson, memoizeObject, once } from "./memoize.ts";
export {
  type AnnotationRule,
  annotationRules,
  keysOf,
  type MetadataKey,
  metadataKeys,
  metadataKeyTable,
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
export { parseGoBoolean } from "./parse-go-boolean.ts";
export { plural } from "./plural.ts";
export { listOf, objectOf, objectsOf, textOf } from "./read-unknown.ts";
export { trimEnd } from "./trim-end.ts";
