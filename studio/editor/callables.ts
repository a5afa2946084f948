// What a tag can call, with its arguments: the helpers, from what docs/helpers.md is made of, and the blocks of the language.

import { describeHelpers } from "@outrigger/injector";
import type { HelperArgument } from "@outrigger/template";
import { element, tooltip } from "./element.ts";

export interface Callable {
  readonly doc: string;
  readonly args: readonly HelperArgument[];
}

const CONDITION: HelperArgument = ["condition", 'false if it is missing, "", 0, false or an empty list'];

/** The helpers that may follow `{{#`. */
export const BLOCKS: ReadonlyMap<string, Callable> = callables([
  ["if", "Written if the condition holds: `{{#if a}}…{{else if b}}…{{else}}…{{/if}}`.", CONDITION],
  ["unless", "Written if the condition does not hold: `{{#unless a}}…{{/unless}}`.", CONDITION],
  [
    "each",
    "Written for each item or entry: `{{#each spec.containers as |container|}}…{{/each}}`; `@key`, `@index`, `@first`, `@last`.",
    ["list", "a list or a map; (sorted map) has its keys in order"],
  ],
  [
    "with",
    "Written if the value is there, with its fields as names: `{{#with values.logAgent}}…{{/with}}`.",
    ["value", "a map"],
  ],
  ["let", "Gives names to values: `{{#let a b as |x y|}}…{{/let}}`.", ["value…", "a value for each name"]],
]);

export const HELPERS: ReadonlyMap<string, Callable> = new Map([
  ...describeHelpers(),
  ...callables([
    [
      "lookup",
      'The entry of a key that is no name: `{{lookup metadata.annotations "a.b/c"}}`.',
      ["map", "a map or a list"],
      ["key", "the key of an entry, or the place of an item, from 0"],
    ],
  ]),
]);

type Row = readonly [name: string, doc: string, ...args: HelperArgument[]];

function callables(rows: readonly Row[]): ReadonlyMap<string, Callable> {
  return new Map(rows.map(([name, doc, ...args]) => [name, { doc, args }]));
}

/** `annotation metadata name default`, the argument that is written in bold; its meaning, or that of all. */
export function describeCallable(name: string, { doc, args }: Callable, argument?: number): HTMLElement {
  const current = argument === undefined ? undefined : Math.min(argument, args.length - 1);
  const shown = current === undefined ? args : args.slice(current, current + 1);
  const written = args.flatMap(([arg], at) => [
    " ",
    element(at === current ? "strong" : "span", arg.endsWith("?") ? `[${arg.slice(0, -1)}]` : arg),
  ]);
  const meanings = shown.flatMap(([arg, meaning]) => [element("dt", arg.replace("?", "")), element("dd", meaning)]);
  return tooltip(element("code", name, ...written), element("dl", ...meanings), element("p", doc.replaceAll("`", "")));
}
