// What a tag can call, with its arguments: the helpers, from what docs/helpers.md is made of, and the blocks of the language.

import { describeDoc, describeHelpers } from "@outrigger/injector";
import { type Helper, LOOKUP_DOC } from "@outrigger/template";
import { element, tooltip } from "./element.ts";

type HelperArgument = Helper["doc"]["args"][number];

export interface Callable {
  readonly doc: string;
  readonly args: readonly HelperArgument[];
}

const CONDITION: HelperArgument = ["condition", "any", 'false if it is missing, "", 0, false or an empty list'];

/** The helpers that may follow `{{#`. */
export const BLOCKS: ReadonlyMap<string, Callable> = callables([
  ["if", "Written if the condition holds: `{{#if a}}…{{else if b}}…{{else}}…{{/if}}`.", CONDITION],
  ["unless", "Written if the condition does not hold: `{{#unless a}}…{{/unless}}`.", CONDITION],
  [
    "each",
    "Written for each item or entry: `{{#each spec.containers as |container|}}…{{/each}}`; `@key`, `@index`, `@first`, `@last`.",
    ["list", "any", "a list or a map; (sorted map) has its keys in order"],
  ],
  [
    "with",
    "Written if the value is there, with its fields as names: `{{#with values.logAgent}}…{{/with}}`.",
    ["value", "map", "a map"],
  ],
  ["let", "Gives names to values: `{{#let a b as |x y|}}…{{/let}}`.", ["value…", "any", "a value for each name"]],
]);

export const HELPERS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ...describeHelpers(),
  ["lookup", { doc: describeDoc(LOOKUP_DOC), args: LOOKUP_DOC.args }],
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
  const meanings = shown.flatMap(([arg, , meaning]) => [element("dt", arg.replace("?", "")), element("dd", meaning)]);
  return tooltip(element("code", name, ...written), element("dl", ...meanings), element("p", doc.replaceAll("`", "")));
}
