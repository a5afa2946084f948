// Writes the completion for fish: one `complete` line for each command and option.
import type { CompletedCommand, CompletedOption, Described } from "./completion-table.ts";

/** For `outrigger completion fish | source`. */
export function fishCompletion(table: readonly CompletedCommand[]): string {
  const paths = table.map(({ path }) => path).filter((path) => path !== "");
  const lines = table.flatMap(({ path, commands, options, takesFiles }) => [
    ...commands.map((command) => commandLine(path, command)),
    ...(takesFiles ? [`complete -c outrigger -n '__outrigger_at "${path}"' -F`] : []),
    ...options.map((option) => optionLine(path, option)),
  ]);
  return `# Completion of outrigger for fish: outrigger completion fish | source
function __outrigger_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        switch "$at/$word"
            case ${paths.join(" ")}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c outrigger -f
${lines.join("\n")}
`;
}

function commandLine(path: string, { name, description }: Described): string {
  return `complete -c outrigger -n '__outrigger_at "${path}"' -a ${name} -d ${quoted(description)}`;
}

function optionLine(path: string, { names, description, takes }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value =
    takes === "nothing"
      ? ""
      : takes === "files"
        ? " -r -F"
        : takes === "text"
          ? " -x"
          : ` -x -a ${quoted(takes.join(" "))}`;
  return `complete -c outrigger -n '__outrigger_at "${path}"' ${flags.join(" ")}${value} -d ${quoted(description)}`;
}

/** In fish, only the quote and the backslash mean anything between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
