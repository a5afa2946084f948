// The command line of a tool: one declaration gives the types of its options and arguments, the usage that --help prints, and a
// message that names a word that the tool does not know. It needs nothing that is installed: the release workflow runs without.
import { parseArgs } from "node:util";

/** What is given to an option or as an argument. */
interface Value {
  /** How it is read: `number` is 0 or more, and may have decimals; `integer` has none. */
  readonly type?: "string" | "integer" | "number";
  /** The least that a number may be; 0 without it. */
  readonly least?: number;
  /** The words that it may be; without this, any text. */
  readonly oneOf?: readonly string[];
  /** The placeholder in the usage, such as `N` or `DIR`; without it, the words that it may be. */
  readonly value?: string;
  /** It may be several: of an option, separated by commas; of an argument, all that are left. */
  readonly several?: true;
  /** One line of the usage. */
  readonly says: string;
}

type Word = string | number;

/** An option that takes a value, or one that is on or off. */
type ToolOption = { readonly short?: string } & (
  | (Value & { readonly type: "string" | "integer" | "number"; readonly default?: Word | readonly Word[] })
  | { readonly type: "boolean"; readonly says: string }
);

/** An argument. It is needed, unless it is optional. */
type ToolArgument = Value & { readonly optional?: true };

type ToolOptions = Readonly<Record<string, ToolOption>>;
type ToolArguments = Readonly<Record<string, ToolArgument>>;
type None = Readonly<Record<never, never>>;

interface Tool<Options extends ToolOptions, Arguments extends ToolArguments> {
  /** The call of the tool, up to its options: `npm run fuzz --`. */
  readonly command: string;
  /** One sentence: what it does. */
  readonly says: string;
  /** By the name of their value, in their order on the command line; a tool without this takes none. */
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** A whole command line that works. */
  readonly example: string;
}

type Read<One> = One extends { readonly type: "boolean" }
  ? boolean
  : One extends { readonly type: "integer" | "number" }
    ? number
    : One extends { readonly oneOf: readonly (infer Known)[] }
      ? Known
      : string;

type OneOrSeveral<One> = One extends { readonly several: true } ? readonly Read<One>[] : Read<One>;

type OptionOf<One> =
  | OneOrSeveral<One>
  | (One extends { readonly type: "boolean" } | { readonly default: unknown } ? never : undefined);

type ArgumentOf<One> =
  | OneOrSeveral<One>
  | (One extends { readonly several: true } ? never : One extends { readonly optional: true } ? undefined : never);

/** The values of options and arguments by their names. An option that is on or off is false where it is left out. */
type Values<Options, Arguments> = {
  readonly [Name in keyof Options | keyof Arguments]:
    | (Name extends keyof Options ? OptionOf<Options[Name]> : never)
    | (Name extends keyof Arguments ? ArgumentOf<Arguments[Name]> : never);
};

/**
 * Returns what the command line of this process asks the tool for. With `--help`, it prints the usage and exits with 0. With an
 * option or an argument that the tool does not take, without one that it needs, or with a value that cannot be read, it names the
 * word and exits with 2.
 */
export function toolOptions<const Options extends ToolOptions = None, const Arguments extends ToolArguments = None>(
  tool: Tool<Options, Arguments>,
): Values<Options, Arguments> {
  const read = readToolOptions(tool, process.argv.slice(2));
  if ("usage" in read) {
    console.log(read.usage);
    process.exit(0);
  }
  if ("fault" in read) {
    console.error(read.fault);
    process.exit(2);
  }
  return read.values;
}

/** Returns the values among the words, or the usage where they ask for it, or what is wrong with them. */
export function readToolOptions<const Options extends ToolOptions = None, const Arguments extends ToolArguments = None>(
  tool: Tool<Options, Arguments>,
  words: readonly string[],
): { readonly values: Values<Options, Arguments> } | { readonly usage: string } | { readonly fault: string } {
  const beforeOperands = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length);
  if (beforeOperands.some((word) => word === "--help" || word === "-h")) return { usage: usageOf(tool) };
  try {
    return { values: valuesOf(tool, words) as Values<Options, Arguments> };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: `${error.message}\nTry: ${tool.command} --help` };
  }
}

