// Owns the command line: which commands there are, help, and which exit code an end has. What a command does is its own.
import { Command, CommanderError } from "commander";
import { OutriggerError } from "../lib/errors.ts";
import { addInjectCommand } from "./commands/inject.ts";
import { addStartCommand } from "./commands/start.ts";
import { addVersionCommand } from "./commands/version.ts";
import { describeError } from "./describe-error.ts";
import type { Io } from "./io.ts";

const EXIT_CODES = `
Exit codes:
  0  done
  1  failed: the message says why and where
  2  the command line is wrong`;

/**
 * Runs one command line.
 *
 * @param argv the arguments after the tool's own name
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const program = createProgram(io);
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
    return 0;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

function createProgram(io: Io): Command {
  const program = new Command("outrigger")
    .description("Istio-grade sidecar injection for EKS, served by a Lambda.")
    .version(io.version, "-v, --version", "print the version")
    .helpCommand("help [command]", "print help for a command")
    .helpOption("-h, --help", "print help")
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError("(run outrigger --help for help)")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: (.)/, (_all, first: string) => first.toUpperCase())),
    });
  for (const addCommand of [addStartCommand, addInjectCommand, addVersionCommand]) addCommand(program, io);
  for (const command of program.commands) command.helpOption("-h, --help", "print help").copyInheritedSettings(program);
  return program;
}

function exitCodeOf(error: unknown, io: Io): number {
  // commander has already written what it has to say; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  io.stderr.write(`${describeError(error)}\n`);
  return error instanceof OutriggerError && error.code === "usage" ? 2 : 1;
}
