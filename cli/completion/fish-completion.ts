// Writes the completion for fish: one `complete` line for each command and option.
import type { CompletedCommand, CompletedOption, Takes } from "./completion-table.ts";

/** For `outrigger completion fish | source`. */
export function fishCompletion(table: readonly CompletedCommand[]): string {
  const paths = table.map(({ path }) => path).filter((path) => path !== "");
  const lines = table.flatMap(({ path, commands, options, takesFiles, names }) => [
    ...commands.map(({ name, description }) => `${at(path)} -a ${name} -d ${quoted(description)}`),
    ...(names.length === 0 ? [] : [`${at(path)} -a '${lookUp(names.join(","))}'`]),
    ...(takesFiles ? [`${at(path)} -F`] : []),
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
function __outrigger_names
    set -l words (commandline -opc)
    $words[1] completion fish $argv[1] -- $words[2..-1] 2>/dev/null </dev/null
end
complete -c outrigger -f
${lines.join("\n")}
`;
}

function at(path: string): string {
  return `complete -c outrigger -n '__outrigger_at "${path}"'`;
}

function optionLine(path: string, { names, description, takes }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return `${at(path)} ${flags.join(" ")}${takenValue(takes)} -d ${quoted(description)}`;
}

function takenValue(takes: Takes): string {
  if (takes === "nothing") return "";
  if (takes === "files") return " -r -F";
  if (takes === "text") return " -x";
  if (!("name" in takes)) return ` -x -a ${quoted(takes.join(" "))}`;
  // A tree may be a directory.
  return `${takes.name === "tree" ? " -r -F" : " -x"} -a '${lookUp(takes.name)}'`;
}

function lookUp(kinds: string): string {
  return `(__outrigger_names ${kinds})`;
}

/** In fish, only the quote and the backslash mean anything between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