/** What is wrong with the words of a command line. */
class Fault extends Error {}

type AnyTool = Tool<ToolOptions, ToolArguments>;

function valuesOf(
  { options = {}, arguments: operands = {} }: AnyTool,
  words: readonly string[],
): Readonly<Record<string, unknown>> {
  const { values, positionals } = parse(options, words);
  const read = Object.entries(options).map(([name, option]) => {
    const text = values[name];
    if (option.type === "boolean") return [name, text === true];
    if (typeof text !== "string") return [name, option.default];
    return [name, readTexts(` as --${name}`, option, option.several === true ? text.split(",") : [text])];
  });
  const left = [...positionals];
  for (const [name, operand] of Object.entries(operands)) {
    const texts = left.splice(0, operand.several === true ? left.length : 1);
    if (texts.length === 0 && operand.optional !== true) throw new Fault(`${placeholderOf(operand)} is missing`);
    // Without a placeholder, the words that it may be say what it is.
    read.push([name, readTexts(operand.value === undefined ? "" : ` as ${operand.value}`, operand, texts)]);
  }
  if (left.length > 0) throw new Fault(`Unexpected argument '${left[0]}'`);
  return Object.fromEntries(read);
}

function parse(options: ToolOptions, words: readonly string[]) {
  const known = Object.entries(options).map(([name, { type, short }]) => {
    const kind = type === "boolean" ? "boolean" : "string";
    return [name, { type: kind, ...(short === undefined ? {} : { short }) }] as const;
  });
  try {
    const config = { options: Object.fromEntries(known), allowPositionals: true, tokens: true } as const;
    const { tokens, ...parsed } = parseArgs({ args: [...words], ...config });
    const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    // Of two values, one would be left out without a word.
    if (twice !== undefined) throw new Fault(`Option '--${twice}' is given twice`);
    return parsed;
  } catch (error) {
    if (!(error instanceof TypeError) || !("code" in error)) throw error;
    // Node's message ends with advice on words that begin with a hyphen.
    throw new Fault(error.message.split(". ", 1)[0]);
  }
}

function readTexts(asWhat: string, value: Value, texts: readonly string[]): Word | readonly Word[] | undefined {
  const words = texts.map((text) => readText(asWhat, value, text));
  return value.several === true ? words : words[0];
}

function readText(asWhat: string, { type = "string", least = 0, oneOf }: Value, text: string): Word {
  if (type === "string") {
    if (oneOf === undefined || oneOf.includes(text)) return text;
    throw new Fault(`Cannot use '${text}'${asWhat}: give one of ${oneOf.join(", ")}`);
  }
  const isNumber = (type === "integer" ? /^\d+$/ : /^\d+(?:\.\d+)?$/).test(text);
  if (isNumber && Number(text) >= least) return Number(text);
  const kind = type === "integer" ? "a whole number" : "a number";
  throw new Fault(`Cannot use '${text}'${asWhat}: give ${kind}, ${least} or more`);
}

function placeholderOf({ value, oneOf }: Value): string {
  return value ?? oneOf?.join("|") ?? "VALUE";
}

function usageOf({ command, says, arguments: operands = {}, options = {}, example }: AnyTool): string {
  const words = Object.values(operands).map((operand) => {
    const placeholder = placeholderOf(operand);
    return `${operand.optional === true ? `[${placeholder}]` : placeholder}${operand.several === true ? "..." : ""}`;
  });
  const rows = [
    ...Object.values(operands).map((operand, at) => [words[at] ?? "", operand.says] as const),
    ...Object.entries(options).map(([name, option]) => {
      const letter = option.short === undefined ? "" : `-${option.short}, `;
      if (option.type === "boolean") return [`${letter}--${name}`, option.says] as const;
      const fallback = option.default === undefined ? "" : ` (default: ${option.default})`;
      return [`${letter}--${name} ${placeholderOf(option)}`, `${option.says}${fallback}`] as const;
    }),
    ["--help", "print this and exit"] as const,
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return `Usage: ${[command, "[options]", ...words].join(" ")}\n\n${says}\n\n${lines.join("\n")}\n\nExample: ${example}`;
}
