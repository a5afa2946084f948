// Writes the completion for bash: a function that finds the command in the line, and looks up what may follow.
import type { CompletedCommand } from "./completion-table.ts";
import { pathPattern, type ValueCode, valueBranches } from "./shell-cases.ts";

/** For `source <(outrigger completion bash)`. Needs nothing but bash 3.2. */
export function bashCompletion(table: readonly CompletedCommand[]): string {
  const words = table.map(({ path, commands, options, takesFiles, names }) => {
    const below = commands.map(({ name }) => name).join(" ");
    const flags = options.flatMap((option) => option.names).join(" ");
    return `    ${path === "" ? '""' : path}) commands="${below}"; options="${flags}"; files=${takesFiles ? 1 : ""}; names="${names.join(",")}" ;;`;
  });
  return `# Completion of outrigger for bash: source <(outrigger completion bash)
_outrigger_names() {
  local known=$("\${COMP_WORDS[0]}" completion bash "$1" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null </dev/null)
  COMPREPLY+=($(compgen -W "$known" -- "$current"))
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
${valueBranches(table, VALUES)}
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

const VALUES: ValueCode = {
  files: 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))',
  words: (words) => `COMPREPLY=($(compgen -W "${words}" -- "$current"))`,
  names: (kind) => `_outrigger_names ${kind}`,
};
