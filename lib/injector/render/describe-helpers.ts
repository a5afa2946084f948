// What templates may call, for people: docs/helpers.md, `outrigger print helpers` and the completion of the studio show it.

import { once } from "@outrigger/base";
import type { HelperArgument } from "@outrigger/template";
import { HELPER_DOCS } from "./generated/helper-docs.ts";
import { HELPER_ARGUMENTS } from "./helper-arguments.ts";

export interface HelperDescription {
  /** What it gives, in a sentence with an example in backticks. */
  readonly doc: string;
  readonly args: readonly HelperArgument[];
  /** `annotation metadata name [default]`: how it is called. */
  readonly signature: string;
}

/**
 * Every helper that templates may call, by name, in the order of names.
 *
 * @example
 * ```ts
 * describeHelpers().get("slice")?.signature // => "slice list start [end]"
 * describeHelpers().get("upper")?.args // => [["text", "a text; a number or true is taken as its text"]]
 * ```
 */
export const describeHelpers: () => ReadonlyMap<string, HelperDescription> = once(() => {
  const entries = Object.entries(HELPER_DOCS).map(([name, doc]) => {
    const args = HELPER_ARGUMENTS[name] ?? [];
    const shown = args.map(([argument]) => (argument.endsWith("?") ? `[${argument.slice(0, -1)}]` : argument));
    return [name, { doc, args, signature: [name, ...shown].join(" ") }] as const;
  });
  return new Map(entries);
});
