// The nodes of a Go template → pieces of a Handlebars template. Variables become `#let` blocks over the rest of their block.

import {
  assignedOutside,
  type GoBlock,
  type GoNode,
  type GoTemplate,
  isBlock,
  type Pipeline,
  type Position,
  usesVariable,
} from "../go/go-syntax.ts";
import { ANY, BOOL, type GoType, STRING, TEMPLATE_DATA } from "../go/go-types.ts";
import { foundItem, growingList, withoutSpace } from "../go/idioms.ts";
import { calling, definitionOf } from "./definitions.ts";
import { type Indented, includeOf, withoutIndent } from "./indented.ts";
import { type Around, blockPiece, type Done, NOT_TRANSLATED_PIECE, type Piece } from "./piece.ts";
import { afterPodPorts, portsText, withPorts } from "./pod-ports.ts";
import { identifierOf, type Report, type Scope, type Value, withVariable } from "./scope.ts";
import { endsLineNext, textPieces } from "./text-around.ts";
import { translateAction } from "./translate-action.ts";
import { translateBlock } from "./translate-block.ts";
import { call, conditionOf, refuse, stringValue } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";
import { advance, START } from "./yaml-position.ts";

const ROOT: Value = { text: "this", type: TEMPLATE_DATA, isRoot: true };

/**
 * @param name of the template: partials that it defines begin with it
 * @returns `partials`: the `{{ define }}`s that are called, by the name of their partial
 */
