// Finds the position in the templates that one field of an overlay comes from.

import type { Place } from "@outrigger/template";
import { inspectOverlay, type OverlayQuery } from "@outrigger/template";

export interface FieldQuery extends OverlayQuery {
  /** Keys and indexes in the overlay. */
  readonly steps: readonly (string | number)[];
  /** Whether to find the key or the value of the entry. */
  readonly part: "key" | "value";
}

/** The position in a template or partial that renders the field, or else the nearest enclosing one. */
export function locateField({ steps, part, ...query }: FieldQuery): Place {
  return inspectOverlay(query).locate(steps, part);
}
