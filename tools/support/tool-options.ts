// The command line of a tool: one declaration gives the options' types, the usage that --help prints, and a message that names
// a word that the tool does not know.
import { type ParseArgsConfig, parseArgs } from "node:util";

/** An option of a tool, as `parseArgs` of node:util takes it. */
interface ToolOption {
  readonly type: "string" | "boolean";
  readonly default?: string | boolean;
  /** The letter of a short form, `-y`. */
  readonly short?: string;
  /** The placeholder of a string's value in the usage, such as `N` or `DIR`. */
  readonly value?: string;
  /** One line of the usage. */
  readonly says: string;
}

type ToolOptions = Readonly<Record<string, ToolOption>>;

interface Tool<Options extends ToolOptions> {
  /** The call of the tool, up to its options: `npm run fuzz --`. */
  readonly command: string;
  /** One sentence: what it does. */
  readonly says: string;
  /** The placeholder and the explanation of its arguments; a tool without this takes none. */
  readonly arguments?: readonly [placeholder: string, says: string];
  readonly options: Options;
  /** A whole command line that works. */
  readonly example: string;
}

type ValueOf<Option extends ToolOption> =
  | (Option["type"] extends "boolean" ? boolean : string)
  | (Option extends { readonly default: string | boolean } ? never : undefined);

interface Parsed<Options extends ToolOptions> {
  readonly values: { readonly [Name in keyof Options]: ValueOf<Options[Name]> };
  readonly positionals: readonly string[];
}

/**
 * Returns what the command line of this process asks the tool for. With `--help`, it prints the usage and exits with 0; with an
 * option that the tool does not have, or an argument that it does not take, it names that word and exits with 2.
 */
export function toolOptions<const Options extends ToolOptions>(tool: Tool<Options>): Parsed<Options> {
  const read = readToolOptions(tool, process.argv.slice(2));
  if ("usage" in read) {
    console.log(read.usage);
    process.exit(0);
  }
  if ("fault" in read) {
    console.error(read.fault);
    process.exit(2);
  }
  return read;
}

/** Returns the options among the words, or the usage where they ask for it, or what is wrong with them. */
export function readToolOptions<const Options extends ToolOptions>(
  tool: Tool<Options>,
  words: readonly string[],
): Parsed<Options> | { readonly usage: string } | { readonly fault: string } {
  const beforeOperands = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length);
  if (beforeOperands.some((word) => word === "--help" || word === "-h")) return { usage: usageOf(tool) };
  try {
    const { tokens, ...parsed } = parseArgs({
      args: [...words],
      options: tool.options,
      allowPositionals: tool.arguments !== undefined,
      tokens: true,
    } as ParseArgsConfig & { readonly tokens: true });
    const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    // Of two values, one would be left out without a word.
    if (twice !== undefined) return { fault: `Option '--${twice}' is given twice\nTry: ${tool.command} --help` };
    return parsed as unknown as Parsed<Options>;
  } catch (error) {
    if (!(error instanceof TypeError) || !("code" in error)) throw error;
    // Node's message ends with advice on words that begin with a hyphen.
    const [message = ""] = error.message.split(". ", 1);
    return { fault: `${message}\nTry: ${tool.command} --help` };
  }
}

function usageOf({ command, says, arguments: operands, options, example }: Tool<ToolOptions>): string {
  const rows: (readonly [string, string])[] = Object.entries(options).map(([name, option]) => [
    `${option.short === undefined ? "" : `-${option.short}, `}--${name}${option.type === "string" ? ` ${option.value ?? "VALUE"}` : ""}`,
    typeof option.default === "string" ? `${option.says} (default: ${option.default})` : option.says,
  ]);
  if (operands !== undefined) rows.unshift(operands);
  rows.push(["--help", "print this and exit"]);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  const usage = operands === undefined ? "[options]" : `[options] ${operands[0]}`;
  return `Usage: ${command} ${usage}\n\n${says}\n\n${lines.join("\n")}\n\nExample: ${example}`;
}
