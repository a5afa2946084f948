// The command line: which commands there are, help, and which exit code an end has. What a command does is its own.
import { usageError } from "@outrigger/base";
import { Command, CommanderError } from "commander";
import { COMMAND_LIST } from "./generated/command-list.ts";
import { ALL_NOTES, deploymentHelp, EVERYDAY, EVERYDAY_NOTES, HELP } from "./help.ts";
import { withoutAliases } from "./options/aws-options.ts";
import { checkArguments } from "./options/check-arguments.ts";
import { meantBy } from "./options/commands-elsewhere.ts";
import { takes } from "./options/option.ts";
import { resultOptions } from "./options/shared-options.ts";
import { describeError } from "./terminal/describe-error.ts";
import { exitCodeOf } from "./terminal/exit-code.ts";
import type { Io } from "./terminal/io.ts";
import { chooseFormat } from "./terminal/output-format.ts";
import { printable } from "./terminal/printable.ts";
import { type TerminalIo, terminalIo } from "./terminal/terminal-io.ts";

/**
 * Runs one command line.
 *
 * @param argv the arguments after the tool's own name
 * @returns the exit code, as cli/terminal/exit-code.ts lists them
 */
export async function main(argv: readonly string[], outer: Io): Promise<number> {
  const terminal = terminalIo({ ...outer, runCommand: main });
  const { io } = terminal;
  const { name, words } = askedFor(withoutAliases(argv));
  const [word = "help", ...more] = words;
  try {
    const meant = argv[0] === "completion" ? undefined : meantBy(words);
    if (meant !== undefined) throw usageError(meant);
    if (name !== undefined) {
      // A script completes all there is.
      const only = name === "completion" && words.length < 3 ? undefined : name;
      await (await createProgram(io, terminal, only)).parseAsync([...words], { from: "user" });
    } else if (VERSION.includes(word) && more.length > 0) await printVersion(more, io, terminal);
    else if (HELP_WORDS.includes(word)) listedProgram(io, more.includes("--all")).outputHelp();
    else if (word === "deployment" && argv[0] === "help") io.stdout.write(deploymentHelp());
    else await listedProgram(io, true).parseAsync([...words], { from: "user" });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) io.stderr.write(printable(`${describeError(error, io.env)}\n`));
    return exitCodeOf(error);
  } finally {
    terminal.end();
  }
}

const VERSION: readonly string[] = ["-v", "--version"];
const HELP_WORDS: readonly string[] = ["help", "-h", "--help"];

/** Prints the version in a format, for a report of a fault: Node's version too. */
async function printVersion(words: readonly string[], io: Io, terminal: TerminalIo): Promise<void> {
  const command = takes(emptyProgram(io), resultOptions).action(async ({ json }) => {
    // It knows YAML, which help and completion need not wait for.
    const { printResult } = await import("./terminal/print.ts");
    const versions = { outrigger: io.version, node: process.version };
    printResult(io, json, versions, `outrigger ${io.version} (Node.js ${process.version})`);
  });
  await begins(command, terminal).parseAsync([...words], { from: "user" });
}

/** `help clusters set` is `clusters set --help`, and `help nonsense` is no command: commander prints all there is for both. */
function askedFor(argv: readonly string[]): { readonly name?: string; readonly words: readonly string[] } {
  const isHelp = argv[0] === "help" && argv[1] !== undefined && !argv[1].startsWith("-");
  const words = isHelp ? argv.slice(1) : argv;
  const name = commandOf(words[0]);
  return name === undefined ? { words } : { name, words: isHelp ? [...words, "--help"] : words };
}

/**
 * The tool as commander knows it: what help and the reference are made of.
 *
 * @param only the one command that is needed; all without it
 */
export async function createProgram(io: Io, terminal?: Pick<TerminalIo, "begin">, only?: string): Promise<Command> {
  const program = emptyProgram(io).addHelpText("after", ALL_NOTES);
  await addCommands(program, io, only);
  withHelpCommand(program);
  settle(program, "outrigger");
  return begins(program, terminal);
}

function begins(program: Command, terminal?: Pick<TerminalIo, "begin">): Command {
  return program.hook("preAction", (_program, command) => {
    inheritOptions(command);
    checkArguments(command);
    terminal?.begin(command.name(), chooseFormat(command));
  });
}

/** The tool with the names of its commands, for its help and for an unknown name: it loads none of them. */
function listedProgram(io: Io, isAll: boolean): Command {
  const program = emptyProgram(io).addHelpText("after", isAll ? ALL_NOTES : EVERYDAY_NOTES);
  for (const [heading, commands] of COMMAND_LIST) {
    program.commandsGroup(heading);
    for (const [term, description] of commands) {
      const [names = "", ...more] = term.split(" ");
      const [name = "", alias] = names.split("|");
      const command = program.command(name, { hidden: !isAll && !EVERYDAY.includes(name) }).description(description);
      if (alias !== undefined) command.alias(alias);
      if (!isAll) continue;
      // The help of a command says whether it has options, and not which.
      if (more[0] === "[options]") command.option("--any");
      const words = more.filter((word) => word !== "[options]");
      if (words.length > 0) command.arguments(words.join(" "));
    }
  }
  return isAll ? withHelpCommand(program) : program.helpCommand(false);
}

function withHelpCommand(program: Command): Command {
  return program.helpCommand("help [command]", "print help for a command");
}

function commandOf(word: string | undefined): string | undefined {
  const terms = COMMAND_LIST.flatMap(([, commands]) => commands.map(([term]) => term.split(" ")[0] ?? ""));
  return terms.find((names) => word !== undefined && names.split("|").includes(word))?.split("|")[0];
}

