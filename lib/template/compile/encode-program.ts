// Handlebars' syntax tree → the compiled form. Rejects, with a finding, every construct that has no compiled form.
// Reads one template at a time: lint checks the names of helpers, partials and data.

import type { BlockName, CallExpression, Expression, Hash, Program, Statement } from "../compiled-templates.ts";
import type { Finding, FindingCode } from "../finding.ts";
import type {
  BlockNode,
  Callable,
  ContentNode,
  DecoratorBlockNode,
  ExpressionNode,
  HashNode,
  Located,
  MustacheNode,
  PartialNode,
  PathNode,
  ProgramNode,
  StatementNode,
} from "./handlebars-syntax.ts";

export interface EncodedTemplate {
  readonly program: Program;
  readonly findings: readonly Finding[];
}

/** Encodes a program. A rejected construct is left out and has a finding. */
export function encodeProgram(node: ProgramNode, source: string): EncodedTemplate {
  const findings: Finding[] = [];
  const refuse: Refuse = (code, at, message) => {
    findings.push({ code, severity: "error", template: source, ...place(at), message });
  };
  return { program: encodeStatements(node, refuse), findings };
}

function encodeStatements(program: ProgramNode | undefined, refuse: Refuse): Program {
  return (program?.body ?? []).flatMap((node) => encodeStatement(node, refuse) ?? []);
}

function encodeStatement(node: StatementNode, refuse: Refuse): Statement | undefined {
  switch (node.type) {
    case "ContentStatement":
      return encodeText(node);
    case "CommentStatement":
      return undefined;
    case "MustacheStatement":
      return encodeMustache(node, refuse);
    case "BlockStatement":
      return encodeBlock(node, refuse);
    case "PartialStatement":
      return encodePartial(node, refuse);
    case "PartialBlockStatement":
      return void refuse("partial-block", node, PARTIAL_BLOCK);
    case "Decorator":
      return void refuse("decorator", node, "decorators are not supported");
    case "DecoratorBlock":
      return encodeInline(node, refuse);
  }
}

const PARTIAL_BLOCK =
  "{{#> partial}} blocks are not supported: call {{> partial}} and pass the differences as arguments";

/** White space control shortens the value at both ends, so its position is where it starts in the original. */
function encodeText(node: ContentNode): Statement | undefined {
  if (node.value === "") return undefined;
  const stripped = node.original.slice(0, Math.max(0, node.original.indexOf(node.value)));
  const lines = stripped.split("\n");
  const { line, column } = node.loc.start;
  const last = lines.at(-1) as string;
  return {
    kind: "text",
    text: node.value,
    line: line + lines.length - 1,
    column: (lines.length === 1 ? column : 0) + last.length + 1,
  };
}

function encodeMustache(node: MustacheNode, refuse: Refuse): Statement | undefined {
  if (!node.escaped) {
    const message =
      "raw output is not supported and not needed, nothing is HTML-escaped: write {{…}} with two braces, and a space between a flow map's brace and the tag";
    return void refuse("raw-output", node, message);
  }
  const expression = encodeCallable(node, refuse);
  return expression && { kind: "slot", expression, ...place(node) };
}

function encodeBlock(node: BlockNode, refuse: Refuse): Statement | undefined {
  const given = helperName(node.path);
  if (given === undefined || !BLOCKS.has(given)) {
    const message = `"${given ?? "this path"}" is not a block: use #if, #unless, #each, #with or #let, with the helper in parentheses: {{#if (eq a b)}}`;
    return void refuse("unknown-block", node, message);
  }
  const name = given as BlockName;
  const parameters = node.program?.blockParams ?? node.inverse?.blockParams ?? [];
  const args = encodeAll(node.params, refuse);
  checkBlock(name, node, parameters, refuse);
  const hash = encodeHash(node.hash, refuse);
  const [program, inverse] = [encodeStatements(node.program, refuse), encodeStatements(node.inverse, refuse)];
  return { kind: "block", name, args, hash, parameters, program, inverse, ...place(node) };
}

const MOST_PARAMETERS = { if: 0, unless: 0, each: 2, with: 1, let: Number.POSITIVE_INFINITY } as const;

function argumentFix(name: BlockName, { params }: BlockNode): string {
  const words = params.map((param) => ("original" in param ? String(param.original) : "…"));
  if (words.at(-2) === "as") return `write {{#${name} ${words.slice(0, -2).join(" ")} as |${words.at(-1)}|}}`;
  return "put a helper call in parentheses";
}

