// The command line: which commands there are, help, and which exit code an end has. What a command does is its own.
import { Command, CommanderError, Help, type Option } from "commander";
import { addAuditCommand } from "./commands/clusters/audit.ts";
import { addCheckCommand } from "./commands/clusters/check.ts";
import { addClustersCommand } from "./commands/clusters/clusters.ts";
import { addOffCommand } from "./commands/clusters/off.ts";
import { addPodsCommand } from "./commands/clusters/pods.ts";
import { addRbacCommand } from "./commands/clusters/rbac.ts";
import { addRegisterCommand } from "./commands/clusters/register.ts";
import { addRestartCommand } from "./commands/clusters/restart.ts";
import { addStatusCommand } from "./commands/clusters/status.ts";
import { addTokenCommand } from "./commands/clusters/token.ts";
import { addUnregisterCommand } from "./commands/clusters/unregister.ts";
import { addWebhookCommand } from "./commands/clusters/webhook.ts";
import { addDeployCommand, addUndeployCommand } from "./commands/deployments/deploy.ts";
import { addInitCommand } from "./commands/deployments/init.ts";
import { addExplainCommand } from "./commands/pods/explain.ts";
import { addInjectCommand } from "./commands/pods/inject.ts";
import { addRenderCommand } from "./commands/pods/render.ts";
import { addStartCommand } from "./commands/pods/start.ts";
import { addStudioCommand } from "./commands/pods/studio.ts";
import { addUninjectCommand } from "./commands/pods/uninject.ts";
import { addChannelCommand } from "./commands/releases/channel.ts";
import { addPromoteCommand } from "./commands/releases/promote.ts";
import { addReleasesCommand } from "./commands/releases/releases.ts";
import { addReplicateCommand } from "./commands/releases/replicate.ts";
import { addRestoreCommand } from "./commands/releases/restore.ts";
import { addPinCommand, addRollbackCommand, addUnpinCommand } from "./commands/releases/rollback.ts";
import { addRolloutCommand } from "./commands/releases/rollout.ts";
import { addDiffCommand } from "./commands/templates/diff.ts";
import { addHelpersCommand } from "./commands/templates/helpers.ts";
import { addImportCommand } from "./commands/templates/import.ts";
import { addLintCommand } from "./commands/templates/lint.ts";
import { addNewCommand } from "./commands/templates/new.ts";
import { addPublishCommand } from "./commands/templates/publish.ts";
import { addPullCommand } from "./commands/templates/pull.ts";
import { addPushCommand } from "./commands/templates/push.ts";
import { addSchemaCommand } from "./commands/templates/schema.ts";
import { addTestCommand } from "./commands/templates/test.ts";
import { addCompletionCommand } from "./commands/tool/completion.ts";
import { addPolicyCommand } from "./commands/tool/policy.ts";
import { addVersionCommand } from "./commands/tool/version.ts";
import { DEPLOYMENT_OPTIONS } from "./options/aws-options.ts";
import { checkArguments } from "./options/check-arguments.ts";
import { describeError } from "./terminal/describe-error.ts";
import { EXIT_CODES, exitCodeOf } from "./terminal/exit-code.ts";
import type { Io } from "./terminal/io.ts";
import { addFormatOption, chooseFormat } from "./terminal/output-format.ts";
import { printable } from "./terminal/printable.ts";
import { type TerminalIo, terminalIo } from "./terminal/terminal-io.ts";

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
      addPodsCommand,
      addRestartCommand,
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
 * @returns the exit code, as cli/terminal/exit-code.ts lists them
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
