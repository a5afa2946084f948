// `-o, --output`: every command that has a result for machines gives it as JSON or YAML, under the same name.
import { type Command, Option } from "commander";

/** `name`: names alone, one a line, as kubectl prints them. */
export type MachineFormat = "json" | "yaml" | "name";

const FORMATS = ["text", "json", "yaml"] as const;
/** Commands that list what has names. */
const LISTS: readonly string[] = ["channel", "releases", "clusters"];

/** Adds the option to a command that has --json. Where -o is something else, a file, it stays what it is. */
export function addFormatOption(command: Command): void {
  const has = (name: string) => command.options.some(({ long, short }) => long === name || short === name);
  if (!has("--json") || has("--output") || has("-o")) return;
  // Scripts that have it keep it; the help says each thing once.
  command.options.find(({ long }) => long === "--json")?.hideHelp();
  const isList = LISTS.includes(command.name()) && command.parent?.parent === null;
  const formats = isList ? [...FORMATS, "wide", "name"] : FORMATS;
  command.addOption(new Option("-o, --output <format>", "how the result is printed").choices(formats));
}

/** The format that the options of a command ask for; `--json` is `-o json`. Commands look at `json` alone. */
export function chooseFormat(command: Command): MachineFormat {
  const choice = command.options.find(({ long }) => long === "--output")?.argChoices;
  const format: unknown = choice === undefined ? undefined : command.getOptionValue("output");
  // A command whose text is YAML already prints what it always does; other formats are a command's own.
  const isMachine = format === "json" || format === "name" || (format === "yaml" && choice?.includes("text") === true);
  if (isMachine) command.setOptionValueWithSource("json", true, "cli");
  return format === "yaml" || format === "name" ? format : "json";
}
