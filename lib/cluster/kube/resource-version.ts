// The version of an object as the API server gave it, by which a write says what it has read.
import { type JsonObject, objectOf } from "@outrigger/base";

export function versionOf({ metadata }: JsonObject): string | undefined {
  const { resourceVersion } = objectOf(metadata);
  return typeof resourceVersion === "string" ? resourceVersion : undefined;
}
