// `{{ pipeline }}` → a tag at its place in the YAML text: bound, converted, or whole with the entries above it.

import type { TypeSchema } from "@outrigger/pod";
import type { Pipeline } from "../go/go-syntax.ts";
import { isOwnValue, STRING } from "../go/go-types.ts";
import { type Indented, outermost, withoutIndent } from "./indented.ts";
import { mergeSiblings } from "./merge-siblings.ts";
import { type Around, type Done, NOT_TRANSLATED_PIECE, type Piece } from "./piece.ts";
import { asGo, NOTHING, type Scope, type Value } from "./scope.ts";
import { isAmongItems, isListAtItsKey, siblings } from "./text-around.ts";
import { call, refuse, stringValue } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";
import { advance, placeOf, SLOT, withWhole, type YamlPosition } from "./yaml-position.ts";

/** @param pieces what is before it: siblings of a whole value are taken out of there */
export function translateAction(
  pipeline: Pipeline,
  { scope, position, after }: Around,
  pieces: readonly Piece[],
): Done {
  const place = placeOf(position);
  const { value, form, before } = translateOutput(pipeline, scope, position);
  if (place.isComment) {
    const message = `Left out {{ ${pipeline.source} }}: it is in a YAML comment, where no value can be bound; write comments as {{!-- … --}}`;
    scope.report("warning", pipeline, message);
    return { pieces, position: advance(position, SLOT) };
  }
  if (form === "whole") return wholeValue(value, before, pipeline, { scope, position, after }, pieces);
  const bound = form === "plain" && place.isBare && after() ? convertedTo(place.type, value) : value;
  const quote = form === "quoted" ? '"' : "";
  const tag: Piece = { kind: "tag", text: `${quote}${tagOf(bound)}${quote}` };
  const space: readonly Piece[] = before === "" ? [] : [{ kind: "text", text: before, isLiteral: true }];
  return { pieces: [...pieces, ...space, tag], position: advance(position, `${before}${SLOT}`) };
}

/** A map or list in the place of its YAML text. */
function wholeValue(
  value: Value,
  before: string,
  pipeline: Pipeline,
  { scope, position }: Around,
  pieces: readonly Piece[],
): Done {
  const refuse = (where: string): Done => {
    scope.report("error", pipeline, `Cannot translate toYaml ${where}`);
    return { pieces: [...pieces, NOT_TRANSLATED_PIECE], position: advance(position, SLOT) };
  };
  if (placeOf(position).isInBlock) {
    return refuse("inside of a block scalar: there is no YAML text of a value; use toJson");
  }
  const key = advance(position, before);
  const isListOfKey = isListAtItsKey(key);
  const space = isListOfKey ? `${before}  ` : before;
  const moved = isListOfKey ? advance(key, "  ") : key;
  const spaced: readonly Piece[] = space === "" ? pieces : [...pieces, { kind: "text", text: space, isLiteral: false }];
  const column = moved.line.trim() === "" ? moved.line.length : -1;
  const outer = isListOfKey ? column - 2 : column;
  const next = column === -1 ? advance(moved, SLOT) : withWhole(moved, outer, isListOfKey, pipeline);
  if (column !== -1 && isAmongItems(moved, column)) {
    return refuse("here: it adds to a list that has items of its own; write a {{ range }} over the items of the value");
  }
  if (isListOfKey || !siblings(moved, column)) {
    return { pieces: [...spaced, { kind: "tag", text: tagOf(value) }], position: next };
  }
  const merged = mergeSiblings(spaced, column, value.text);
  if (merged !== undefined) return { pieces: merged, position: next };
  return refuse(
    "here: it adds to a mapping whose other entries are more than single values; bind the whole mapping as one value",
  );
}

interface Output {
  readonly value: Value;
  readonly form: "plain" | "quoted" | "whole";
  /** White space that nindent puts before the value. */
  readonly before: string;
}

const QUOTES: ReadonlySet<string> = new Set(["quote", "squote"]);
const WHOLE: ReadonlySet<string> = new Set(["toYaml", "toYAML", "mustToYaml"]);
const JSON_TEXTS: ReadonlySet<string> = new Set(["toJson", "toJSON", "structToJSON", "toRawJson", "mustToJson"]);

/** @param position where in the YAML the tag is */
function translateOutput(pipeline: Pipeline, scope: Scope, position: YamlPosition): Output {
  const place = placeOf(position);
  const { name = "", args = [], inner = pipeline } = outermost(pipeline) ?? {};
  const isAlone = args.length === 0;
  if (QUOTES.has(name) && isAlone) {
    return { value: asGo(translatePipeline(inner, scope)), form: place.isBare ? "quoted" : "plain", before: "" };
  }
  const indented = withoutIndent(pipeline);
  const whole = outermost(indented.inner);
  if (indented.inner !== pipeline && whole !== undefined && WHOLE.has(whole.name)) {
    const before = spaceBefore(indented, pipeline, scope, position);
    return { value: translatePipeline(whole.inner, scope), form: "whole", before };
  }
  if (indented.by !== undefined && isBlockText(indented.by, position)) {
    // The lines of a bound text are those of the scalar. Its last line end is that of the scalar too.
    const text = call(
      "trimSuffix",
      [stringValue("\n", scope, pipeline), asGo(translatePipeline(indented.inner, scope))],
      STRING,
    );
    return { value: text, form: "plain", before: spaceBefore(indented, pipeline, scope, position) };
  }
  if (indented.by !== undefined && place.isBare && position.line.trim() === "") {
    refuse(scope, pipeline, YAML_TEXT);
    return { value: NOTHING, form: "plain", before: "" };
  }
  const isWhole = (WHOLE.has(name) || JSON_TEXTS.has(name)) && isAlone;
  if (isWhole && place.isBare && place.type?.kind !== "string") {
    return { value: translatePipeline(inner, scope), form: "whole", before: "" };
  }
  return { value: asGo(translatePipeline(pipeline, scope)), form: "plain", before: "" };
}

function isBlockText({ name, width }: NonNullable<Indented["by"]>, position: YamlPosition): boolean {
  return placeOf(name === "nindent" ? advance(position, `\n${" ".repeat(width)}`) : position).isInBlock;
}

const YAML_TEXT = "the text would be read as YAML; make it a map or list in the values, and write toYaml before indent";

/** Istio's `indent` leaves the first line where it is; Helm's does not, and charts count on that at the start of a line. */
function spaceBefore({ by }: Indented, pipeline: Pipeline, scope: Scope, position: YamlPosition): string {
  if (by === undefined) return "";
  if (by.name === "nindent") return `\n${" ".repeat(scope.indent + by.width)}`;
  if (by.width === 0 || position.line.trim() !== "" || position.line.length !== scope.indent) return "";
  const message = `Check {{ ${pipeline.source} }}: Istio's injector leaves the first line of indent where it is, at the start of the line; here the value is where indent puts the others`;
  scope.report("warning", pipeline, message);
  return " ".repeat(by.width);
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
