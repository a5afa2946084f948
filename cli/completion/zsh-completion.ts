// Writes the completion for zsh: the same look-up as for bash, with descriptions.
import { quoted } from "../terminal/shell-words.ts";
import type { CompletedCommand, Described } from "./completion-table.ts";
import { pathPattern, type ValueCode, valueBranches } from "./shell-cases.ts";

/** For `source <(outrigger completion zsh)`, or a file _outrigger on the fpath. */
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
${valueBranches(table, VALUES)}
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

/** What _describe reads: the name, a colon, the description. */
function entry({ name, description }: Described): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${description}`);
}

const VALUES: ValueCode = {
  files: "_files",
  words: (words) => `compadd -- ${words}`,
  names: (kind) => `_outrigger_names ${kind}`,
};
