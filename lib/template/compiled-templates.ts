// The dense form of templates: what Handlebars parsed, as small JSON arrays, with the positions that errors need.
// Owns the format alone: knows neither Handlebars (which it comes from) nor evaluation (which it is made for).

/** Version of the dense form; a loader refuses any other. */
export const COMPILED_FORMAT = 1;

/** All templates of a release with the partials that they call, as plain JSON. */
export interface CompiledTemplates {
  readonly format: number;
  readonly templates: Readonly<Record<string, Program>>;
  readonly partials: Readonly<Record<string, Program>>;
}

export type Program = readonly Statement[];

export type Statement = TextStatement | SlotStatement | BlockStatement | PartialStatement | InlineStatement;

/** Text as it stands, white space already stripped the way Handlebars strips it. */
export type TextStatement = readonly ["text", text: string, line: number, column: number];

/** `{{expression}}`. */
export type SlotStatement = readonly ["slot", expression: Expression, line: number, column: number];

export type BlockName = "if" | "unless" | "each" | "with" | "let";

/** `{{#name arguments key=value as |parameters|}} program {{else}} inverse {{/name}}`. */
export type BlockStatement = readonly [
  kind: "block",
  name: BlockName,
  args: readonly Expression[],
  hash: Hash,
  parameters: readonly string[],
  program: Program,
  inverse: Program,
  line: number,
  column: number,
];

/** `{{> name context key=value}}`; `indent` is the white space before a partial that stands alone on its line. */
export type PartialStatement = readonly [
  kind: "partial",
  name: string,
  context: Expression | null,
  hash: Hash,
  indent: string,
  line: number,
  column: number,
];

/** `{{#*inline "name"}} program {{/inline}}`. */
export type InlineStatement = readonly ["inline", name: string, program: Program, line: number, column: number];

export type Expression = LiteralExpression | PathExpression | DataExpression | CallExpression;

/** A literal; `["literal"]` is `undefined`. */
export type LiteralExpression = readonly ["literal", value?: string | number | boolean | null];

/** `../../a.b`: how many contexts up, whether `this.` or `./` keeps block parameters out, and the names. */
export type PathExpression = readonly [
  kind: "path",
  depth: number,
  scoped: 0 | 1,
  parts: readonly string[],
  // Places of paths are for lint: a path cannot fail, so they are left out of what a release carries.
  line?: number,
  column?: number,
];

/** `@key`, `@../index`, `@root.a`. */
export type DataExpression = readonly ["data", depth: number, parts: readonly string[], line?: number, column?: number];

/** `(helper arguments key=value)`. */
export type CallExpression = readonly [
  kind: "call",
  helper: string,
  args: readonly Expression[],
  hash: Hash,
  line: number,
  column: number,
];

export type Hash = readonly (readonly [key: string, value: Expression])[];