export function translateTemplate(template: GoTemplate, name: string, report: Report) {
  const partials = new Map<string, readonly Piece[]>();
  let count = 0;
  const definitions = { bodies: template.definitions, countCall: () => ++count };
  const variables = new Map([["", ROOT]]);
  const scope: Scope = { dot: ROOT, variables, isInside: false, definitions, calls: [], indent: 0, report };
  const { pieces } = walk(template.nodes, { scope, position: START, after: () => true });
  return { pieces: withPorts(pieces), partials };

  function walk(nodes: readonly GoNode[], { scope, position: start, after }: Around): Done {
    let pieces: readonly Piece[] = [];
    let position = start;
    for (const [index, node] of nodes.entries()) {
      const rest = nodes.slice(index + 1);
      const here: Around = { scope, position, after: () => endsLineNext(rest, after) };
      const following: Around = { scope, position, after };
      let done: Done;
      if (node.kind === "text") {
        const text = node.text.replaceAll("\n", `\n${" ".repeat(scope.indent)}`);
        done = { pieces: [...pieces, ...textPieces(text, position)], position: advance(position, text) };
      } else if (node.kind === "comment") {
        const comment = `{{!-- ${node.text.replaceAll("--}}", "-- }}")} --}}`;
        done = { pieces: [...pieces, { kind: "comment", text: comment }], position };
      } else if (node.kind === "action" && node.pipeline.variables.length > 0) {
        return appended(pieces, assignment(node.pipeline, rest, following));
      } else if (node.kind === "action") {
        const { inner, by } = withoutIndent(node.pipeline);
        const included = includeOf(inner);
        done =
          included === undefined
            ? translateAction(node.pipeline, here, pieces)
            : appended(pieces, inclusion(included.name, included.argument, by, here));
      } else if (node.kind === "template") {
        const isIncluded = scope.indent > 0 && node.pipeline !== undefined;
        done = appended(
          pieces,
          isIncluded
            ? inclusion(node.name, node.pipeline, undefined, here)
            : partialCall(node.name, node.pipeline, here, node),
        );
      } else if (isBlock(node)) {
        const folded = node.kind === "range" ? foldRange(node, scope) : undefined;
        if (folded !== undefined) return appended(pieces, letBlock([folded], rest, following));
        done = appended(pieces, translateBlock(node, here, walk));
        const bound = changedBy(node, rest, scope);
        if (bound.length > 0)
          return appended(done.pieces, letBlock(bound, rest, { ...following, position: done.position }));
      } else {
        const message = `Cannot translate {{ ${node.kind} }}: Handlebars loops run to their end; put a condition around the rest of the loop's body`;
        report("error", node, message);
        done = { pieces: [...pieces, NOT_TRANSLATED_PIECE], position };
      }
      ({ pieces, position } = done);
      const { whole } = position;
      if (whole?.followedBy === undefined) continue;
      report("error", whole.at, `Cannot translate toYaml here: ${whole.followedBy} come after it; put them before it`);
      pieces = [...pieces, NOT_TRANSLATED_PIECE];
      position = { ...position, whole: undefined };
    }
    return { pieces, position };
  }

  /** `{{ $x := a }}` and `{{ $x = a }}`: a name for the rest of the block. */
  function assignment(pipeline: Pipeline, rest: readonly GoNode[], around: Around): Done {
    const [name = ""] = pipeline.variables;
    const value = translatePipeline(pipeline, around.scope);
    const ports = value.literal === true ? afterPodPorts(name, rest) : undefined;
    if (ports !== undefined) return portsText(ports, around, walk);
    if (!usesVariable(rest, name)) return walk(rest, { ...around, scope: withVariable(around.scope, name, value) });
    return letBlock([[name, value]], rest, around);
  }

  function letBlock(bound: readonly Bound[], rest: readonly GoNode[], around: Around): Done {
    const scope = bound.reduce((current, [name, value]) => {
      const isNamed = needsName(value);
      return withVariable(current, name, isNamed ? { ...value, text: identifierOf(name) } : value);
    }, around.scope);
    const done = walk(rest, { ...around, scope });
    const named = bound.filter(([, value]) => needsName(value));
    if (named.length === 0) return done;
    const texts = named.map(([, { text }]) => text).join(" ");
    const names = named.map(([name]) => identifierOf(name)).join(" ");
    return { pieces: [blockPiece("let", `${texts} as |${names}|`, done.pieces)], position: done.position };
  }

  function partialCall(
    called: string,
    pipeline: Pipeline | undefined,
    { scope, position, after }: Around,
    at: Position,
  ): Done {
    const value = pipeline === undefined ? undefined : translatePipeline(pipeline, scope);
    const nodes = definitionOf(called, scope, at);
    if (nodes === undefined) return { pieces: [NOT_TRANSLATED_PIECE], position };
    if (withoutSpace(nodes).length === 0) return { pieces: [], position };
    const partial = `${name}-${called}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
    const dot: Value = value?.isRoot === true ? ROOT : { text: "this", type: value?.type ?? ANY };
    const inner: Scope = { ...calling(scope, called, dot), isInside: false };
    const done = walk(nodes, { scope: inner, position, after });
    partials.set(partial, withPorts(done.pieces));
    const context = value === undefined || value.isRoot === true ? (scope.isInside ? " @root" : "") : ` ${value.text}`;
    const piece: Piece = { kind: "partial", text: `{{> ${partial}${context}}}`, body: done.pieces };
    return { pieces: [piece], position: done.position };
  }

  /** `include` gives a text, which Helm indents: the definition is written where it is called. */
  function inclusion(called: string, argument: Pipeline, by: Indented["by"], { scope, position, after }: Around): Done {
    const nodes = definitionOf(called, scope, argument);
    if (nodes === undefined) return { pieces: [NOT_TRANSLATED_PIECE], position };
    const indent = scope.indent + (by?.width ?? 0);
    const before = by === undefined ? "" : by.name === "nindent" ? `\n${" ".repeat(indent)}` : " ".repeat(by.width);
    const dot = translatePipeline(argument, scope);
    const inner: Scope = { ...calling(scope, called, dot), indent };
    const done = walk(nodes, { scope: inner, position: advance(position, before), after });
    return before === "" ? done : appended([{ kind: "text", text: before, isLiteral: false }], done);
  }
}

/** A variable with its value from here on. */
type Bound = readonly [name: string, value: Value];

/** Variables that a block may have set and that are read after it. */
function changedBy(node: GoBlock, rest: readonly GoNode[], scope: Scope): readonly Bound[] {
  if (node.kind === "range") return [];
  const assigned = [...assignedOutside([node])].filter((name) => usesVariable(rest, name));
  return assigned.map((name) => [name, valueAfter([node], name, scope)]);
}

/** Literals, empty lists and the root are written where they are used. */
function needsName({ literal, isEmptyList, isRoot }: Value): boolean {
  return literal === undefined && isEmptyList !== true && isRoot !== true;
}

function appended(pieces: readonly Piece[], done: Done): Done {
  return { pieces: [...pieces, ...done.pieces], position: done.position };
}

/** Returns a variable's value after an `if` that may have set it: a choice between the values of its branches. */
function valueAfter(nodes: readonly GoNode[], name: string, scope: Scope): Value {
  return nodes.reduce<Value>((value, node) => {
    const current = withVariable(scope, name, value);
    if (node.kind === "action" && node.pipeline.assigns && node.pipeline.variables[0] === name)
      return translatePipeline(node.pipeline, current);
    if (!isBlock(node) || !assignedOutside([node]).has(name)) return value;
    const folded = node.kind === "range" ? foldRange(node, current) : undefined;
    if (folded?.[0] === name) return folded[1];
    if (node.kind !== "if") {
      const reason = `$${name} is set in a {{ ${node.kind} }}; compute the value with helpers before the block`;
      return refuse(scope, node, reason);
    }
    const condition = translatePipeline(node.pipeline, current);
    const yes = valueAfter(node.body, name, current);
    const no = valueAfter(node.otherwise, name, current);
    const type: GoType = yes.type.kind === no.type.kind ? yes.type : ANY;
    return call("ternary", [yes, no, { text: conditionOf(condition), type: BOOL }], type);
  }, scope.variables.get(name) ?? { text: "undefined", type: ANY });
}

/** The variable that a loop sets, with its value after the loop; undefined for a loop that is translated as one. */
function foldRange(node: GoBlock, scope: Scope): Bound | undefined {
  return foldList(node, scope) ?? foldFlag(node, scope);
}

function foldList(node: GoBlock, scope: Scope): Bound | undefined {
  const grown = growingList(node);
  if (grown === undefined || scope.variables.get(grown.variable)?.isEmptyList !== true) return undefined;
  const over = translatePipeline(grown.over, scope);
  const isContainers = over.text === "spec.containers" || over.text === "@root.spec.containers";
  const { variable, without } = grown;
  const type = { kind: "list", element: STRING } as const;
  if (without === "istio-proxy" && grown.names.join(".") === "Name" && isContainers)
    return [variable, call("appContainers", [over], type)];
  const plucked = pluck(over, grown.names);
  if (plucked === undefined || (without !== undefined && grown.names[0] !== "Name")) return undefined;
  if (without === undefined) return [variable, plucked];
  return [variable, call("without", [plucked, { text: `"${without}"`, type: STRING }], type)];
}

/** `$x` is what an item sets it to if one of them has that text in its field, and what it was if none has. */
function foldFlag(node: GoBlock, scope: Scope): Bound | undefined {
  const found = foundItem(node);
  if (found === undefined || assignedOutside([node]).size !== 1) return undefined;
  const { variable, texts, to } = found;
  const before = scope.variables.get(variable);
  if (before === undefined) return undefined;
  const plucked = pluck(translatePipeline(found.over, scope), found.names);
  if (plucked === undefined) return undefined;
  const tests = texts.map((text) => call("has", [stringValue(text, scope, node), plucked], BOOL));
  const isFound = tests.length === 1 ? (tests[0] as Value) : call("or", tests, BOOL);
  const after = translatePipeline(to, scope);
  if (before.literal === false && after.literal === true) return [variable, isFound];
  if (before.literal === true && after.literal === false) return [variable, call("not", [isFound], BOOL)];
  const type = before.type.kind === after.type.kind ? before.type : ANY;
  return [variable, call("ternary", [after, before, isFound], type)];
}

/** One field of every item. */
function pluck(over: Value, names: readonly string[]): Value | undefined {
  const [name, ...others] = names;
  const element = over.type.kind === "list" ? over.type.element : ANY;
  if (name === undefined || others.length > 0 || element.kind !== "object") return undefined;
  const path = element.field(name)?.path ?? [];
  if (path.length !== 1) return undefined;
  return call("pluck", [{ text: `"${path[0]}"`, type: STRING }, over], { kind: "list", element: STRING });
}
