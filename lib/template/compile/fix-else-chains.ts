// White space that Handlebars 4.7 gets wrong, fixed in its syntax tree.

import { trimEnd } from "@outrigger/base";
import type { BlockNode, ContentNode, ProgramNode, StatementNode } from "./handlebars-syntax.ts";

/**
 * Fixes, in place, the white space around `{{/if}}` after an `{{else if}}` chain: Handlebars 4.7 checks the first `else` branch to
 * decide whether the closing tag is alone on its line, and never strips the last branch.
 */
export function fixElseChains(program: ProgramNode, isRoot: boolean): void {
  for (let index = 0; index < program.body.length; index++) {
    const statement = program.body[index] as StatementNode;
    if (statement.type !== "BlockStatement" && statement.type !== "DecoratorBlock") continue;
    if (statement.program) fixElseChains(statement.program, false);
    if (statement.type === "DecoratorBlock") continue;
    if (statement.inverse) fixElseChains(statement.inverse, false);
    if (statement.inverse?.chained) fixClosing(program.body, index, statement, statement.inverse, isRoot);
  }
}

function fixClosing(
  body: readonly StatementNode[],
  index: number,
  block: BlockNode,
  inverse: ProgramNode,
  isRoot: boolean,
): void {
  if (!isLineEndNext(body, index, isRoot)) return;
  const next = body[index + 1];
  const first = (inverse.body[0] as BlockNode).program;
  const last = lastBranch(block);
  const handlebarsAlone = first !== undefined && endsAtLineStart(first);
  const isAlone = endsAtLineStart(last);
  if (isAlone) stripLastLine(last);
  if (next?.type !== "ContentStatement" || handlebarsAlone === isAlone) return;
  const lineEnd = /^[ \t]*\r?\n?/.exec(next.original)?.[0] ?? "";
  if (isAlone) {
    if (!next.rightStripped && next.value.startsWith(lineEnd)) next.value = next.value.slice(lineEnd.length);
  } else if (!block.closeStrip.close && !(next.value === "" && opensWithTilde(body[index + 2]))) {
    next.value = lineEnd + next.value;
  }
}

/** `{{~` strips all white space before it, so none is restored. */
function opensWithTilde(statement: StatementNode | undefined): boolean {
  if (statement === undefined) return false;
  if ("openStrip" in statement) return statement.openStrip.open;
  return "strip" in statement && statement.strip.open;
}

function lastBranch(block: BlockNode): ProgramNode {
  let current = block;
  while (current.inverse?.chained) current = current.inverse.body.at(-1) as BlockNode;
  return (current.inverse ?? current.program) as ProgramNode;
}

function endsAtLineStart(program: ProgramNode): boolean {
  const last = program.body.at(-1);
  return last?.type === "ContentStatement" && /(?:^|\S)[^\S\n]*\n\s*$/.test(last.original);
}

function isLineEndNext(body: readonly StatementNode[], index: number, isRoot: boolean): boolean {
  const next = body[index + 1];
  if (next === undefined) return isRoot;
  if (next.type !== "ContentStatement") return false;
  return (body[index + 2] !== undefined || !isRoot ? /^\s*?\r?\n/ : /^\s*?(\r?\n|$)/).test(next.original);
}

function stripLastLine(program: ProgramNode): void {
  const last = program.body.at(-1) as ContentNode;
  last.value = trimEnd(last.value, " \t");
}
