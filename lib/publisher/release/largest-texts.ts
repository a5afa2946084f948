// Which texts of a tree take the most space once it is compressed: what to shorten, split or take out first. Pure.
import { compressedLength } from "@outrigger/aws";
import type { SourceTree } from "@outrigger/injector";

/** How many are named. */
const NAMED = 3;

/**
 * The paths of the texts that take the most characters, the largest first, in a sentence's form.
 *
 * @example
 * ```ts
 * largestTexts({ mesh: "", "templates/a": "x: 1\n" }) // => "templates/a (16)"
 * largestTexts({}) // => ""
 * ```
 */
export function largestTexts(tree: SourceTree): string {
  return Object.entries(tree)
    .filter(([, text]) => text !== "")
    .map(([path, text]) => [path, compressedLength(text)] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED)
    .map(([path, characters]) => `${path} (${characters})`)
    .join(", ");
}
