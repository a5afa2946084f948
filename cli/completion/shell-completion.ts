// Writes the completions: for bash and zsh a function that finds the command in the line, and looks up what may follow; for fish one
// `complete` line for each command and option.
import { quoted } from "../terminal/shell-words.ts";
import type { CompletedCommand, CompletedOption, Described, Takes } from "./completion-table.ts";

/** The script for `source <(outrigger completion bash)`. It needs nothing but bash 3.2. */
export function bashCompletion(table: readonly CompletedCommand[]): string {
  const words = table.map(({ path, commands, options, takesFiles, names }) => {
    const below = commands.map(({ name }) => name).join(" ");
    const flags = options.flatMap((option) => option.names).join(" ");
    return `    ${path === "" ? '""' : path}) commands="${below}"; options="${flags}"; files=${takesFiles ? 1 : ""}; names="${names.join(",")}" ;;`;
  });
  return `# Completion of outrigger for bash: source <(outrigger completion bash)
_outrigger_names() {
  local known=$("\${COMP_WORDS[0]}" completion bash "$1" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null </dev/null)
  # Of a list, the last item.
  local before=\${current%"\${current##*,}"}
  COMPREPLY+=($(compgen -P "$before" -W "$known" -- "\${current##*,}"))
}
_outrigger() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local path="" commands="" options="" files="" names="" index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path/\${COMP_WORDS[index]}" in
    ${pathPattern(table)}) path="$path/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$path:$previous" in
${valueBranches(table, bashFiles, (words) => `COMPREPLY=($(compgen -W "${words}" -- "$current"))`)}
  esac
  case "$path" in
${words.join("\n")}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
    if [ -n "$files" ]; then compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")); fi
    if [ -n "$names" ]; then _outrigger_names "$names"; fi
  fi
}
complete -F _outrigger outrigger
`;
}

const bashFiles = 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))';

/** The script with descriptions for `source <(outrigger completion zsh)`, or for a file _outrigger on the fpath. */
export function zshCompletion(table: readonly CompletedCommand[]): string {
  const words = table.map(({ path, commands, options, takesFiles, names }) => {
    const flags = options.flatMap(({ names, description }) => names.map((name) => ({ name, description })));
    return `    ${path === "" ? "''" : path})
      commands=(${commands.map(entry).join(" ")})
      options=(${flags.map(entry).join(" ")})
      files=${takesFiles ? 1 : ""} names="${names.join(",")}" ;;`;
  });
  return `#compdef outrigger
# Completion of outrigger for zsh: source <(outrigger completion zsh)
_outrigger_names() {
  local -a known
  known=("\${(@f)$("\${words[1]}" completion zsh "$1" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null </dev/null)}")
  # Of a list, the last item.
  compset -P '*,'
  [[ -n $known ]] && _describe name known
}
_outrigger() {
  local at="" files="" names="" word
  local -a commands options
  for word in \${words[2,CURRENT-1]}; do
    case "$at/$word" in
    ${pathPattern(table)}) at="$at/$word" ;;
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${valueBranches(table, "_files", (words) => `compadd -- ${words}`)}
  esac
  case "$at" in
${words.join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe option options
  else
    (( \${#commands} )) && _describe command commands
    [[ -n $files ]] && _files
    [[ -n $names ]] && _outrigger_names $names
  fi
  return 0
}
if [[ \${funcstack[1]} == _outrigger ]]; then _outrigger "$@"; elif (( \${+functions[compdef]} )); then compdef _outrigger outrigger; fi
`;
}

/** Returns an entry that _describe reads: the name, a colon, the description. */
function entry({ name, description }: Described): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${description}`);
}

/** The path of every command, as a pattern: `/clusters|/clusters/set`. */
function pathPattern(table: readonly CompletedCommand[]): string {
  return table.flatMap(({ path }) => (path === "" ? [] : [path])).join("|");
}

type WordsCode = (words: string) => string;

/**
 * Writes, for the command and the word before the current one, one branch of a `case` statement for each option that takes a value.
 *
 * @param files the shell's code that offers files
 * @param wordsCode the code that offers these words
 */
function valueBranches(table: readonly CompletedCommand[], files: string, wordsCode: WordsCode): string {
  const branches = table.flatMap(({ path, options }) =>
    options.flatMap(({ names, takes }) => {
      if (takes === "nothing") return [];
      return [`    ${names.map((name) => `${path}:${name}`).join("|")}) ${codeOf(takes, files, wordsCode)}return ;;`];
    }),
  );
  return branches.join("\n");
}

function codeOf(takes: Exclude<Takes, "nothing">, files: string, wordsCode: WordsCode): string {
  if (takes === "text") return "";
  if (takes === "files") return `${files}; `;
  if (!("name" in takes)) return `${wordsCode(takes.join(" "))}; `;
  // A tree may be a directory.
  return `${takes.name === "tree" ? `${files}; ` : ""}_outrigger_names ${takes.name}; `;
}

/** The script for `outrigger completion fish | source`. */
export function fishCompletion(table: readonly CompletedCommand[]): string {
  const paths = table.map(({ path }) => path).filter((path) => path !== "");
  const lines = table.flatMap(({ path, commands, options, takesFiles, names }) => [
    ...commands.map(({ name, description }) => `${at(path)} -a ${name} -d ${fishQuoted(description)}`),
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
    # Of a list, the last item.
    set -l before (commandline -ct | string replace -r '[^,]*$' '')
    for line in ($words[1] completion fish $argv[1] -- $words[2..-1] 2>/dev/null </dev/null)
        printf '%s\\n' "$before$line"
    end
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
  return `${at(path)} ${flags.join(" ")}${takenValue(takes)} -d ${fishQuoted(description)}`;
}

function takenValue(takes: Takes): string {
  if (takes === "nothing") return "";
  if (takes === "files") return " -r -F";
  if (takes === "text") return " -x";
  if (!("name" in takes)) return ` -x -a ${fishQuoted(takes.join(" "))}`;
  // A tree may be a directory.
  return `${takes.name === "tree" ? " -r -F" : " -x"} -a '${lookUp(takes.name)}'`;
}

function lookUp(kinds: string): string {
  return `(__outrigger_names ${kinds})`;
}

/** Quotes a text for fish, where only the quote and the backslash mean anything between single quotes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
