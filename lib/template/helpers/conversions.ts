// Helpers that change the type or the form of a value.

import { parseGoBoolean } from "@outrigger/base";
import { fault } from "../finding.ts";
import { asInteger, goText, isMissing } from "./argument.ts";
import { VALUE } from "./common-arguments.ts";
import { formatDuration } from "./format-duration.ts";
import { defineHelpers } from "./helper.ts";

export const conversionHelpers = defineHelpers({
  int: {
    run: ([value]) => (isMissing(value) ? undefined : asInteger(value)),
    doc: {
      text: "The value as an integer. A missing value stays missing, and its entry is left out; anything else is an error.",
      args: [["value", "as-example", "an integer, or its text"]],
      result: "number",
      examples: [['(int "15020")', 15020]],
    },
  },
  string: {
    run: ([value]) => (value === null || value === undefined ? undefined : goText(value)),
    doc: {
      text: "The value as text. A missing value stays missing, and its entry is left out.",
      args: [VALUE],
      result: "text",
      examples: [["(string 15020)", "15020"]],
    },
  },
  bool: {
    run: ([value]) => (isMissing(value) ? undefined : asBoolean(value)),
    doc: {
      text: "The value as true or false, which may be given as text. A missing value stays missing, and its entry is left out.",
      args: [["value", "as-example", "true or false, or their text"]],
      result: "boolean",
      examples: [['(bool "true")', true]],
    },
  },
  formatDuration: {
    run: ([value]) => formatDuration(goText(value)),
    doc: {
      text: "A duration of the mesh configuration as Go writes it.",
      args: [["duration", "as-example", 'a duration in seconds with "s" after the number: "90s"']],
      result: "text",
      examples: [['(formatDuration "90s")', "1m30s"]],
    },
  },
});

function asBoolean(value: unknown): boolean {
  const boolean = typeof value === "boolean" ? value : parseGoBoolean(value);
  if (boolean === undefined) throw fault("true or false is expected");
  return boolean;
}
