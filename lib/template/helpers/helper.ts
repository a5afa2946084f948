// What a helper is: one entry of a table has its function and its documentation. Lint counts its arguments by it, and the page of
// helpers, the command that prints them, the studio's completion and the types of an import are made of it.

/**
 * A helper that templates call. Its function is pure: it keeps no state, reads no clock and changes no argument.
 *
 * `{ run: ([text]) => goText(text).toUpperCase(), doc: { text: "…", args: [TEXT], result: "text", examples: [['(upper "a")', "A"]] } }`
 */
export interface Helper extends HelperFunction {
  readonly doc: HelperDoc;
}

/** What rendering needs of a helper: it never reads the documentation. */
export interface HelperFunction {
  /** Returns the result of a call. Throws OutriggerError `template-render`. */
  readonly run: (args: readonly unknown[], hash: Readonly<Record<string, unknown>>) => unknown;
  /**
   * Returns `run` as a function of the first argument alone, for calls whose other arguments are known when templates are
   * loaded. It is only worth having for what templates call dozens of times.
   */
  readonly ofFirst?: (others: readonly unknown[]) => (first: unknown) => unknown;
}

/** The documentation of a helper. The bundle of the inject function has none: only lint and tools for people read it. */
export interface HelperDoc {
  /** A sentence or a noun phrase that says what the result is, with a full stop. */
  readonly text: string;
  /** The arguments, in the order of a call. */
  readonly args: readonly HelperArgument[];
  readonly result: HelperResult;
  /** Calls with their results: tests run them. */
  readonly examples: readonly [HelperExample, ...HelperExample[]];
}

/** The type of a result; `texts` is a list of texts, and `any` depends on the arguments. */
export type HelperResult = "text" | "number" | "boolean" | "list" | "texts" | "map" | "any";

/**
 * The name, type and meaning of an argument. After a name, `…` marks an argument that may be given several times, and `?` one that
 * may be left out: `["value…?", "any", "a value for each verb"]`.
 */
export type HelperArgument = readonly [name: string, type: ArgumentType, meaning: string];

/**
 * The values that an argument accepts: every text, every list and so on. `as-example` is for one that rejects some of them, as a
 * regular expression does: tests that make up arguments give it the value of the first example.
 */
type ArgumentType = "text" | "integer" | "list" | "map" | "any" | "as-example";

/** A call in parentheses with its result, or with a part of its error's message. */
export type HelperExample =
  | readonly [call: string, result: unknown]
  | { readonly call: string; readonly fails: string };

/** The functions of helpers by the name that templates call them by. */
export type HelperFunctions = Readonly<Record<string, HelperFunction>>;

/** Helpers by the name that templates call them by. */
export type HelperTable = Readonly<Record<string, Helper>>;

/** Returns the table as it is: its type has the names of the helpers. */
export function defineHelpers<Name extends string>(
  table: Readonly<Record<Name, Helper>>,
): Readonly<Record<Name, Helper>> {
  return table;
}

/** Returns the functions of a helper from its form with all arguments but the first known. */
export function withOfFirst(ofFirst: (others: readonly unknown[]) => (first: unknown) => unknown): HelperFunction {
  return { run: ([first, ...others]) => ofFirst(others)(first), ofFirst };
}

/**
 * Returns the least and greatest number of arguments of a call; the greatest may be infinite.
 *
 * @example
 * ```ts
 * arityOf([["list", "list", "a list"], ["start", "integer", "an index"], ["end?", "integer", "an index"]]) // => [2, 3]
 * arityOf([["text…", "text", "texts"]]) // => [1, Infinity]
 * ```
 */
export function arityOf(args: readonly HelperArgument[]): readonly [least: number, most: number] {
  const least = args.filter(([name]) => !name.endsWith("?")).length;
  return [least, args.some(([name]) => name.includes("…")) ? Number.POSITIVE_INFINITY : args.length];
}
