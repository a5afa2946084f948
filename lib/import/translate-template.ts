// The nodes of a Go template → pieces of a Handlebars template. Variables become `#let` blocks over the rest of their block.

import { injectionHelpers } from "../inject/template-helpers.ts";
import { TEMPLATE_ROOTS } from "../template/compile/template-roots.ts";
import { assignedOutside, isBlock, usesVariable } from "./assignments.ts";
import { convertedTo, tagOf, translateOutput } from "./bind-output.ts";
import type { GoBlock, GoNode, GoTemplate, Pipeline, Position } from "./go-syntax.ts";
import { ANY, BOOL, type GoType, NUMBER, STRING, TEMPLATE_DATA } from "./go-types.ts";
import { growingList, isPodPorts, isReset, withoutSpace } from "./idioms.ts";
import { mergeSiblings } from "./merge-siblings.ts";
import type { Piece, PieceBlock } from "./piece.ts";
import { type Report, type Scope, type Value, withVariable } from "./scope.ts";
import { call, conditionOf, refuse, translatePipeline } from "./translate-expression.ts";
import { advance, placeOf, SLOT, START, type YamlPosition } from "./yaml-position.ts";

export interface TranslatedTemplate {
  readonly pieces: readonly Piece[];
  /** `{{ define }}`s that are called, by the name of their partial. */
  readonly partials: ReadonlyMap<string, readonly Piece[]>;
}

interface Done {
  readonly pieces: readonly Piece[];
  readonly position: YamlPosition;
}

const ROOT: Value = { text: "this", type: TEMPLATE_DATA, isRoot: true };

