// What the completions for bash and zsh have in common: the branches of a `case` statement that both shells read alike.
import type { CompletedCommand, NameKind, Takes } from "./completion-table.ts";

/** Code of one shell that offers values of an option. */
export interface ValueCode {
  readonly files: string;
  readonly words: (words: string) => string;
  readonly names: (kind: NameKind) => string;
}

/** The path of every command, as a pattern: `/clusters|/clusters/set`. */
export function pathPattern(table: readonly CompletedCommand[]): string {
  return table.flatMap(({ path }) => (path === "" ? [] : [path])).join("|");
}

/** For the command and the word before the current one: one branch for each option that takes a value. */
export function valueBranches(table: readonly CompletedCommand[], code: ValueCode): string {
  const branches = table.flatMap(({ path, options }) =>
    options.flatMap(({ names, takes }) => {
      if (takes === "nothing") return [];
      return [`    ${names.map((name) => `${path}:${name}`).join("|")}) ${codeOf(takes, code)}return ;;`];
    }),
  );
  return branches.join("\n");
}

function codeOf(takes: Exclude<Takes, "nothing">, { files, words, names }: ValueCode): string {
  if (takes === "text") return "";
  if (takes === "files") return `${files}; `;
  if (!("name" in takes)) return `${words(takes.join(" "))}; `;
  // A tree may be a directory.
  return takes.name === "tree" ? `${files}; ${names(takes.name)}; ` : `${names(takes.name)}; `;
}
