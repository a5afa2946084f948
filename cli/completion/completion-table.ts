// What can be completed, whatever the shell: commands, their options, and what each option and argument takes.
import type { Command, Option } from "commander";

export interface CompletedCommand {
  /** `/clusters/set`; empty for the tool itself. */
  readonly path: string;
  readonly commands: readonly Described[];
  readonly options: readonly CompletedOption[];
  readonly takesFiles: boolean;
  readonly names: readonly NameKind[];
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

/** An option by its names: `--output`, `-o`. */
export type CompletedOption = ReturnType<typeof completedOption>;

/** Nothing, a file, one of these, a name that is looked up, or a text that no shell can know. */
export type Takes = "nothing" | "files" | "text" | readonly string[] | { readonly name: NameKind };

/** Names that only a deployment or the tool itself knows; a tree is a channel, a release, or a directory. */
export const NAME_KINDS = ["channel", "release", "tree", "cluster", "example"] as const;
export type NameKind = (typeof NAME_KINDS)[number];

export function isNameKind(word: string): word is NameKind {
  return NAME_KINDS.some((kind) => kind === word);
}

/** The kind of names that an argument or the value of an option takes, by what it is called. */
const NAMES: Readonly<Record<string, NameKind>> = {
  channel: "channel",
  from: "channel",
  to: "channel",
  release: "release",
  tree: "tree",
  before: "tree",
  after: "tree",
  cluster: "cluster",
  "cluster,...": "cluster",
  example: "example",
};

export function completionTable(program: Command): readonly CompletedCommand[] {
  return entriesOf(program, "");
}

function entriesOf(command: Command, path: string): readonly CompletedCommand[] {
  const visible = command.createHelp().visibleCommands(command);
  const below = visible.filter((child) => child.name() !== "help");
  const { registeredArguments: taken } = command;
  const children = visible.map((child) => ({ name: child.name(), description: child.description() }));
  const choices = taken.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description })),
  );
  const own: CompletedCommand = {
    path,
    commands: [...children, ...choices],
    options: command.createHelp().visibleOptions(command).map(completedOption),
    takesFiles: taken.some((argument) => FILES.test(argument.name())),
    names: [...new Set(taken.flatMap((argument) => NAMES[argument.name()] ?? []))],
  };
  return [own, ...below.flatMap((child) => entriesOf(child, `${path}/${child.name()}`))];
}

const FILES = /^(?:file|dir|tree|before|after)$/;

function completedOption({ short, long, flags, description, argChoices, required, optional }: Option) {
  const names = [long, short].filter((name) => name !== undefined);
  const value = /[<[]([^<>[\]]*)[>\]]/.exec(flags)?.[1] ?? "";
  const name = NAMES[value];
  const named: Takes = name === undefined ? (FILES.test(value) ? "files" : "text") : { name };
  const takes: Takes = required || optional ? (argChoices ?? named) : "nothing";
  return { names, description, takes };
}
