// What a shape is at run time: a function from values to the overlay.

import type { JsonValue } from "@outrigger/base";

/**
 * The overlay of a shape whose first value is at `base`; undefined leaves the entry out.
 * Throws OutriggerError `template-render` for a value that its slot cannot take.
 */
export type Fill = (values: readonly unknown[], base: number) => JsonValue | undefined;
