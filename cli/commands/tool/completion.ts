// `outrigger completion`: prints the completion for a shell, and what that asks for when it completes a name.
import { usageError } from "@outrigger/base";
import { Argument, type Command } from "commander";
import { completionTable, type Described, isNameKind, NAME_KINDS } from "../../completion/completion-table.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../../completion/shell-completion.ts";
import type { Io } from "../../terminal/io.ts";

interface Shell {
  readonly script: typeof bashCompletion;
  /** A name on a line of its own, as the shell reads it. */
  readonly line: (name: Described) => string;
}

const SHELLS: Readonly<Record<"bash" | "zsh" | "fish", Shell>> = {
  bash: { script: bashCompletion, line: ({ name }) => name },
  zsh: { script: zshCompletion, line: ({ name, description }) => `${name}:${description}` },
  fish: { script: fishCompletion, line: ({ name, description }) => `${name}\t${description}` },
};

const NOTES = `
Channels, releases and clusters are completed from the records of the deployment that the line or the environment names. Reading
them takes two seconds at most, calls no function, and says nothing where it fails.

Examples:
  source <(outrigger completion bash)      # in ~/.bashrc
  source <(outrigger completion zsh)       # in ~/.zshrc, after compinit
  outrigger completion fish > ~/.config/fish/completions/outrigger.fish`;

export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command("completion")
    .description("print the completion for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .argument("[names]", `print names instead, as the completion asks for them: ${NAME_KINDS.join(", ")}`)
    .argument("[words...]", "the words of the line, which may name a deployment")
    .addHelpText("after", NOTES)
    .action(async (shell: keyof typeof SHELLS, names: string | undefined, words: readonly string[]) => {
      if (names === undefined) io.stdout.write(SHELLS[shell].script(completionTable(program)));
      else await printNames(names.split(","), words, SHELLS[shell], io);
    });
}

async function printNames(kinds: readonly string[], words: readonly string[], { line }: Shell, io: Io): Promise<void> {
  if (!kinds.every(isNameKind)) {
    throw usageError(`Cannot print names of ${kinds.join(",")}: there are ${NAME_KINDS.join(", ")}`);
  }
  const { completeNames } = await import("../../completion/complete-names.ts");
  for (const name of await completeNames(kinds, words, io)) io.stdout.write(`${line(name)}\n`);
  // What has not answered by now would keep the shell waiting.
  io.leave?.();
}
