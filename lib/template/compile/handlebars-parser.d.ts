// Handlebars' types are those of its entry only; this is the file of its parser.
declare module "handlebars/dist/cjs/handlebars/compiler/base.js" {
  /** A new syntax tree on each call; handlebars-syntax.ts has its types. Throws Handlebars' own errors. */
  export function parse(text: string): unknown;
  /** The parser: after an error, its lexer has the token that was read last, and the text that follows it. */
  export const parser: { readonly lexer: { readonly match: string; readonly _input: string } };
}
