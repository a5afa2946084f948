// What templates may call, for people: docs/helpers.md, `outrigger print helpers` and the completion of the studio show it.

import { once } from "@outrigger/base";
import type { Helper, HelperTable } from "@outrigger/template";
import { injectionHelpers } from "./injection-helpers.ts";

export interface HelperDescription extends Omit<Helper["doc"], "text"> {
  /** A description of the result, with examples in backticks. */
  readonly doc: string;
  /** The call as documentation writes it: `annotation metadata name [default]`. */
  readonly signature: string;
}

/**
 * Returns every helper that templates may call, by name, in the order of names.
 *
 * @example
 * ```ts
 * describeHelpers().get("slice")?.signature // => "slice list start [end]"
 * describeHelpers().get("add1")?.doc // => 'The next greater integer. `(add1 4)` gives `5`.'
 * ```
 */
export const describeHelpers: () => ReadonlyMap<string, HelperDescription> = once(() => {
  const table: HelperTable = injectionHelpers;
  const entries = Object.entries(table).map(([name, { doc }]) => {
    const shown = doc.args.map(([argument]) => (argument.endsWith("?") ? `[${argument.slice(0, -1)}]` : argument));
    const { text: _, ...rest } = doc;
    return [name, { ...rest, doc: describeDoc(doc), signature: [name, ...shown].join(" ") }] as const;
  });
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
});

/** Returns a helper's text with its examples, as one paragraph. */
export function describeDoc({ text, examples }: Pick<Helper["doc"], "text" | "examples">): string {
  const calls = examples.map((example) => {
    if ("fails" in example) return `\`${example.call}\` fails with ${JSON.stringify(example.fails)}`;
    const [call, result] = example;
    return `\`${call}\` gives \`${JSON.stringify(result)}\``;
  });
  return `${text} ${calls.join(", ")}.`;
}
