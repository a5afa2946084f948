// `outrigger completion`: prints the completion for a shell.
import { Argument, type Command } from "commander";
import { bashCompletion } from "../../completion/bash-completion.ts";
import { completionTable } from "../../completion/completion-table.ts";
import { fishCompletion } from "../../completion/fish-completion.ts";
import { zshCompletion } from "../../completion/zsh-completion.ts";
import type { Io } from "../../terminal/io.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

const NOTES = `
Examples:
  source <(outrigger completion bash)      # in ~/.bashrc
  source <(outrigger completion zsh)       # in ~/.zshrc, after compinit
  outrigger completion fish > ~/.config/fish/completions/outrigger.fish`;

export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command("completion")
    .description("print the completion for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .addHelpText("after", NOTES)
    .action((shell: keyof typeof SHELLS) => void io.stdout.write(SHELLS[shell](completionTable(program))));
}
