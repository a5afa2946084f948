// `-o, --output`: every command that has a result for machines gives it as JSON or YAML, under the same name.
import type { Command } from "commander";

/** `name`: names alone, one a line, as kubectl prints them. */
export type MachineFormat = "json" | "yaml" | "name";

/** The format that the options of a command ask for; `--json` is `-o json`. Commands look at `json` alone. */
export function chooseFormat(command: Command): MachineFormat {
  const choice = command.options.find(({ long }) => long === "--output")?.argChoices;
  const format: unknown = choice === undefined ? undefined : command.getOptionValue("output");
  // A command whose text is YAML already prints what it always does; other formats are a command's own.
  const isMachine = format === "json" || format === "name" || (format === "yaml" && choice?.includes("text") === true);
  if (isMachine) command.setOptionValueWithSource("json", true, "cli");
  return format === "yaml" || format === "name" ? format : "json";
}
