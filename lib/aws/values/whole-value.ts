// Reading a whole value back, wherever it is: in the parts that parameters hold, or in the object that a part refers to.

import type { JsonValue } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import type { CallOptions } from "../parameter-store/call-options.ts";
import type { ParametersByName } from "../parameter-store/parameter-store.ts";
import type { Layout } from "./parameter-layout.ts";
import { parseReference, unpackParts, unpackText } from "./parts.ts";

export interface WholeOptions extends CallOptions {
  readonly reader: Pick<ParametersByName, "objects">;
  readonly layout: Layout;
}

/**
 * The value of a digest.
 *
 * | what the parts hold                        | the value                                                          |
 * |--------------------------------------------|--------------------------------------------------------------------|
 * | all of it                                  | theirs                                                             |
 * | a reference                                | the object's, whose bytes must match the digest                    |
 * | a reference to an object that is not there | undefined, as for a missing part                                   |
 * | a reference, and no bucket is known here   | `store-denied`: neither a second try nor publishing again can help |
 *
 * @throws OutriggerError `store-corrupt` for bytes that do not match the digest; what the bucket's reader throws
 */
export async function unpackWhole(
  parts: readonly string[],
  digest: string,
  what: string,
  { reader: { objects }, layout, signal }: WholeOptions,
): Promise<JsonValue | undefined> {
  const reference = parts.map(parseReference).find((each) => each?.digest === digest);
  if (reference === undefined) return unpackParts(parts, digest, what);
  const { bucket } = reference;
  if (objects === undefined) throw noBucket(what, bucket);
  const text = await objects.getObject({ bucket, key: layout.object(digest) }, signal === undefined ? {} : { signal });
  return text === undefined ? undefined : unpackText(text, digest, what);
}

function noBucket(what: string, bucket: string): OutriggerError {
  const message = `Cannot read ${what}: it is in bucket ${bucket}, and no bucket can be read here; deploy with releaseBucket`;
  return new OutriggerError("store-denied", message, { path: what });
}
