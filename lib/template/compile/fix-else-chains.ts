// Mends what Handlebars 4.7 does wrongly with the white space around `{{/if}}` after an `{{else if}}` chain: it looks at
// the first `else` branch to tell whether the closing tag stands alone on its line, and strips the last branch never.

import type { BlockNode, ContentNode, ProgramNode, StatementNode } from "./handlebars-syntax.ts";

/** Edits the program in place: give it one that nobody else holds. */
export function fixElseChains(program: ProgramNode): void {
  mendProgram(program, true);
}

function mendProgram(program: ProgramNode, isRoot: boolean): void {
  for (let index = 0; index < program.body.length; index++) {
    const statement = program.body[index] as StatementNode;
    if (statement.type !== "BlockStatement" && statement.type !== "DecoratorBlock") continue;
    if (statement.program) mendProgram(statement.program, false);
    if (statement.type === "DecoratorBlock") continue;
    if (statement.inverse) mendProgram(statement.inverse, false);
    if (statement.inverse?.chained) mendClosing(program.body, index, statement, statement.inverse, isRoot);
  }
}

function mendClosing(
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
  const stoodAlone = first !== undefined && endsAtLineStart(first);
  const standsAlone = endsAtLineStart(last);
  if (standsAlone) stripLastLine(last);
  if (next?.type !== "ContentStatement" || stoodAlone === standsAlone) return;
  const lineEnd = /^[ \t]*\r?\n?/.exec(next.original)?.[0] ?? "";
  if (standsAlone) {
    if (!next.rightStripped && next.value.startsWith(lineEnd)) next.value = next.value.slice(lineEnd.length);
  } else if (!block.closeStrip.close && !(next.value === "" && opensWithTilde(body[index + 2]))) {
    next.value = lineEnd + next.value;
  }
}

/** `{{~` takes all white space before it, so nothing of it is to be given back. */
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
  last.value = last.value.replace(/[ \t]+$/, "");
}
