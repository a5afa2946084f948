// `{{ pipeline }}` → a tag at its place in the YAML text: bound, converted, or whole with the entries above it.

import type { GoNode, Pipeline } from "../go/go-syntax.ts";
import { convertedTo, type Output, tagOf, translateOutput } from "./bind-output.ts";
import { mergeSiblings } from "./merge-siblings.ts";
import type { Piece } from "./piece.ts";
import { followedByEntry, isInBlock, siblings } from "./text-around.ts";
import type { Around, Done } from "./walk.ts";
import { advance, placeOf, SLOT } from "./yaml-position.ts";

/** What is around an action in its block. */
export interface Written {
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
