// What commander reads from words for a command that a test gives options.
import { Command } from "commander";

/** Returns the options for some words, or commander's sentence where they cannot be read. */
export function parseOptions(give: (command: Command) => unknown, words: readonly string[]): object | string {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  give(command);
  try {
    return command.parse(words, { from: "user" }).opts();
  } catch (error) {
    return (error as Error).message;
  }
}
