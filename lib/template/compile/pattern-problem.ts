// Regular expressions that a template or a value gives to a helper: an invalid one is found when a release is made.

import { OutriggerError } from "@outrigger/base";
import { goText } from "../helpers/argument.ts";
import { PATTERN } from "../helpers/common-arguments.ts";
import type { Helper } from "../helpers/helper.ts";
import { parseRegex } from "../helpers/regex-parser.ts";

/** Returns why a helper's first argument is no regular expression; undefined if it is one, or if the helper takes none there. */
export function patternProblem(name: string, helper: Helper | undefined, value: unknown): string | undefined {
  if (helper?.doc.args[0] !== PATTERN) return undefined;
  try {
    parseRegex(goText(value));
    return undefined;
  } catch (error) {
    return `"${name}" always fails here: ${error instanceof OutriggerError ? error.message : String(error)}`;
  }
}