/** @param name of the template: partials that it defines begin with it */
export function translateTemplate(template: GoTemplate, name: string, report: Report): TranslatedTemplate {
  const partials = new Map<string, readonly Piece[]>();
  const open = new Set<string>();
  const variables = new Map([["", ROOT]]);
  const { pieces } = sequence(template.nodes, { dot: ROOT, variables, isInside: false, report }, START, () => true);
  return { pieces, partials };

  function sequence(nodes: readonly GoNode[], scope: Scope, start: YamlPosition, after: () => boolean): Done {
    let pieces: readonly Piece[] = [];
    let position = start;
    for (const [index, node] of nodes.entries()) {
      const rest = nodes.slice(index + 1);
      const endsLine = () => endsLineNext(rest, after);
      if (node.kind === "text") {
        pieces = [...pieces, ...textPieces(node.text, position)];
        position = advance(position, node.text);
      } else if (node.kind === "comment") {
        pieces = [...pieces, { kind: "comment", text: `{{!-- ${node.text.replaceAll("--}}", "-- }}")} --}}` }];
      } else if (node.kind === "action" && node.pipeline.variables.length > 0) {
        const done = assignment(node.pipeline, rest, scope, position, after);
        return { pieces: [...pieces, ...done.pieces], position: done.position };
      } else if (node.kind === "action") {
        const done = output(node.pipeline, scope, position, pieces, endsLine, rest);
        pieces = done.pieces;
        position = done.position;
      } else if (node.kind === "template") {
        const done = partialCall(node.name, node.pipeline, scope, position, node, endsLine);
        pieces = [...pieces, ...done.pieces];
        position = done.position;
      } else if (isBlock(node)) {
        const folded = foldedRange(node, rest, scope, position, pieces, after);
        if (folded !== undefined) return folded;
        const done = block(node, scope, position, endsLine);
        pieces = [...pieces, ...done.pieces];
        position = done.position;
        const assigned =
          node.kind === "range" ? [] : [...assignedOutside([node])].filter((name) => usesVariable(rest, name));
        if (assigned.length > 0) {
          const bound = assigned.map((name) => [name, valueAfter([node], name, scope)] as const);
          const remaining = letBlock(bound, rest, scope, position, after);
          return { pieces: [...pieces, ...remaining.pieces], position: remaining.position };
        }
      } else {
        report(
          "error",
          node,
          `Cannot translate {{ ${node.kind} }}: Handlebars loops run to their end; put a condition around the rest of the loop's body`,
        );
      }
    }
    return { pieces, position };
  }

  /** `{{ $x := a }}` and `{{ $x = a }}`: a name for the rest of the block. */
  function assignment(
    pipeline: Pipeline,
    rest: readonly GoNode[],
    scope: Scope,
    position: YamlPosition,
    after: () => boolean,
  ): Done {
    const [name = ""] = pipeline.variables;
    const value = translatePipeline(pipeline, scope);
    const flagged = value.literal === true ? podPorts(name, rest) : undefined;
    if (flagged !== undefined) return portsText(flagged, scope, position, after);
    if (!usesVariable(rest, name)) return sequence(rest, withVariable(scope, name, value), position, after);
    return letBlock([[name, value]], rest, scope, position, after);
  }

  function letBlock(
    bound: readonly (readonly [string, Value])[],
    rest: readonly GoNode[],
    scope: Scope,
    position: YamlPosition,
    after: () => boolean,
  ): Done {
    const isPlain = ({ literal, isEmptyList }: Value) => literal !== undefined || isEmptyList === true;
    const inner = bound.reduce(
      (current, [name, value]) =>
        withVariable(
          current,
          name,
          isPlain(value) || value.isRoot === true ? value : { ...value, text: identifierOf(name) },
        ),
      scope,
    );
    const done = sequence(rest, inner, position, after);
    const named = bound.filter(([, value]) => !isPlain(value) && value.isRoot !== true);
    if (named.length === 0) return done;
    const texts = named.map(([, { text }]) => text).join(" ");
    const tag = `{{#let ${texts} as |${named.map(([name]) => identifierOf(name)).join(" ")}|}}`;
    const piece: PieceBlock = {
      kind: "block",
      branches: [{ tag, body: done.pieces }],
      close: "{{/let}}",
      isTotal: true,
    };
    return { pieces: [piece], position: done.position };
  }

  /** What a variable is after an `if` that may have set it: a choice between the values of its branches. */
  function valueAfter(nodes: readonly GoNode[], name: string, scope: Scope): Value {
    return nodes.reduce<Value>((value, node) => {
      const current = withVariable(scope, name, value);
      if (node.kind === "action" && node.pipeline.assigns && node.pipeline.variables[0] === name)
        return translatePipeline(node.pipeline, current);
      if (!isBlock(node) || !assignedOutside([node]).has(name)) return value;
      if (node.kind !== "if") {
        return refuse(
          scope,
          node,
          `$${name} is set in a {{ ${node.kind} }}`,
          "compute the value with helpers before the block",
        );
      }
      const condition = translatePipeline(node.pipeline, current);
      const yes = valueAfter(node.body, name, current);
      const no = valueAfter(node.otherwise, name, current);
      const type: GoType = yes.type.kind === no.type.kind ? yes.type : ANY;
      return call("ternary", [yes, no, { text: conditionOf(condition), type: BOOL }], type);
    }, scope.variables.get(name) ?? { text: "undefined", type: ANY });
  }

  function output(
    pipeline: Pipeline,
    scope: Scope,
    position: YamlPosition,
    pieces: readonly Piece[],
    endsLine: () => boolean,
    rest: readonly GoNode[],
  ): Done {
    const place = placeOf(position);
    const { value, form, before } = translateOutput(pipeline, scope, place);
    const isWhole = place.isBare && !place.isInBlock && endsLine();
    if (place.isComment) {
      report(
        "warning",
        pipeline,
        `Left out {{ ${pipeline.source} }}: it is in a YAML comment, where no value can be bound; write comments as {{!-- … --}}`,
      );
      return { pieces, position: advance(position, SLOT) };
    }
    if (form === "whole") return wholeValue(value, before, position, pieces, pipeline, rest, place.isInBlock);
    const bound = form === "plain" && isWhole ? convertedTo(place.type, value) : value;
    const quote = form === "quoted" ? '"' : "";
    const tag: Piece = { kind: "tag", text: `${quote}${tagOf(bound)}${quote}` };
    return { pieces: [...pieces, tag], position: advance(position, SLOT) };
  }

  /** A map or list in the place of its YAML text. */
  function wholeValue(
    value: Value,
    before: string,
    position: YamlPosition,
    pieces: readonly Piece[],
    pipeline: Pipeline,
    rest: readonly GoNode[],
    isInBlock: boolean,
  ): Done {
    if (isInBlock) {
      report(
        "error",
        pipeline,
        "Cannot translate toYaml inside of a block scalar: there is no YAML text of a value; use toJson",
      );
      return { pieces, position };
    }
    const spaced: readonly Piece[] =
      before === "" ? pieces : [...pieces, { kind: "text", text: before, isLiteral: false }];
    const moved = advance(position, before);
    const next = advance(moved, SLOT);
    const column = moved.line.trim() === "" ? moved.line.length : -1;
    const above = siblings(moved, column);
    if (followedByEntry(rest, column)) {
      report(
        "error",
        pipeline,
        "Cannot translate toYaml here: entries of the same mapping come after it; put them before it",
      );
    }
    if (!above) return { pieces: [...spaced, { kind: "tag", text: tagOf(value) }], position: next };
    const merged = mergeSiblings(spaced, column, value.text);
    if (merged === undefined) {
      report(
        "error",
        pipeline,
        "Cannot translate toYaml here: it adds to a mapping whose other entries are more than single values; bind the whole mapping as one value",
      );
      return { pieces, position: next };
    }
    return { pieces: [...merged.pieces, { kind: "tag", text: merged.tag }], position: next };
  }

  function block(node: GoBlock, scope: Scope, position: YamlPosition, after: () => boolean): Done {
    if (isInBlock(position) && !after())
      report("warning", node, `Check the white space: {{ ${node.kind} }} is inside of a block scalar`);
    if (node.kind === "if") return conditional(node, scope, position, after);
    if (node.kind === "with") return withBlock(node, scope, position, after);
    return loop(node, scope, position, after);
  }

  function conditional(node: GoBlock, scope: Scope, position: YamlPosition, after: () => boolean): Done {
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
      const done = sequence(current.body, scoped, position, after);
      first ??= done.position;
      branches.push({ tag, body: done.pieces });
      inner = scoped;
      const otherwise: readonly GoNode[] = current.otherwise;
      const [only, ...others] = otherwise;
      const isChain = only?.kind === "if" && others.length === 0;
      if (!isChain && otherwise.length > 0) {
        branches.push({ tag: "{{else}}", body: sequence(otherwise, inner, position, after).pieces });
        isTotal = true;
      }
      current = isChain ? only : undefined;
    }
    return { pieces: [{ kind: "block", branches, close: "{{/if}}", isTotal }], position: first ?? position };
  }

  /** The value gets a name; only the empty map would be true in `#with`. */
  function withBlock(node: GoBlock, scope: Scope, position: YamlPosition, after: () => boolean): Done {
    const value = translatePipeline(node.pipeline, scope);
    const name = identifierOf(node.pipeline.variables[0] ?? lastName(value.text));
    const dot: Value = { text: name, type: value.type };
    const declared = node.pipeline.variables[0];
    const named = declared === undefined ? scope : withVariable(scope, declared, dot);
    const body = sequence(node.body, { ...named, dot }, position, after);
    const otherwise = sequence(node.otherwise, named, position, after);
    const condition: PieceBlock = {
      kind: "block",
      branches: [
        { tag: `{{#if ${conditionOf(dot)}}}`, body: body.pieces },
        ...(node.otherwise.length > 0 ? [{ tag: "{{else}}", body: otherwise.pieces }] : []),
      ],
      close: "{{/if}}",
      isTotal: node.otherwise.length > 0,
    };
    const tag = `{{#let ${value.text} as |${name}|}}`;
    return {
      pieces: [{ kind: "block", branches: [{ tag, body: [condition] }], close: "{{/let}}", isTotal: true }],
      position: body.position,
    };
  }

  function loop(node: GoBlock, scope: Scope, position: YamlPosition, after: () => boolean): Done {
    const over = translatePipeline(node.pipeline, scope);
    const { variables, assigns } = node.pipeline;
    if (assigns)
      report("error", node, "Cannot translate a {{ range }} that assigns to outer variables: declare them with :=");
    const [keyName, itemName] = variables.length > 1 ? variables : [undefined, variables[0]];
    const item = identifierOf(itemName === undefined || itemName === "_" ? "item" : itemName);
    const key =
      keyName === undefined || keyName === "_" || !usesVariable(node.body, keyName) ? undefined : identifierOf(keyName);
    const element = over.type.kind === "list" || over.type.kind === "map" ? over.type.element : ANY;
    const isList = over.type.kind === "list";
    const flag = [...assignedOutside(node.body)].find((name) => node.body.some((inner) => isReset(inner, name)));
    for (const name of assignedOutside(node.body)) {
      if (name === flag) continue;
      report(
        "error",
        node,
        `Cannot translate this {{ range }}: it sets $${name} in every turn; use a helper on the whole list (join, pluck, appContainers, without)`,
      );
    }
    const dot: Value = { text: item, type: element };
    const keyType = isList ? NUMBER : STRING;
    const inside: Scope = { ...scope, dot, isInside: true };
    const keyed =
      keyName === undefined || key === undefined ? inside : withVariable(inside, keyName, { text: key, type: keyType });
    const named = itemName === undefined ? keyed : withVariable(keyed, itemName, dot);
    const flagged = flag === undefined ? named : withVariable(named, flag, { text: identifierOf(flag), type: BOOL });
    const body = node.body.filter((each) => flag === undefined || !isReset(each, flag));
    const done = sequence(body, flagged, position, after);
    const list = isList ? over.text : `(sorted ${over.text})`;
    const tag = `{{#each ${list} as |${key === undefined ? item : `${item} ${key}`}|}}`;
    const pieces: readonly Piece[] =
      flag === undefined
        ? done.pieces
        : [
            {
              kind: "block",
              branches: [{ tag: `{{#let @first as |${identifierOf(flag)}|}}`, body: done.pieces }],
              close: "{{/let}}",
              isTotal: true,
            },
          ];
    const otherwise =
      node.otherwise.length > 0
        ? [{ tag: "{{else}}", body: sequence(node.otherwise, scope, position, after).pieces }]
        : [];
    return {
      pieces: [{ kind: "block", branches: [{ tag, body: pieces }, ...otherwise], close: "{{/each}}", isTotal: false }],
      position: done.position,
    };
  }

  /** A loop that only makes a list: the list is a helper's. */
  function foldedRange(
    node: GoBlock,
    rest: readonly GoNode[],
    scope: Scope,
    position: YamlPosition,
    pieces: readonly Piece[],
    after: () => boolean,
  ): Done | undefined {
    const grown = growingList(node);
    if (grown === undefined || scope.variables.get(grown.variable)?.isEmptyList !== true) return undefined;
    const over = translatePipeline(grown.over, scope);
    const element = over.type.kind === "list" ? over.type.element : ANY;
    const field = grown.names.join(".");
    const isContainers = over.text === "spec.containers" || over.text === "@root.spec.containers";
    const type: GoType = { kind: "list", element: STRING };
    let value: Value;
    if (grown.without === "istio-proxy" && field === "Name" && isContainers)
      value = call("appContainers", [over], type);
    else if (
      field !== "" &&
      grown.names.length === 1 &&
      element.kind === "object" &&
      element.field(field)?.path.length === 1
    ) {
      const plucked = call("pluck", [{ text: `"${element.field(field)?.path[0]}"`, type: STRING }, over], type);
      value =
        grown.without === undefined
          ? plucked
          : call("without", [plucked, { text: `"${grown.without}"`, type: STRING }], type);
      if (grown.without !== undefined && field !== "Name") return undefined;
    } else return undefined;
    const done = letBlock([[grown.variable, value]], rest, scope, position, after);
    return { pieces: [...pieces, ...done.pieces], position: done.position };
  }

  /** The list of ports between its brackets, where the flag starts it. */
  function podPorts(flag: string, rest: readonly GoNode[]): readonly GoNode[] | undefined {
    const index = rest.findIndex(
      (node) => node.kind !== "comment" && (node.kind !== "text" || node.text.trim() !== ""),
    );
    const range = rest[index];
    const close = rest[index + 1];
    if (range === undefined || !isPodPorts(range, flag) || close?.kind !== "text" || !/^\s*]/.test(close.text))
      return undefined;
    const text = close.text.slice(close.text.indexOf("]"));
    return [{ ...close, text: text.slice(1) }, ...rest.slice(index + 2)];
  }

  function portsText(rest: readonly GoNode[], scope: Scope, position: YamlPosition, after: () => boolean): Done {
    const list = scope.isInside ? "@root.spec.containers" : "spec.containers";
    const done = sequence(rest, scope, advance(position, SLOT), after);
    // The opening bracket is the end of the text before: PORTS takes it away.
    return {
      pieces: [{ kind: "tag", text: `${PORTS}{{toJSON (podPorts ${list})}}` }, ...done.pieces],
      position: done.position,
    };
  }

  function partialCall(
    called: string,
    pipeline: Pipeline | undefined,
    scope: Scope,
    position: YamlPosition,
    at: Position,
    after: () => boolean,
  ): Done {
    const nodes = template.definitions.get(called);
    const value = pipeline === undefined ? undefined : translatePipeline(pipeline, scope);
    if (nodes === undefined || open.has(called)) {
      const reason =
        nodes === undefined ? "it is not defined in this template" : "it calls itself, which no partial can";
      report("error", at, `Cannot translate {{ template ${JSON.stringify(called)} }}: ${reason}`);
      return { pieces: [], position };
    }
    if (withoutSpace(nodes).length === 0) return { pieces: [], position };
    const partial = partialName(name, called);
    open.add(called);
    const dot: Value = value?.isRoot === true ? ROOT : { text: "this", type: value?.type ?? ANY };
    const inner: Scope = { dot, variables: new Map([["", dot]]), isInside: false, report };
    const done = sequence(nodes, inner, position, after);
    open.delete(called);
    partials.set(partial, done.pieces);
    const context = value === undefined || value.isRoot === true ? (scope.isInside ? " @root" : "") : ` ${value.text}`;
    return {
      pieces: [{ kind: "partial", text: `{{> ${partial}${context}}}`, body: done.pieces }],
      position: done.position,
    };
  }
}

