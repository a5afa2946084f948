// The face of @outrigger/base: what other packages and other people may use. Everything else is internal.
export { boundedCache } from "./bounded-cache.ts";
export { cacheMemory, limitCaches, type Size, sharedMemory } from "./cache-memory.ts";
export { type Around, decorate } from "./decorate.ts";
export { defined } from "./defined.ts";
export { DELETE_DIRECTIVE, isDirective, ORDER_DIRECTIVE } from "./directive.ts";
export { type ErrorCode, OutriggerError } from "./errors.ts";
export { heapBytes } from "./heap-bytes.ts";
export { type FieldPath, isInexact, isObject, type JsonObject, type JsonValue, jsonEqual, valueAt } from "./json.ts";
export { defineEntry, entryOf, withoutEntries } from "./json-entry.ts";
export { lineIndex } from "./line-index.ts";
export { lookup } from "./lookup.ts";
export { memoize, memoizeJson } from "./memoize.ts";
export {
  channelNamePattern,
  clusterNamePattern,
  DEFAULT_REVISION,
  kubernetesVersionPattern,
  NETWORK_FORM,
  networkPattern,
} from "./names.ts";
export { nearestName, suggestName } from "./nearest-name.ts";
export { once } from "./once.ts";
export { isOwnError, ownError } from "./own-error.ts";
export { listOf, objectOf, objectsOf, textOf } from "./read-unknown.ts";
export { type Patience, readUntil } from "./read-until.ts";
export { trimEnd } from "./trim-end.ts";
