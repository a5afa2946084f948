// Whether a variant of the proxy's image is misspelt. A build of your own may have any name: none is an error.

import { nearestName } from "@outrigger/base";
import { DEFAULT_TYPE, KNOWN_TYPES } from "./proxy-image.ts";

const KNOWN = [...KNOWN_TYPES, DEFAULT_TYPE];
/** No slip makes more edits. */
const SLIP = 2;

/**
 * Returns what to say of a variant that is a slip away from one of Istio's, as the end of a sentence that begins with its place;
 * undefined for any other.
 *
 * @example
 * ```ts
 * variantProblem("debgu") // => 'is "debgu": Istio publishes no such variant of its images, did you mean "debug"'
 * variantProblem("fips") // => undefined
 * ```
 */
export function variantProblem(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "" || KNOWN.includes(value)) return undefined;
  const meant = nearestName(value, KNOWN, SLIP);
  return meant && `is ${JSON.stringify(value)}: Istio publishes no such variant of its images, did you mean "${meant}"`;
}
