// `if`, `with` and `range` → blocks of Handlebars. What is in them is translated by the walk that is given.

import { assignedOutside, type GoBlock, type GoNode, usesVariable } from "../go/go-syntax.ts";
import { ANY, BOOL, NUMBER, STRING } from "../go/go-types.ts";
import { isReset } from "../go/idioms.ts";
import { type Around, blockPiece, type Done, NOT_TRANSLATED_PIECE, type Piece, type Walk } from "./piece.ts";
import { identifierOf, lastName, type Scope, type Value, withVariable } from "./scope.ts";
import { conditionOf } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";
import { placeOf, type YamlPosition } from "./yaml-position.ts";

export function translateBlock(node: GoBlock, around: Around, walk: Walk): Done {
  if (placeOf(around.position).isInBlock && !around.after())
    around.scope.report("warning", node, `Check the white space: {{ ${node.kind} }} is inside of a block scalar`);
  if (node.kind === "if") return conditional(node, around, walk);
  if (node.kind === "with") return withBlock(node, around, walk);
  return loop(node, around, walk);
}

function conditional(node: GoBlock, { scope, position, after }: Around, walk: Walk): Done {
  const branches: { tag: string; body: readonly Piece[] }[] = [];
  let current: GoBlock | undefined = node;
  let inner = scope;
  let first: YamlPosition | undefined;
  let isTotal = false;
  while (current !== undefined) {
    const [name] = current.pipeline.variables;
    const value = translatePipeline(current.pipeline, inner);
    const tag: string = `{{${branches.length === 0 ? "#if" : "else if"} ${conditionOf(value)}}}`;
    const scoped = name === undefined || current.pipeline.assigns ? inner : withVariable(inner, name, value);
    const done = walk(current.body, { scope: scoped, position, after });
    first ??= done.position;
    branches.push({ tag, body: done.pieces });
    inner = scoped;
    const otherwise: readonly GoNode[] = current.otherwise;
    const [only, ...others] = otherwise;
    const isChain = only?.kind === "if" && others.length === 0;
    if (!isChain && otherwise.length > 0) {
      branches.push({ tag: "{{else}}", body: walk(otherwise, { scope: inner, position, after }).pieces });
      isTotal = true;
    }
    current = isChain ? only : undefined;
  }
  return { pieces: [{ kind: "block", branches, close: "{{/if}}", isTotal }], position: first ?? position };
}

/** The value gets a name; only the empty map would be true in `#with`. */
function withBlock(node: GoBlock, { scope, position, after }: Around, walk: Walk): Done {
  const value = translatePipeline(node.pipeline, scope);
  const name = identifierOf(node.pipeline.variables[0] ?? lastName(value.text));
  const dot: Value = { text: name, type: value.type };
  const declared = node.pipeline.variables[0];
  const named = declared === undefined ? scope : withVariable(scope, declared, dot);
  const body = walk(node.body, { scope: { ...named, dot }, position, after });
  const otherwise =
    node.otherwise.length > 0 ? walk(node.otherwise, { scope: named, position, after }).pieces : undefined;
  const condition = blockPiece("if", conditionOf(dot), body.pieces, otherwise);
  return { pieces: [blockPiece("let", `${value.text} as |${name}|`, [condition])], position: body.position };
}

function loop(node: GoBlock, { scope, position, after }: Around, walk: Walk): Done {
  const over = translatePipeline(node.pipeline, scope);
  const { variables, assigns } = node.pipeline;
  const refused: Piece[] = assigns ? [NOT_TRANSLATED_PIECE] : [];
  if (assigns)
    scope.report("error", node, "Cannot translate a {{ range }} that assigns to outer variables: declare them with :=");
  const [keyName, itemName] = variables.length > 1 ? variables : [undefined, variables[0]];
  const item = identifierOf(itemName === undefined || itemName === "_" ? "item" : itemName);
  const key =
    keyName === undefined || keyName === "_" || !usesVariable(node.body, keyName) ? undefined : identifierOf(keyName);
  const element = over.type.kind === "list" || over.type.kind === "map" ? over.type.element : ANY;
  const isList = over.type.kind === "list";
  const flag = [...assignedOutside(node.body)].find((name) => node.body.some((inner) => isReset(inner, name)));
  for (const name of assignedOutside(node.body)) {
    if (name === flag) continue;
    const message = `Cannot translate this {{ range }}: it sets $${name} in every turn; use a helper on the whole list (join, pluck, appContainers, without)`;
    scope.report("error", node, message);
    refused.push(NOT_TRANSLATED_PIECE);
  }
  const dot: Value = { text: item, type: element };
  const keyType = isList ? NUMBER : STRING;
  const inside: Scope = { ...scope, dot, isInside: true };
  const keyed =
    keyName === undefined || key === undefined ? inside : withVariable(inside, keyName, { text: key, type: keyType });
  const named = itemName === undefined ? keyed : withVariable(keyed, itemName, dot);
  const flagged = flag === undefined ? named : withVariable(named, flag, { text: identifierOf(flag), type: BOOL });
  const body = node.body.filter((each) => flag === undefined || !isReset(each, flag));
  const done = walk(body, { scope: flagged, position, after });
  const list = isList ? over.text : `(sorted ${over.text})`;
  const head = `${list} as |${key === undefined ? item : `${item} ${key}`}|`;
  const pieces =
    flag === undefined ? done.pieces : [blockPiece("let", `@first as |${identifierOf(flag)}|`, done.pieces)];
  const otherwise = node.otherwise.length > 0 ? walk(node.otherwise, { scope, position, after }).pieces : undefined;
  return { pieces: [...refused, blockPiece("each", head, pieces, otherwise)], position: done.position };
}
