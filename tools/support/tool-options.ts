// The options of a tool of the project, and its `--help`: made of the same table, so that no option is without a line.
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";

/** An option with its line of the help. */
export interface ToolOption extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** The word for the option's value in the help, such as `DIR`. */
  readonly value?: string;
}

export interface Tool<Options extends Readonly<Record<string, ToolOption>>> {
  /** The command and its arguments: `npm run conformance -- [DIR]`. */
  readonly usage: string;
  /** What the tool does, in a sentence or two. */
  readonly about: string;
  readonly options: Options;
  /** Commands, each with what it does. */
  readonly examples: readonly string[];
}

type Parsed<Options extends Readonly<Record<string, ToolOption>>> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

/**
 * The options that the tool is run with. Prints the help and exits 0 on `--help`; exits 2 on an option that is not known or
 * lacks its value, and names it.
 */
export function toolOptions<const Options extends Readonly<Record<string, ToolOption>>>(
  tool: Tool<Options>,
  args: readonly string[] = process.argv.slice(2),
): Parsed<Options> {
  const read = readOptions(tool, args);
  if ("help" in read) {
    console.log(read.help);
    process.exit(0);
  }
  if ("problem" in read) {
    console.error(read.problem);
    process.exit(2);
  }
  return read.options;
}

/** What to do with the arguments: run with the options, print the help, or say what is wrong with them. */
export function readOptions<const Options extends Readonly<Record<string, ToolOption>>>(
  tool: Tool<Options>,
  args: readonly string[],
): { readonly options: Parsed<Options> } | { readonly help: string } | { readonly problem: string } {
  if (args.includes("--help") || args.includes("-h")) return { help: helpOf(tool) };
  try {
    return { options: parseArgs({ args: [...args], options: tool.options, allowPositionals: true }) };
  } catch (error) {
    const [message] = (error as Error).message.split(/\. (?:To specify|Did you forget)/);
    return { problem: `${message}\n${tool.usage}: --help lists the options` };
  }
}

function helpOf({ usage, about, options, examples }: Tool<Readonly<Record<string, ToolOption>>>): string {
  const rows = Object.entries({ ...options, help: { type: "boolean", help: "print this" } } as const).map(
    ([name, option]) => [`--${name}${"value" in option ? ` ${option.value}` : ""}`, option.help] as const,
  );
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  return [
    `Usage: ${usage} [options]`,
    "",
    about,
    "",
    "Options:",
    ...lines,
    "",
    "Examples:",
    ...examples.map((one) => `  ${one}`),
  ].join("\n");
}
