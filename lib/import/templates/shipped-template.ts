// Istio's own templates, by their digests: the shipped templates serve in their place.

import { entryOf } from "@outrigger/base";
import { SHIPPED_DIGESTS } from "../generated/shipped-digests.ts";

export interface ShippedTemplate {
  readonly template: string;
  /** The first and last release with this text, `1.28.0`; `development` is after all releases. */
  readonly first: string;
  readonly last: string;
}

/** @param digest SHA-256 in hexadecimal of the template without white space at both ends */
export function shippedTemplate(digest: string): ShippedTemplate | undefined {
  const [template, first = "", last = first] = entryOf(SHIPPED_DIGESTS, digest.slice(0, 16))?.split(" ") ?? [];
  return template === undefined ? undefined : { template, first, last };
}