/** Before a tag that also takes the place of the bracket before it. */
export const PORTS = "\ue003";

function partialName(template: string, called: string): string {
  return `${template}-${called}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
}

const RESERVED: ReadonlySet<string> = new Set([
  ...TEMPLATE_ROOTS,
  "this",
  "true",
  "false",
  "null",
  "undefined",
  "as",
  "if",
  "each",
  "with",
  "let",
  "unless",
  "lookup",
]);

/** A name for a block parameter that hides no root and no helper. */
function identifierOf(name: string): string {
  const plain = name === "" ? "value" : name;
  return RESERVED.has(plain) || Object.hasOwn(injectionHelpers, plain) ? `${plain}Value` : plain;
}

function lastName(text: string): string {
  return /^[\w@.]+$/.test(text) ? text.split(/[@.]/).at(-1) || "value" : "value";
}

/** Blank lines count in a block scalar only; those at the start of a text are before any that it opens. */
function textPieces(text: string, position: YamlPosition): readonly Piece[] {
  if (isInBlock(position)) return [{ kind: "text", text, isLiteral: true }];
  const lead = /^\s*\n/.exec(text)?.[0] ?? "";
  const isLiteral = /[|>][-+0-9]*[ \t]*\n/.test(text);
  const body: Piece = {
    kind: "text",
    text: isLiteral ? text.slice(lead.length) : withClosersInside(text.slice(lead.length), lead !== ""),
    isLiteral,
  };
  return lead === "" ? [body] : [{ kind: "text", text: lead, isLiteral: false }, body];
}

/** Go's YAML accepts the bracket that closes a flow collection at the column of its key; YAML itself does not. */
function withClosersInside(text: string, startsLine: boolean): string {
  const [first = "", ...others] = text.split("\n");
  const moved = (line: string) => (/^[ \t]*[}\]],?[ \t]*$/.test(line) ? `  ${line}` : line);
  return [startsLine ? moved(first) : first, ...others.map(moved)].join("\n");
}

function isInBlock(position: YamlPosition): boolean {
  return placeOf(position).isInBlock;
}

/** Whether the mapping that a line at this column belongs to has entries above. */
function siblings(position: YamlPosition, column: number): boolean {
  return column !== -1 && position.levels.some((level) => level.column === column && !level.isItem);
}

function followedByEntry(rest: readonly GoNode[], column: number): boolean {
  const [next] = rest;
  if (next?.kind !== "text" || column === -1) return false;
  const line = next.text
    .split("\n")
    .slice(1)
    .find((each) => each.trim() !== "" && !each.trim().startsWith("#"));
  return line !== undefined && line.search(/\S/) === column && !line.trim().startsWith("-");
}

/** Whether a line ends before any further output, whichever branches are taken. */
function endsLineNext(nodes: readonly GoNode[], after: () => boolean): boolean {
  const [node, ...rest] = nodes;
  if (node === undefined) return after();
  if (node.kind === "text")
    return /^[ \t]*(\n|#)/.test(node.text) || (node.text.trim() === "" && endsLineNext(rest, after));
  if (node.kind === "comment" || (node.kind === "action" && node.pipeline.variables.length > 0))
    return endsLineNext(rest, after);
  if (!isBlock(node)) return node.kind === "template";
  const continued = () => endsLineNext(rest, after);
  return endsLineNext(node.body, continued) && endsLineNext(node.otherwise, continued);
}