function emptyProgram(io: Io): Command {
  return new Command("outrigger")
    .description("Istio-grade sidecar injection for EKS, served by a Lambda.")
    .version(io.version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .showHelpAfterError("(run outrigger --help for help)")
    .showSuggestionAfterError()
    .configureHelp(HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(inOwnWords(text)),
    });
}

/** commander's errors in the words of the tool. The sentence after them says what is allowed. */
function inOwnWords(text: string): string {
  return text
    .replace(/^error: command-argument value '(.*)' is invalid for argument '(.*?)'\. /, 'Cannot use "$1" as <$2>. ')
    .replace(/^error: option '(.*?)' argument '(.*)' is invalid\. /, 'Cannot use "$2" for $1. ')
    .replace(/^error: (.)/, (_all, first: string) => first.toUpperCase());
}

function settle(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const name = `${path} ${command.name()}`;
    command.helpOption("-h, --help", "print help").copyInheritedSettings(parent);
    command.showHelpAfterError(`(run ${name} --help for help)`);
    settle(command, name);
  }
}

/**
 * Gives an option to the command that is run. Where a command and one below it have the same option, as `channel --json` and `channel remove --json`, commander gives it
 * to the one above, wherever it is written. It is meant for the one that is run.
 */
function inheritOptions(command: Command): void {
  for (let above = command.parent; above !== null; above = above.parent) {
    for (const option of command.options) {
      const name = option.attributeName();
      if (above.getOptionValueSource(name) !== "cli" || command.getOptionValueSource(name) === "cli") continue;
      command.setOptionValueWithSource(name, above.getOptionValue(name), "cli");
    }
  }
}

// Every command and the file that it is in. A run loads the one that it is asked for: most of the tool is nobody's at once.
type AddCommand = (program: Command, io: Io) => void;

/** Heading in the help → its commands, in the order in which a person meets them. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommand>>>>> = {
  "Pods:": {
    start: async () => (await import("./commands/pods/start.ts")).addStartCommand,
    studio: async () => (await import("./commands/pods/studio.ts")).addStudioCommand,
    inject: async () => (await import("./commands/pods/inject.ts")).addInjectCommand,
    uninject: async () => (await import("./commands/pods/inject.ts")).addUninjectCommand,
    explain: async () => (await import("./commands/pods/explain.ts")).addExplainCommand,
  },
  "Templates and values:": {
    new: async () => (await import("./commands/templates/new.ts")).addNewCommand,
    import: async () => (await import("./commands/templates/import.ts")).addImportCommand,
    pull: async () => (await import("./commands/templates/pull.ts")).addPullCommand,
    lint: async () => (await import("./commands/templates/lint.ts")).addLintCommand,
    test: async () => (await import("./commands/templates/test.ts")).addTestCommand,
    values: async () => (await import("./commands/templates/values.ts")).addValuesCommand,
    samples: async () => (await import("./commands/templates/samples.ts")).addSamplesCommand,
    diff: async () => (await import("./commands/templates/diff.ts")).addDiffCommand,
    push: async () => (await import("./commands/templates/pull.ts")).addPushCommand,
    publish: async () => (await import("./commands/templates/publish.ts")).addPublishCommand,
  },
  "Releases and channels:": {
    releases: async () => (await import("./commands/releases/channel.ts")).addReleasesCommand,
    channel: async () => (await import("./commands/releases/channel.ts")).addChannelCommand,
    promote: async () => (await import("./commands/releases/promote.ts")).addPromoteCommand,
    rollout: async () => (await import("./commands/releases/rollout.ts")).addRolloutCommand,
    rollback: async () => (await import("./commands/releases/rollback.ts")).addRollbackCommand,
    pin: async () => (await import("./commands/releases/rollback.ts")).addPinCommand,
    repair: async () => (await import("./commands/releases/repair.ts")).addRepairCommand,
  },
  "Deployments:": {
    init: async () => (await import("./commands/deployments/init.ts")).addInitCommand,
    deploy: async () => (await import("./commands/deployments/deploy.ts")).addDeployCommand,
    package: async () => (await import("./commands/deployments/package.ts")).addPackageCommand,
    undeploy: async () => (await import("./commands/deployments/deploy.ts")).addUndeployCommand,
  },
  "Clusters:": {
    register: async () => (await import("./commands/clusters/register.ts")).addRegisterCommand,
    tag: async () => (await import("./commands/clusters/register.ts")).addTagCommand,
    check: async () => (await import("./commands/clusters/check.ts")).addCheckCommand,
    pods: async () => (await import("./commands/clusters/pods.ts")).addPodsCommand,
    restart: async () => (await import("./commands/clusters/restart.ts")).addRestartCommand,
    token: async () => (await import("./commands/clusters/token.ts")).addTokenCommand,
    unregister: async () => (await import("./commands/clusters/register.ts")).addUnregisterCommand,
    off: async () => (await import("./commands/clusters/off.ts")).addOffCommand,
    clusters: async () => (await import("./commands/clusters/clusters.ts")).addClustersCommand,
  },
  "This tool:": {
    print: async () => (await import("./commands/print/print.ts")).addPrintCommand,
    completion: async () => (await import("./commands/tool/completion.ts")).addCompletionCommand,
  },
};

async function addCommands(program: Command, io: Io, only?: string): Promise<void> {
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands)) {
      if (only === undefined || only === name) (await load())(program, io);
    }
  }
}
