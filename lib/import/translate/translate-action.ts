// `{{ pipeline }}` → a tag at its place in the YAML text: bound, converted, or whole with the entries above it.

import type { TypeSchema } from "@outrigger/pod";
import type { GoNode, Operand, Pipeline } from "../go/go-syntax.ts";
import { isOwnValue } from "../go/go-types.ts";
import { mergeSiblings } from "./merge-siblings.ts";
import type { Around, Done, Piece } from "./piece.ts";
import { asGo, type Scope, type Value } from "./scope.ts";
import { followedByEntry, siblings } from "./text-around.ts";
import { call } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";
import { advance, placeOf, SLOT, type ValuePlace } from "./yaml-position.ts";

/** @param pieces what is before it: siblings of a whole value are taken out of there */
export function translateAction(
  pipeline: Pipeline,
  { scope, position, after }: Around,
  pieces: readonly Piece[],
  rest: readonly GoNode[],
): Done {
  const place = placeOf(position);
  const { value, form, before } = translateOutput(pipeline, scope, place);
  if (place.isComment) {
    const message = `Left out {{ ${pipeline.source} }}: it is in a YAML comment, where no value can be bound; write comments as {{!-- … --}}`;
    scope.report("warning", pipeline, message);
    return { pieces, position: advance(position, SLOT) };
  }
  if (form === "whole") return wholeValue(value, before, pipeline, { scope, position, after }, pieces, rest);
  const bound = form === "plain" && place.isBare && after() ? convertedTo(place.type, value) : value;
  const quote = form === "quoted" ? '"' : "";
  const tag: Piece = { kind: "tag", text: `${quote}${tagOf(bound)}${quote}` };
  return { pieces: [...pieces, tag], position: advance(position, SLOT) };
}

/** A map or list in the place of its YAML text. */
function wholeValue(
  value: Value,
  before: string,
  pipeline: Pipeline,
  { scope, position }: Around,
  pieces: readonly Piece[],
  rest: readonly GoNode[],
): Done {
  const refuse = (where: string) => scope.report("error", pipeline, `Cannot translate toYaml ${where}`);
  if (placeOf(position).isInBlock) {
    refuse("inside of a block scalar: there is no YAML text of a value; use toJson");
    return { pieces, position };
  }
  const spaced: readonly Piece[] =
    before === "" ? pieces : [...pieces, { kind: "text", text: before, isLiteral: false }];
  const moved = advance(position, before);
  const next = advance(moved, SLOT);
  const column = moved.line.trim() === "" ? moved.line.length : -1;
  if (followedByEntry(rest, column)) {
    refuse("here: entries of the same mapping come after it; put them before it");
  }
  if (!siblings(moved, column)) return { pieces: [...spaced, { kind: "tag", text: tagOf(value) }], position: next };
  const merged = mergeSiblings(spaced, column, value.text);
  if (merged !== undefined) return { pieces: merged, position: next };
  refuse(
    "here: it adds to a mapping whose other entries are more than single values; bind the whole mapping as one value",
  );
  return { pieces, position: next };
}

interface Output {
  readonly value: Value;
  readonly form: "plain" | "quoted" | "whole";
  /** White space that nindent puts before the value. */
  readonly before: string;
}

const QUOTES: ReadonlySet<string> = new Set(["quote", "squote"]);
const INDENTS: ReadonlySet<string> = new Set(["indent", "nindent"]);
const WHOLE: ReadonlySet<string> = new Set(["toYaml", "toYAML", "mustToYaml"]);
const JSON_TEXTS: ReadonlySet<string> = new Set(["toJson", "toJSON", "structToJSON", "toRawJson", "mustToJson"]);

/** The outermost function of a pipeline, its arguments but for the last, and the pipeline of that. */
interface Outer {
  readonly name: string;
  readonly args: readonly Operand[];
  readonly inner: Pipeline;
}

function outermost(pipeline: Pipeline): Outer | undefined {
  const before = pipeline.commands.slice(0, -1);
  const [name, ...args] = pipeline.commands.at(-1) ?? [];
  if (name?.kind === "group" && args.length === 0 && before.length === 0) return outermost(name.pipeline);
  if (name?.kind !== "function") return undefined;
  if (before.length > 0) return { name: name.name, args, inner: { ...pipeline, commands: before } };
  const subject = args.pop();
  return subject && { name: name.name, args, inner: { ...pipeline, commands: [[subject]] } };
}

/** @param place where in the YAML the tag is */
function translateOutput(pipeline: Pipeline, scope: Scope, place: ValuePlace): Output {
  const { name = "", args = [], inner = pipeline } = outermost(pipeline) ?? {};
  const isAlone = args.length === 0;
  if (QUOTES.has(name) && isAlone) {
    return { value: asGo(translatePipeline(inner, scope)), form: place.isBare ? "quoted" : "plain", before: "" };
  }
  const indented = INDENTS.has(name) ? outermost(inner) : undefined;
  if (indented !== undefined && WHOLE.has(indented.name)) {
    const [spaces] = args;
    const width = spaces?.kind === "number" ? Number(spaces.text) : 0;
    const before = name === "nindent" ? `\n${" ".repeat(width)}` : "";
    return { value: translatePipeline(indented.inner, scope), form: "whole", before };
  }
  const isWhole = (WHOLE.has(name) || JSON_TEXTS.has(name)) && isAlone;
  if (isWhole && place.isBare && place.type?.kind !== "string") {
    return { value: translatePipeline(inner, scope), form: "whole", before: "" };
  }
  return { value: asGo(translatePipeline(pipeline, scope)), form: "plain", before: "" };
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
