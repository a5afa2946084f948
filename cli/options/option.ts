// What an option is declared with, and how a command takes a table of them: its action gets exactly these, with their types. The
// help, the reference and the completion are made of the same table.
import { Argument, type Command, Option } from "commander";

/** One option. Its name is the key of its entry in a table: `dryRun` is `--dry-run`. */
export interface OptionEntry {
  /** The text in the help. */
  readonly about: string;
  /** The one-letter form: `-n`. */
  readonly short?: `-${string}`;
  /**
   * The argument of the option: `<file>`, or `[port]` if it may be left out. An option without an argument is true if
   * it is given.
   */
  readonly argument?: `<${string}>` | `[${string}]`;
  readonly choices?: readonly string[];
  /** Reads the text; throws commander's `InvalidArgumentError`, which says what is allowed. */
  readonly parse?: (text: string, earlier?: string) => unknown;
  /** The option may be given again: its value is the list of all. */
  readonly isRepeatable?: true;
  readonly isRequired?: true;
  /** The option is true, and is written to turn it off: `selfTest` is `--no-self-test`. */
  readonly isNegated?: true;
  readonly default?: unknown;
  /** The default as the help prints it, if that is not its text. */
  readonly defaultText?: string;
  /** The name of an option that cannot be used together with it. */
  readonly conflicts?: string;
  /** The heading of the help that it is below. */
  readonly group?: string;
  readonly isHidden?: true;
}

export type OptionTable = Readonly<Record<string, OptionEntry>>;

/** Declares a table of options: those of one command, or some that several commands take. */
export function optionTable<const Table extends OptionTable>(table: Table): Table {
  return table;
}

/** The option of another table, for a command that does not require it. */
export function optional<Entry extends OptionEntry>({ isRequired: _, ...entry }: Entry): Omit<Entry, "isRequired"> {
  return entry;
}

/** The options of a table as an action gets them. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table as IsGiven<Table[Name]> extends true ? Name : never]: ValueOf<Table[Name]>;
} & {
  readonly [Name in keyof Table as IsGiven<Table[Name]> extends true ? never : Name]?: ValueOf<Table[Name]>;
};

type IsGiven<Entry> = Entry extends { isRequired: true } | { isNegated: true } | { default: unknown } ? true : false;

type ValueOf<Entry> = Entry extends { isNegated: true }
  ? boolean
  : Entry extends { isRepeatable: true }
    ? readonly TextOf<Entry>[]
    : Entry extends { argument: `[${string}` }
      ? TextOf<Entry> | true
      : Entry extends { argument: string }
        ? TextOf<Entry>
        : true;

type TextOf<Entry> = Entry extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Entry extends { parse: (...given: never[]) => infer Value }
    ? Value
    : string;

/** A command whose action gets some arguments, then the options: the part of commander's `Command` that keeps their types. */
export interface CommandTaking<Arguments extends readonly unknown[], Options> {
  alias(name: string): this;
  description(text: string): this;
  addHelpText(position: "after" | "afterAll", text: string): this;
  argument<const Name extends string>(
    name: Name,
    about?: string,
  ): CommandTaking<[...Arguments, ArgumentOf<Name, string>], Options>;
  argument<const Name extends string, Value>(
    name: Name,
    about: string,
    parse: (text: string, earlier?: Value) => Value,
  ): CommandTaking<[...Arguments, MaybeGiven<Name, Value>], Options>;
  argument<Value>(
    name: string,
    about: string,
    parse: (text: string) => Value,
    otherwise: Value,
  ): CommandTaking<[...Arguments, Value], Options>;
  addArgument<Value>(argument: TypedArgument<Value>): CommandTaking<[...Arguments, Value], Options>;
  action(run: (...given: [...Arguments, Options]) => unknown): Command;
}

type ArgumentOf<Name extends string, Text> = Name extends `${string}...${string}`
  ? readonly Text[]
  : MaybeGiven<Name, Text>;

type MaybeGiven<Name extends string, Value> = Name extends `[${string}` ? Value | undefined : Value;

type TypedArgument<Value> = Argument & { readonly typed?: Value };

/** An argument that is one of some words, or several of them where its name ends in dots. */
export function choiceOf<const Name extends string, const Choice extends string>(
  name: Name,
  about: string,
  choices: readonly Choice[],
): TypedArgument<ArgumentOf<Name, Choice>> {
  return new Argument(name, about).choices(choices);
}

/** Gives a command the options of a table, in the order of the help. */
export function takes<Table extends OptionTable>(command: Command, table: Table): CommandTaking<[], OptionsOf<Table>> {
  for (const [name, entry] of Object.entries(table)) command.addOption(optionOf(name, entry));
  return command as unknown as CommandTaking<[], OptionsOf<Table>>;
}

/**
 * The options again as words, for a command that a message proposes: those that are not left at their defaults.
 *
 * @param options with the values as a person writes them: `wordsOf` knows no more of an option than its name
 */
export function wordsOf(table: OptionTable, options: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(table).flatMap(([name, entry]) => {
    const value = options[name];
    if (value === undefined || value === entry.default || entry.isHidden === true) return [];
    if (entry.isNegated === true) return value === false ? [longName(name, entry)] : [];
    if (value === true) return [longName(name, entry)];
    return [value].flat().flatMap((text) => [longName(name, entry), String(text)]);
  });
}

function longName(name: string, { isNegated }: OptionEntry): string {
  return `--${isNegated ? "no-" : ""}${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function optionOf(name: string, entry: OptionEntry): Option {
  const long = longName(name, entry);
  const names = entry.short === undefined ? long : `${entry.short}, ${long}`;
  const { argument, about, choices, isRepeatable, group, conflicts } = entry;
  const option = new Option(argument === undefined ? names : `${names} ${argument}`, about);
  const parse = isRepeatable ? collecting(entry.parse) : entry.parse;
  if (parse !== undefined) option.argParser(parse as (text: string) => unknown);
  if (choices !== undefined) option.choices(choices);
  if ("default" in entry) option.default(entry.default, entry.defaultText);
  if (group !== undefined) option.helpGroup(group);
  if (conflicts !== undefined) option.conflicts(conflicts);
  return option.makeOptionMandatory(entry.isRequired ?? false).hideHelp(entry.isHidden ?? false);
}

function collecting(parse: (text: string) => unknown = (text) => text) {
  return (text: string, earlier: readonly unknown[] = []): readonly unknown[] => [...earlier, parse(text)];
}
