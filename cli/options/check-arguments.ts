// What every command refuses before it does anything: empty values, which an unset variable of a script leaves; names that
// cannot be one; and formats where a file is named.
import { channelNamePattern, usageError } from "@outrigger/base";
import { nameProblem } from "@outrigger/pod";
import type { Command, Option } from "commander";

/** Returns what a name must be if it is not, or undefined for a valid name. */
type NameRule = (name: string) => string | undefined;

const REVISION: NameRule = (name) => (channelNamePattern.test(name) ? undefined : REVISION_FORM);
const REVISION_FORM = "must have at most 63 lowercase letters, digits and dashes, with a letter or digit at both ends";
const NAMESPACE: NameRule = (name) => nameProblem("dns-label", name);

/** Option → what its value must be. An option that takes `name=value` has a rule of its own. */
const NAMES: Readonly<Record<string, NameRule>> = {
  "--revision": REVISION,
  "--tag": REVISION,
  "--namespace": NAMESPACE,
  "--istio-namespace": NAMESPACE,
};

/** Options whose empty value has a meaning: no network. */
const MAY_BE_EMPTY: readonly string[] = ["--network"];

const FORMATS: readonly string[] = ["json", "yaml", "text"];

/**
 * Checks what the user wrote on the command line for a command; what is left out is not looked at.
 *
 * @throws OutriggerError `usage`, naming the option and what it takes
 */
export function checkArguments(command: Command): void {
  const empty = command.args.indexOf("");
  if (empty >= 0) {
    const declared = command.registeredArguments;
    const name = (declared[empty] ?? declared.at(-1))?.name() ?? "argument";
    throw usageError(`Cannot use an empty ${name}: name it, or leave it out`);
  }
  for (const option of command.options) {
    if (command.getOptionValueSource(option.attributeName()) !== "cli") continue;
    const value: unknown = command.getOptionValue(option.attributeName());
    for (const text of Array.isArray(value) ? value : [value]) if (typeof text === "string") check(option, text);
  }
}

function check(option: Option, text: string): void {
  const name = option.long ?? option.flags;
  if (text === "" && !MAY_BE_EMPTY.includes(name)) {
    throw usageError(`Cannot use ${name} with an empty value: name what it takes, or leave the option out`);
  }
  const problem = option.flags.includes("=") ? undefined : NAMES[name]?.(text);
  if (problem !== undefined) throw usageError(`Cannot use ${name} ${JSON.stringify(text)}: it ${problem}`);
  if (name === "--output" && option.argChoices === undefined && FORMATS.includes(text)) {
    const message = `Cannot use -o ${text}: -o names where to write here, not a format; for a file of this name write ./${text}`;
    throw usageError(message);
  }
}
