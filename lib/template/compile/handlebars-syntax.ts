// Types for the part of Handlebars' syntax tree that is read here (Handlebars' own types lack half of the fields).
// Importing this does not import Handlebars.

export interface Position {
  readonly line: number;
  /** The 0-based column, as Handlebars counts. */
  readonly column: number;
}

export interface Located {
  readonly loc: { readonly start: Position; readonly end: Position };
}

/** fixElseChains edits statement lists, hence not readonly. */
export interface ProgramNode extends Located {
  readonly body: StatementNode[];
  readonly blockParams?: readonly string[];
  readonly chained?: boolean;
}

export type StatementNode =
  | ContentNode
  | MustacheNode
  | BlockNode
  | PartialNode
  | DecoratorBlockNode
  /** A node that is refused or skipped: nothing of it is read. */
  | (Located & { readonly type: "CommentStatement" | "PartialBlockStatement" | "Decorator" });

export interface ContentNode extends Located {
  readonly type: "ContentStatement";
  value: string;
  readonly original: string;
  /** Whether the line end after a tag that is alone on its line, or all white space after `~}}`, is stripped. */
  readonly rightStripped?: boolean;
}

export interface Callable extends Located {
  readonly path: ExpressionNode;
  readonly params: readonly ExpressionNode[];
  readonly hash?: HashNode;
}

export interface MustacheNode extends Callable {
  readonly type: "MustacheStatement";
  /** False for `{{{raw}}}` and `{{&raw}}`. */
  readonly escaped: boolean;
  readonly strip: Strip;
}

interface Strip {
  readonly open: boolean;
  readonly close: boolean;
}

export interface BlockNode extends Callable {
  readonly type: "BlockStatement";
  readonly program?: ProgramNode;
  readonly inverse?: ProgramNode;
  readonly openStrip: Strip;
  readonly closeStrip: Strip;
}

export interface PartialNode extends Omit<Callable, "path"> {
  readonly type: "PartialStatement";
  readonly name: ExpressionNode;
  readonly indent?: string;
  readonly strip: Strip;
}

export interface DecoratorBlockNode extends Callable {
  readonly type: "DecoratorBlock";
  readonly program: ProgramNode;
}

export type ExpressionNode = PathNode | (Callable & { readonly type: "SubExpression" }) | LiteralNode;

export interface PathNode extends Located {
  readonly type: "PathExpression";
  readonly data: boolean;
  readonly depth: number;
  readonly parts: readonly string[];
  readonly original: string;
}

type LiteralNode =
  | (Located & { readonly type: "StringLiteral"; readonly value: string; readonly original: string })
  | (Located & { readonly type: "NumberLiteral"; readonly value: number; readonly original: number })
  | (Located & { readonly type: "BooleanLiteral"; readonly value: boolean; readonly original: boolean })
  | (Located & { readonly type: "NullLiteral" | "UndefinedLiteral" });

export interface HashNode extends Located {
  readonly pairs: readonly { readonly key: string; readonly value: ExpressionNode }[];
}

/** The innermost block that is not closed, with its line, 1-based. Reads tags by their shape: a broken template has no tree. */
export function openBlock(text: string): { readonly name: string; readonly line: number } | undefined {
  const open: { name: string; line: number }[] = [];
  const plain = blankComments(text);
  for (const match of plain.matchAll(/\{\{~?(?:#\*?|\^)\s*([\w-]+)|\{\{~?\/\s*([\w-]+)/g)) {
    const [, opened, closed] = match;
    const line = plain.slice(0, match.index).split("\n").length;
    if (opened !== undefined) open.push({ name: opened, line });
    else if (open.at(-1)?.name === closed) open.pop();
  }
  return open.at(-1);
}

/** The text with spaces for comments, so that offsets and lines stay. */
export function blankComments(text: string): string {
  return text.replaceAll(/\{\{~?!--[\s\S]*?--~?\}\}|\{\{~?![\s\S]*?\}\}/g, (comment) =>
    comment.replaceAll(/[^\n]/g, " "),
  );
}
