// `{{ pipeline }}` → a tag at its place in the YAML text: bound, converted, or whole with the entries above it.

import type { TypeSchema } from "@outrigger/pod";
import type { Command, GoNode, Pipeline } from "../go/go-syntax.ts";
import { isOwnValue } from "../go/go-types.ts";
import { mergeSiblings } from "./merge-siblings.ts";
import type { Around, Done, Piece } from "./piece.ts";
import { asGo, type Scope, type Value } from "./scope.ts";
import { followedByEntry, isInBlock, siblings } from "./text-around.ts";
import { call } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";
import { advance, placeOf, SLOT, type ValuePlace } from "./yaml-position.ts";

/** What is around an action in its block. */
interface Written {
  readonly pieces: readonly Piece[];
  readonly rest: readonly GoNode[];
}

/** @param written what is before it: siblings of a whole value are taken out of there */
export function translateAction(pipeline: Pipeline, { scope, position, after }: Around, written: Written): Done {
  const { pieces } = written;
  const place = placeOf(position);
  const { value, form, before } = translateOutput(pipeline, scope, place);
  const isWhole = place.isBare && !place.isInBlock && after();
  if (place.isComment) {
    scope.report(
      "warning",
      pipeline,
      `Left out {{ ${pipeline.source} }}: it is in a YAML comment, where no value can be bound; write comments as {{!-- … --}}`,
    );
    return { pieces, position: advance(position, SLOT) };
  }
  if (form === "whole") return wholeValue({ value, before }, pipeline, { scope, position, after }, written);
  const bound = form === "plain" && isWhole ? convertedTo(place.type, value) : value;
  const quote = form === "quoted" ? '"' : "";
  const tag: Piece = { kind: "tag", text: `${quote}${tagOf(bound)}${quote}` };
  return { pieces: [...pieces, tag], position: advance(position, SLOT) };
}

/** A map or list in the place of its YAML text. */
function wholeValue(
  { value, before }: Pick<Output, "value" | "before">,
  pipeline: Pipeline,
  { scope, position }: Around,
  { pieces, rest }: Written,
): Done {
  if (isInBlock(position)) {
    scope.report(
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
    scope.report(
      "error",
      pipeline,
      "Cannot translate toYaml here: entries of the same mapping come after it; put them before it",
    );
  }
  if (!above) return { pieces: [...spaced, { kind: "tag", text: tagOf(value) }], position: next };
  const merged = mergeSiblings(spaced, column, value.text);
  if (merged === undefined) {
    scope.report(
      "error",
      pipeline,
      "Cannot translate toYaml here: it adds to a mapping whose other entries are more than single values; bind the whole mapping as one value",
    );
    return { pieces, position: next };
  }
  return { pieces: [...merged.pieces, { kind: "tag", text: merged.tag }], position: next };
}

interface Output {
  readonly value: Value;
  /** How the value is written in the text. */
  readonly form: "plain" | "quoted" | "whole";
  /** White space that nindent puts before the value. */
  readonly before: string;
}

const QUOTES: ReadonlySet<string> = new Set(["quote", "squote"]);
const INDENTS: ReadonlySet<string> = new Set(["indent", "nindent"]);
const WHOLE: ReadonlySet<string> = new Set(["toYaml", "toYAML", "mustToYaml"]);
const JSON_TEXTS: ReadonlySet<string> = new Set(["toJson", "toJSON", "structToJSON", "toRawJson", "mustToJson"]);

/** The outermost function of a pipeline, and the pipeline of its last argument. */
interface Outer {
  readonly name: string;
  readonly first: Command[number] | undefined;
  readonly inner: Pipeline;
}

function outermost(pipeline: Pipeline): Outer | undefined {
  const last = pipeline.commands.at(-1);
  const [name, ...args] = last ?? [];
  if (name?.kind === "group" && args.length === 0 && pipeline.commands.length === 1) return outermost(name.pipeline);
  if (name?.kind !== "function") return undefined;
  if (pipeline.commands.length > 1) {
    return { name: name.name, first: args[0], inner: { ...pipeline, commands: pipeline.commands.slice(0, -1) } };
  }
  const subject = args.at(-1);
  if (subject === undefined) return undefined;
  return { name: name.name, first: args[0], inner: { ...pipeline, commands: [[subject]] } };
}

/** @param place where in the YAML the tag is */
function translateOutput(pipeline: Pipeline, scope: Scope, place: ValuePlace): Output {
  const outer = outermost(pipeline);
  if (outer !== undefined) {
    const argument = pipeline.commands.length > 1 || (pipeline.commands.at(-1)?.length ?? 0) === 2;
    if (QUOTES.has(outer.name) && argument) {
      const value = asGo(translatePipeline(outer.inner, scope));
      return { value, form: place.isInBlock || !place.isBare ? "plain" : "quoted", before: "" };
    }
    if (INDENTS.has(outer.name)) {
      const inner = outermost(outer.inner);
      if (inner !== undefined && WHOLE.has(inner.name)) {
        const spaces = outer.first?.kind === "number" ? Number(outer.first.text) : 0;
        const before = outer.name === "nindent" ? `\n${" ".repeat(spaces)}` : "";
        return { value: translatePipeline(inner.inner, scope), form: "whole", before };
      }
    }
    if (
      (WHOLE.has(outer.name) || JSON_TEXTS.has(outer.name)) &&
      place.isBare &&
      !place.isInBlock &&
      argument &&
      !isText(place.type)
    ) {
      return { value: translatePipeline(outer.inner, scope), form: "whole", before: "" };
    }
  }
  return { value: asGo(translatePipeline(pipeline, scope)), form: "plain", before: "" };
}

function isText(type: TypeSchema | undefined): boolean {
  return type?.kind === "string";
}

/** The conversion that a whole scalar needs for its field. */
function convertedTo(type: TypeSchema | undefined, value: Value): Value {
  switch (type?.kind) {
    case "int32":
    case "int64":
      return value.type.kind === "number" && value.literal === undefined ? value : call("int", [value], value.type);
    case "boolean":
      return value.type.kind === "bool" && value.literal === undefined ? value : call("bool", [value], value.type);
    case "string":
      return isPlainText(value) ? value : call("string", [value], value.type);
    default:
      return value.literal === undefined ? value : call("string", [value], value.type);
  }
}

function isPlainText({ type, literal }: Value): boolean {
  return literal === undefined && (type.kind === "string" || isOwnValue(type));
}

/** The tag of a value: a lone literal would be a name. */
function tagOf(value: Value): string {
  if (typeof value.literal === "string" || typeof value.literal === "boolean") return `{{string ${value.text}}}`;
  if (typeof value.literal === "number") return `{{int ${value.text}}}`;
  const isCall = value.text.startsWith("(");
  return `{{${isCall ? value.text.slice(1, -1) : value.text}}}`;
}
