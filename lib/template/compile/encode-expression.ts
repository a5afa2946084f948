// Expressions of Handlebars' syntax tree → the compiled form. Knows nothing of the statements around them.

import type { BlockName, CallExpression, Expression, Hash } from "../compiled-templates.ts";
import type { FindingCode } from "../finding.ts";
import type { Callable, ExpressionNode, HashNode, Located, MustacheNode, PathNode } from "./handlebars-syntax.ts";

/** Adds a finding about a construct that has no compiled form. */
export type Refuse = (code: FindingCode, at: Located, message: string) => void;

export const BLOCKS: ReadonlySet<string> = new Set<BlockName>(["if", "unless", "each", "with", "let"]);

/** The content of `{{…}}`: `a` is a path, or a call if a helper has that name; `a b` is a call. */
export function encodeCallable(node: MustacheNode, refuse: Refuse): Expression | undefined {
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

export function encodeHash(hash: HashNode | undefined, refuse: Refuse): Hash {
  return (hash?.pairs ?? []).flatMap(({ key, value }) => {
    const expression = encodeExpression(value, refuse);
    return expression ? [{ key, value: expression }] : [];
  });
}

export function encodeAll(nodes: readonly ExpressionNode[], refuse: Refuse): Expression[] {
  return nodes.map((node) => encodeExpression(node, refuse) ?? { kind: "literal" });
}

export function encodeExpression(node: ExpressionNode, refuse: Refuse): Expression | undefined {
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

export function helperName(path: ExpressionNode): string | undefined {
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

export function place(node: Located): { readonly line: number; readonly column: number } {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}
