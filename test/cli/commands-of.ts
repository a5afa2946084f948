// Every command of the tool, for tests that walk all of them.
import type { Command } from "commander";

export interface FoundCommand {
  /** `["clusters", "set"]`. */
  readonly path: readonly string[];
  readonly command: Command;
}

/** The commands below one, those below them included. */
export function commandsOf(command: Command, path: readonly string[] = []): readonly FoundCommand[] {
  return command.commands
    .filter((child) => child.name() !== "help")
    .flatMap((child) => {
      const at = [...path, child.name()];
      return [{ path: at, command: child }, ...commandsOf(child, at)];
    });
}

/** Returns what a command line must have: arguments and options without which the command does not begin. */
export function requiredWords(command: Command, except?: string): readonly string[] {
  const options = command.options.filter(
    ({ mandatory, long, defaultValue }) => mandatory && defaultValue === undefined && long !== except,
  );
  return [
    ...command.registeredArguments.filter(({ required }) => required).map(({ argChoices }) => argChoices?.[0] ?? "x"),
    ...options.flatMap(({ long }) => [long as string, "x"]),
  ];
}
