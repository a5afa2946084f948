// Rules for calls of helpers: which of Helm's a template does not need, because Outrigger does not have them or because they only
// quote text; and whose first argument must be a regular expression.

import { OutriggerError } from "@outrigger/base";
import { goText } from "../helpers/argument.ts";
import { HELPER_ARGUMENTS } from "../helpers/helper-arguments.ts";
import { parseRegex } from "../helpers/regex-parser.ts";

const WHOLE = "an object or list is inserted whole, write key: {{value}}";

/** Helpers of Istio's and Helm's templates that exist only because values are spliced there. */
export const REFUSED_HELPERS: ReadonlyMap<string, string> = new Map([
  ["toYaml", WHOLE],
  ["toYAML", WHOLE],
  ["fromYaml", "read the value as JSON with fromJson"],
  ["indent", WHOLE],
  ["nindent", WHOLE],
  ["env", "templates cannot read the environment, put the setting into the values"],
  ["log", "templates do not log, use outrigger inject --overlay to see the result"],
  ["tpl", "templates are not evaluated at run time, use a partial"],
  ["include", "write {{> name}}"],
  ["template", "write {{> name}}"],
]);

/** Helpers that add YAML or JSON quotes, which become part of the value when they wrap a whole slot. */
export const TEXT_HELPERS: ReadonlySet<string> = new Set(["quote", "squote"]);

/** What is wrong with the first argument of a helper that takes a regular expression; undefined for every other helper. */
export function patternProblem(helper: string, value: unknown): string | undefined {
  const [first] = Object.hasOwn(HELPER_ARGUMENTS, helper) ? (HELPER_ARGUMENTS[helper] ?? []) : [];
  if (first?.[0] !== "pattern") return undefined;
  try {
    parseRegex(goText(value));
    return undefined;
  } catch (error) {
    return `"${helper}" always fails here: ${error instanceof OutriggerError ? error.message : String(error)}`;
  }
}
