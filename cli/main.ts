// The command line: which commands there are, help, and which exit code an end has. What a command does is its own.
import { Command, CommanderError, Help, type Option } from "commander";
import { DEPLOYMENT_OPTIONS } from "./aws-options.ts";
import { checkArguments } from "./check-arguments.ts";
import { addAuditCommand } from "./commands/audit.ts";
import { addChannelCommand } from "./commands/channel.ts";
import { addCheckCommand } from "./commands/check.ts";
import { addClustersCommand } from "./commands/clusters.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addDeployCommand, addUndeployCommand } from "./commands/deploy.ts";
import { addDiffCommand } from "./commands/diff.ts";
import { addExplainCommand } from "./commands/explain.ts";
import { addHelpersCommand } from "./commands/helpers.ts";
import { addImportCommand } from "./commands/import.ts";
import { addInitCommand } from "./commands/init.ts";
import { addInjectCommand } from "./commands/inject.ts";
import { addLintCommand } from "./commands/lint.ts";
import { addNewCommand } from "./commands/new.ts";
import { addOffCommand } from "./commands/off.ts";
import { addPolicyCommand } from "./commands/policy.ts";
import { addPromoteCommand } from "./commands/promote.ts";
import { addPublishCommand } from "./commands/publish.ts";
import { addPullCommand } from "./commands/pull.ts";
import { addPushCommand } from "./commands/push.ts";
import { addRbacCommand } from "./commands/rbac.ts";
import { addRegisterCommand } from "./commands/register.ts";
import { addReleasesCommand } from "./commands/releases.ts";
import { addRenderCommand } from "./commands/render.ts";
import { addReplicateCommand } from "./commands/replicate.ts";
import { addRestoreCommand } from "./commands/restore.ts";
import { addPinCommand, addRollbackCommand, addUnpinCommand } from "./commands/rollback.ts";
import { addRolloutCommand } from "./commands/rollout.ts";
import { addSchemaCommand } from "./commands/schema.ts";
import { addStartCommand } from "./commands/start.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addStudioCommand } from "./commands/studio.ts";
import { addTestCommand } from "./commands/test.ts";
import { addTokenCommand } from "./commands/token.ts";
import { addUninjectCommand } from "./commands/uninject.ts";
import { addUnregisterCommand } from "./commands/unregister.ts";
import { addVersionCommand } from "./commands/version.ts";
import { addWebhookCommand } from "./commands/webhook.ts";
import { describeError } from "./describe-error.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { addFormatOption, chooseFormat } from "./output-format.ts";
import { printable } from "./printable.ts";
import { type TerminalIo, terminalIo } from "./terminal-io.ts";

const EXIT_CODE_HELP = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}`;

type AddCommand = (program: Command, io: Io) => void;

/** Heading in the help → its commands, in the order in which a person meets them. */
const COMMANDS: readonly (readonly [heading: string, commands: readonly AddCommand[]])[] = [
  [
    "Pods:",
    [addStartCommand, addStudioCommand, addInjectCommand, addUninjectCommand, addExplainCommand, addRenderCommand],
  ],
  [
    "Templates and values:",
    [
      addNewCommand,
      addImportCommand,
      addPullCommand,
      addLintCommand,
      addTestCommand,
      addHelpersCommand,
      addSchemaCommand,
      addDiffCommand,
      addPushCommand,
      addPublishCommand,
    ],
  ],
  [
    "Releases and channels:",
    [
      addReleasesCommand,
      addChannelCommand,
      addPromoteCommand,
      addRolloutCommand,
      addRollbackCommand,
      addPinCommand,
      addUnpinCommand,
      addRestoreCommand,
      addReplicateCommand,
    ],
  ],
  ["Deployments:", [addInitCommand, addDeployCommand, addUndeployCommand]],
  [
    "Clusters:",
    [
      addRegisterCommand,
      addCheckCommand,
      addStatusCommand,
      addAuditCommand,
      addTokenCommand,
      addUnregisterCommand,
      addOffCommand,
      addWebhookCommand,
      addRbacCommand,
      addClustersCommand,
    ],
  ],
  ["This tool:", [addPolicyCommand, addCompletionCommand, addVersionCommand]],
];

/**
 * Runs one command line.
 *
 * @param argv the arguments after the tool's own name
 * @returns the exit code, as cli/exit-code.ts lists them
 */
export async function main(argv: readonly string[], outer: Io): Promise<number> {
  const terminal = terminalIo(outer);
  const { io } = terminal;
  const program = createProgram(io, terminal);
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...withoutHelpWord(argv, program)], { from: "user" });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) io.stderr.write(printable(`${describeError(error)}\n`));
    return exitCodeOf(error);
  } finally {
    terminal.end();
  }
}

/** `help clusters set` is `clusters set --help`, and `help nonsense` is no command: commander prints all there is for both. */
function withoutHelpWord(argv: readonly string[], program: Command): readonly string[] {
  const [first, ...words] = argv;
  const [name] = words;
  if (first !== "help" || name === undefined || name.startsWith("-")) return argv;
  const isCommand = program.commands.some((command) => command.name() === name || command.aliases().includes(name));
  return isCommand ? [...words, "--help"] : [name];
}

/** The tool as commander knows it: what help and the reference are made of. */
export function createProgram(io: Io, terminal?: Pick<TerminalIo, "begin">): Command {
  const program = new Command("outrigger")
    .description("Istio-grade sidecar injection for EKS, served by a Lambda.")
    .version(io.version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addHelpText("after", EXIT_CODE_HELP)
    .showHelpAfterError("(run outrigger --help for help)")
    .showSuggestionAfterError()
    .configureHelp({ groupItems: groupItems as Help["groupItems"] })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(inOwnWords(text)),
    });
  for (const [heading, addCommands] of COMMANDS) {
    program.commandsGroup(heading);
    for (const addCommand of addCommands) addCommand(program, io);
  }
  program.helpCommand("help [command]", "print help for a command");
  settle(program, "outrigger");
  return program.hook("preAction", (_program, command) => {
    inheritOptions(command);
    checkArguments(command);
    terminal?.begin(command.name(), chooseFormat(command));
  });
}

/** commander's errors in the words of the tool. The sentence after them says what is allowed. */
function inOwnWords(text: string): string {
  return text
    .replace(/^error: command-argument value '(.*)' is invalid for argument '(.*?)'\. /, 'Cannot use "$1" as <$2>. ')
    .replace(/^error: option '(.*?)' argument '(.*)' is invalid\. /, 'Cannot use "$2" for $1. ')
    .replace(/^error: (.)/, (_all, first: string) => first.toUpperCase());
}

/** A command's own options come before those that all commands have. */
function groupItems<Item extends Command | Option>(all: Item[], visible: Item[], groupOf: (item: Item) => string) {
  const groups = [...new Help().groupItems(all, visible, groupOf)];
  const isShared = ([heading]: readonly [string, unknown]) => heading === DEPLOYMENT_OPTIONS;
  return new Map([...groups.filter((group) => !isShared(group)), ...groups.filter(isShared)]);
}

/** Every command, and those below it, behave as the tool does. */
function settle(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const name = `${path} ${command.name()}`;
    command.helpOption("-h, --help", "print help").copyInheritedSettings(parent);
    addFormatOption(command);
    command.showHelpAfterError(`(run ${name} --help for help)`);
    settle(command, name);
  }
}

/**
 * Where a command and one below it have the same option, as `channel --json` and `channel remove --json`, commander gives it
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
