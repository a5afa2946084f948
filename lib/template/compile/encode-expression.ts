// Expressions of Handlebars' syntax tree → the dense form. Knows nothing of the statements that they stand in.

import type { BlockName, Expression, Hash } from "../compiled-templates.ts";
import type { FindingCode } from "../finding.ts";
import type { ExpressionNode, HashNode, Position } from "./handlebars-syntax.ts";

/** Notes a finding about what has no dense form. */
export type Refuse = (code: FindingCode, at: Located, message: string) => void;

interface Located {
  readonly loc: { readonly start: Position };
}

/** Names that are blocks and nothing else. */
export const BLOCKS: ReadonlySet<string> = new Set<BlockName>(["if", "unless", "each", "with", "let"]);

/** What stands between `{{` and `}}`: `a` is a path, or a call if it turns out that a helper has that name; `a b` is a call. */
export function encodeCallable(
  node: {
    readonly path: ExpressionNode;
    readonly params: readonly ExpressionNode[];
    readonly hash?: HashNode;
  } & Located,
  refuse: Refuse,
): Expression | undefined {
  const { path, params, hash } = node;
  if (path.type !== "PathExpression") {
    return void refuse(
      "syntax",
      node,
      "a literal between braces is a name to Handlebars: write the text without braces, or {{this.[a name]}}",
    );
  }
  if (params.length === 0 && (hash?.pairs.length ?? 0) === 0) return encodeExpression(path, refuse);
  const name = helperName(path);
  if (name === undefined) return void refuse("unknown-helper", node, "only a helper takes arguments, this is a path");
  if (BLOCKS.has(name))
    return void refuse("block-as-expression", node, `"${name}" is a block: write {{#${name} …}} … {{/${name}}}`);
  return ["call", name, encodeAll(params, refuse), encodeHash(hash, refuse), ...place(node)];
}

export function encodeHash(hash: HashNode | undefined, refuse: Refuse): Hash {
  const pairs: [string, Expression][] = [];
  for (const { key, value } of hash?.pairs ?? []) {
    const expression = encodeExpression(value, refuse);
    if (expression) pairs.push([key, expression]);
  }
  return pairs;
}

export function encodeAll(nodes: readonly ExpressionNode[], refuse: Refuse): Expression[] {
  return nodes.map((node) => encodeExpression(node, refuse) ?? ["literal"]);
}

export function encodeExpression(node: ExpressionNode, refuse: Refuse): Expression | undefined {
  switch (node.type) {
    case "SubExpression": {
      const name = helperName(node.path);
      if (name === undefined) return void refuse("unknown-helper", node, "only a helper can stand in parentheses");
      if (BLOCKS.has(name))
        return void refuse("block-as-expression", node, `"${name}" is a block, in an expression use ternary, and, or`);
      return ["call", name, encodeAll(node.params, refuse), encodeHash(node.hash, refuse), ...place(node)];
    }
    case "PathExpression": {
      if (node.data) return ["data", node.depth, node.parts, ...place(node)];
      return ["path", node.depth, /^\.|this\b/.test(node.original) ? 1 : 0, node.parts, ...place(node)];
    }
    case "NullLiteral":
      return ["literal", null];
    case "UndefinedLiteral":
      return ["literal"];
    default:
      return ["literal", node.value];
  }
}

export function helperName(path: ExpressionNode): string | undefined {
  if (path.type !== "PathExpression") return undefined;
  const simple = path.parts.length === 1 && path.depth === 0 && !path.data && !/^\.|this\b/.test(path.original);
  return simple ? path.parts[0] : undefined;
}

export function place(node: Located): [line: number, column: number] {
  return [node.loc.start.line, node.loc.start.column + 1];
}
