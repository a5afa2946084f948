// Helpers that write and read JSON.

import { parseJson } from "@outrigger/base";
import { fault } from "../finding.ts";
import { asMap, goText, isMissing, sortedJson } from "./argument.ts";
import { MAP, MAPS, VALUE } from "./common-arguments.ts";
import { defineHelpers, type HelperArgument } from "./helper.ts";

const JSON_TEXT: readonly HelperArgument[] = [["text", "as-example", "a JSON text"]];

export const jsonHelpers = defineHelpers({
  toJson: {
    run: ([value]) => jsonText(value) ?? "null",
    doc: {
      text: "The value as JSON text with sorted keys.",
      args: [VALUE],
      result: "text",
      examples: [['(toJson (dict "b" 1 "a" 2))', '{"a":2,"b":1}']],
    },
  },
  toJSON: {
    run: ([value]) => jsonText(value) ?? "{}",
    doc: {
      text: "The map as JSON text with sorted keys, `{}` if it is missing.",
      args: [MAP],
      result: "text",
      examples: [["(toJSON metadata.labels)", '{"app":"web","version":"v1"}']],
    },
  },
  structToJSON: {
    run: ([value]) => jsonText(value) ?? "{}",
    doc: {
      text: "The value as JSON text with sorted keys, `{}` if it is missing.",
      args: [VALUE],
      result: "text",
      examples: [['(structToJSON (list 1 "a"))', '[1,"a"]']],
    },
  },
  toJsonMap: {
    run: (args) => jsonText(Object.fromEntries(args.flatMap((map) => Object.entries(asMap(map))))),
    doc: {
      text: "The JSON text of maps that are merged at their first level; later ones win.",
      args: MAPS,
      result: "text",
      examples: [['(toJsonMap (dict "a" 1 "b" 1) (dict "b" 2))', '{"a":1,"b":2}']],
    },
  },
  fromJson: {
    run: ([text]) => fromJson(text),
    doc: {
      text: "The value of a JSON text.",
      args: JSON_TEXT,
      result: "any",
      examples: [["(fromJson '{\"a\":[1]}')", { a: [1] }]],
    },
  },
  fromJSON: {
    run: ([text]) => fromJson(text),
    doc: {
      text: "The value of a JSON text.",
      args: JSON_TEXT,
      result: "any",
      examples: [["(fromJSON '[1,\"a\"]')", [1, "a"]]],
    },
  },
});

function jsonText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : sortedJson(value);
}

function fromJson(text: unknown): unknown {
  if (isMissing(text)) return undefined;
  const value = parseJson(goText(text));
  if (value === undefined) throw fault("the text is not JSON");
  return value;
}
