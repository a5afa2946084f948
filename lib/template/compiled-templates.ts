// The compiled form of templates: plain JSON objects with the positions that errors need.
// The format only. Handlebars, which it is made from, and evaluation, which it is made for, are elsewhere.

/** Version of the compiled form. A loader rejects any other. */
export const COMPILED_FORMAT = 2;

/** Every root that a template may name; any other name is a finding. lib/injector/render/template-data.ts supplies the values. */
export const TEMPLATE_ROOTS: readonly string[] = (
  "metadata spec owner values meshConfig proxyConfig revision cluster network nativeSidecars proxyImage proxyInitImage " +
  "proxyUID proxyGID inboundTrafficPolicyMode compliancePolicy"
).split(" ");

/** All templates of a release and the partials that they call, as plain JSON. */
export interface CompiledTemplates {
  readonly format: number;
  readonly templates: Readonly<Record<string, Program>>;
  readonly partials: Readonly<Record<string, Program>>;
}

/** A template or partial: its statements in the order of the text. */
export type Program = readonly Statement[];

/** The statements of a program, and those within its blocks and inline partials. */
export function statementsOf(program: Program): readonly Statement[] {
  return program.flatMap((statement) => {
    if (statement.kind === "inline") return [statement, ...statementsOf(statement.program)];
    if (statement.kind !== "block") return [statement];
    return [statement, ...statementsOf(statement.program), ...statementsOf(statement.inverse)];
  });
}

export type Statement = TextStatement | SlotStatement | BlockStatement | PartialStatement | InlineStatement;

/** The start of a node in its source; both numbers are 1-based. */
interface Located {
  readonly line: number;
  readonly column: number;
}

/** Literal text, with white space already stripped the way Handlebars strips it. */
export interface TextStatement extends Located {
  readonly kind: "text";
  readonly text: string;
}

/** `{{expression}}`. */
export interface SlotStatement extends Located {
  readonly kind: "slot";
  readonly expression: Expression;
}

export type BlockName = "if" | "unless" | "each" | "with" | "let";

/** `{{#name args key=value as |parameters|}} program {{else}} inverse {{/name}}`. */
export interface BlockStatement extends Located {
  readonly kind: "block";
  readonly name: BlockName;
  readonly args: readonly Expression[];
  readonly hash: Hash;
  readonly parameters: readonly string[];
  readonly program: Program;
  readonly inverse: Program;
}

/** `{{> name context key=value}}`. */
export interface PartialStatement extends Located {
  readonly kind: "partial";
  readonly name: string;
  readonly context: Expression | null;
  readonly hash: Hash;
  /** The white space before a call that is alone on its line; every line of the partial gets it. */
  readonly indent: string;
}

/** `{{#*inline "name"}} program {{/inline}}`. */
export interface InlineStatement extends Located {
  readonly kind: "inline";
  readonly name: string;
  readonly program: Program;
}

/** What a tag, an argument or a condition computes. */
export type Expression = LiteralExpression | PathExpression | DataExpression | CallExpression;

/** A literal; without `value` it is `undefined`. */
export interface LiteralExpression {
  readonly kind: "literal";
  readonly value?: string | number | boolean | null;
}

/** `../../a.b`. A path cannot fail, so a release leaves out its position: only lint reads it. */
export interface PathExpression extends Partial<Located> {
  readonly kind: "path";
  /** The number of `../`: how many contexts up the path starts. */
  readonly depth: number;
  /** Whether `this.` or `./` hides block parameters and roots. */
  readonly scoped: boolean;
  readonly parts: readonly string[];
}

/** `@key`, `@../index`, `@root.a`. */
export interface DataExpression extends Omit<PathExpression, "kind" | "scoped"> {
  readonly kind: "data";
}

/** `(helper args key=value)`. */
export interface CallExpression extends Located {
  readonly kind: "call";
  readonly helper: string;
  readonly args: readonly Expression[];
  readonly hash: Hash;
}

/** `key=value`. */
export type Hash = readonly { readonly key: string; readonly value: Expression }[];
