// The options of a table as commander reads them from words.
import { Command } from "commander";
import { type OptionTable, takes } from "../../cli/options/option.ts";

/** Returns the options for some words, or commander's sentence where they cannot be read. */
export function parseOptions(table: OptionTable, ...words: readonly string[]): object | string {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  takes(command, table);
  try {
    return command.parse(words, { from: "user" }).opts();
  } catch (error) {
    return (error as Error).message;
  }
}
