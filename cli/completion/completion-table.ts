// What can be completed, whatever the shell: commands, their options, and what each option and argument takes.
import type { Command, Option } from "commander";

export interface CompletedCommand {
  /** `/clusters/set`; empty for the tool itself. */
  readonly path: string;
  readonly commands: readonly Described[];
  readonly options: readonly CompletedOption[];
  readonly takesFiles: boolean;
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface CompletedOption {
  /** `--output`, `-o`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takes: Takes;
}

/** Nothing, a file, one of these, or a text that no shell can know. */
export type Takes = "nothing" | "files" | "text" | readonly string[];

/** The tool and every command below it. */
export function completionTable(program: Command): readonly CompletedCommand[] {
  return entriesOf(program, "");
}

function entriesOf(command: Command, path: string): readonly CompletedCommand[] {
  const visible = command.createHelp().visibleCommands(command);
  const below = visible.filter((child) => child.name() !== "help");
  const own: CompletedCommand = {
    path,
    commands: [
      ...visible.map((child) => ({ name: child.name(), description: child.description() })),
      ...choicesOf(command),
    ],
    options: command.createHelp().visibleOptions(command).map(completedOption),
    takesFiles: command.registeredArguments.some((argument) => FILES.test(argument.name())),
  };
  return [own, ...below.flatMap((child) => entriesOf(child, `${path}/${child.name()}`))];
}

/** What an argument may be, where that is a list. */
function choicesOf(command: Command): readonly Described[] {
  return command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description })),
  );
}

const FILES = /^(?:file|dir|tree|before|after)$/;

function completedOption({ short, long, flags, description, argChoices, required, optional }: Option): CompletedOption {
  const names = [long, short].filter((name) => name !== undefined);
  const value = /[<[]([^<>[\]]*)[>\]]/.exec(flags)?.[1] ?? "";
  const takesValue = required || optional;
  const takes = !takesValue ? "nothing" : (argChoices ?? (FILES.test(value) ? "files" : "text"));
  return { names, description, takes };
}