function checkBlock(name: BlockName, node: BlockNode, parameters: readonly string[], refuse: Refuse): void {
  const report = (message: string): void => refuse("block-arguments", node, message);
  const [count, most] = [node.params.length, MOST_PARAMETERS[name]];
  if (name === "let") {
    if (count === 0 || count !== parameters.length) report("#let takes as many values as names: {{#let a b as |x y|}}");
  } else if (count === 0) report(`#${name} needs an argument: write {{#${name} value}}`);
  else if (count > 1) report(`#${name} takes exactly one argument, not ${count}: ${argumentFix(name, node)}`);
  if (parameters.length > most) report(`#${name} gives ${most} block parameters, not ${parameters.length}`);
  for (const { key } of node.hash?.pairs ?? []) {
    if (key !== "includeZero" || (name !== "if" && name !== "unless")) report(`#${name} has no argument "${key}"`);
  }
}

function encodePartial(node: PartialNode, refuse: Refuse): Statement | undefined {
  const { name, params, indent = "" } = node;
  if (name.type === "SubExpression") {
    const message = "a partial must be called by its name, not by an expression: choose with {{#if}}";
    return void refuse("dynamic-partial", node, message);
  }
  const text = String("original" in name ? name.original : "");
  if (params.length > 1)
    refuse("block-arguments", node, "a partial takes at most one context, everything else as key=value");
  const context = params[0] === undefined ? null : (encodeExpression(params[0], refuse) ?? null);
  return { kind: "partial", name: text, context, hash: encodeHash(node.hash, refuse), indent, ...place(node) };
}

function encodeInline(node: DecoratorBlockNode, refuse: Refuse): Statement | undefined {
  if (helperName(node.path) !== "inline")
    return void refuse("decorator", node, "decorators other than #*inline are not supported");
  const name = node.params[0];
  if (node.params.length !== 1 || name?.type !== "StringLiteral") {
    return void refuse("decorator", node, 'an inline partial has one name in quotes: {{#*inline "name"}}');
  }
  return { kind: "inline", name: name.value, program: encodeStatements(node.program, refuse), ...place(node) };
}

/** Adds a finding about a construct that has no compiled form. */
type Refuse = (code: FindingCode, at: Located, message: string) => void;

const BLOCKS: ReadonlySet<string> = new Set<BlockName>(["if", "unless", "each", "with", "let"]);

/** The content of `{{…}}`: `a` is a path, or a call if a helper has that name; `a b` is a call. */
function encodeCallable(node: MustacheNode, refuse: Refuse): Expression | undefined {
  const { path, params, hash } = node;
  if (path.type !== "PathExpression") return void refuse("syntax", node, LITERAL);
  if (params.length === 0 && (hash?.pairs.length ?? 0) === 0) return encodeExpression(path, refuse);
  const name = helperName(path);
  if (name === undefined) return void refuse("unknown-helper", node, "only a helper takes arguments, this is a path");
  if (BLOCKS.has(name))
    return void refuse("block-as-expression", node, `"${name}" is a block: write {{#${name} …}} … {{/${name}}}`);
  return callOf(name, node, refuse);
}

const LITERAL = "a literal between braces is a name to Handlebars: write the text without braces, or {{this.[a name]}}";

function encodeHash(hash: HashNode | undefined, refuse: Refuse): Hash {
  return (hash?.pairs ?? []).flatMap(({ key, value }) => {
    const expression = encodeExpression(value, refuse);
    return expression ? [{ key, value: expression }] : [];
  });
}

function encodeAll(nodes: readonly ExpressionNode[], refuse: Refuse): Expression[] {
  return nodes.map((node) => encodeExpression(node, refuse) ?? { kind: "literal" });
}

function encodeExpression(node: ExpressionNode, refuse: Refuse): Expression | undefined {
  switch (node.type) {
    case "SubExpression": {
      const name = helperName(node.path);
      if (name === undefined) return void refuse("unknown-helper", node, "only a helper call can be in parentheses");
      if (BLOCKS.has(name))
        return void refuse("block-as-expression", node, `"${name}" is a block: in an expression use ternary, and, or`);
      return callOf(name, node, refuse);
    }
    case "PathExpression": {
      const { depth, parts } = node;
      if (node.data) return { kind: "data", depth, parts, ...place(node) };
      return { kind: "path", depth, scoped: isScoped(node), parts, ...place(node) };
    }
    case "NullLiteral":
      return { kind: "literal", value: null };
    case "UndefinedLiteral":
      return { kind: "literal" };
    default:
      return { kind: "literal", value: node.value };
  }
}

function helperName(path: ExpressionNode): string | undefined {
  if (path.type !== "PathExpression") return undefined;
  const simple = path.parts.length === 1 && path.depth === 0 && !path.data && !isScoped(path);
  return simple ? path.parts[0] : undefined;
}

/** `./a` and `this.a` name a field of the context and nothing else. */
function isScoped({ original }: PathNode): boolean {
  return /^\.|this\b/.test(original);
}

function callOf(helper: string, node: Callable, refuse: Refuse): CallExpression {
  const [args, hash] = [encodeAll(node.params, refuse), encodeHash(node.hash, refuse)];
  return { kind: "call", helper, args, hash, ...place(node) };
}

function place(node: Located): { readonly line: number; readonly column: number } {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}
