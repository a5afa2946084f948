// Helpers that take Go's regular expressions.

import { memoize } from "@outrigger/base";
import { goText } from "./argument.ts";
import { PATTERN, TEXT } from "./common-arguments.ts";
import { defineHelpers } from "./helper.ts";
import { regexMatch, regexReplaceAll } from "./regex.ts";
import { parseRegex } from "./regex-parser.ts";

const programOf = memoize(parseRegex);

export const patternHelpers = defineHelpers({
  regexMatch: {
    run: ([pattern, text]) => regexMatch(programOf(goText(pattern)), goText(text)),
    doc: {
      text: "Whether a text matches a regular expression of Go, in time that is linear in the text.",
      args: [PATTERN, TEXT],
      result: "boolean",
      examples: [['(regexMatch "^v[0-9]+$" "v12")', true]],
    },
  },
  regexReplaceAll: {
    run: ([pattern, text, replacement]) =>
      regexReplaceAll(programOf(goText(pattern)), goText(text), goText(replacement)),
    doc: {
      text: "A text with all matches of a regular expression replaced; `$1` and `$name` are groups.",
      args: [PATTERN, TEXT, ["replacement", "text", "the text in place of each match"]],
      result: "text",
      examples: [['(regexReplaceAll "[^a-z0-9-]" "my_app.v1" "-")', "my-app-v1"]],
    },
  },
});
