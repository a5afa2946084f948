// Names in the Handlebars template that an import makes: of partials, and of block parameters.

import { describeHelpers } from "@outrigger/injector";
import { TEMPLATE_ROOTS } from "@outrigger/template";

export function partialName(template: string, called: string): string {
  return `${template}-${called}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
}

const RESERVED: ReadonlySet<string> = new Set([
  ...TEMPLATE_ROOTS,
  "this",
  "true",
  "false",
  "null",
  "undefined",
  "as",
  "if",
  "each",
  "with",
  "let",
  "unless",
  "lookup",
]);

/** A name for a block parameter that hides no root and no helper. */
export function identifierOf(name: string): string {
  const plain = name === "" ? "value" : name;
  return RESERVED.has(plain) || describeHelpers().has(plain) ? `${plain}Value` : plain;
}

export function lastName(text: string): string {
  return /^[\w@.]+$/.test(text) ? text.split(/[@.]/).at(-1) || "value" : "value";
}
