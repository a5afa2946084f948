// A command line as a POSIX shell reads it, for commands that are printed to be run.

/** The words, each in quotes if a shell would read it as something else. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(" ");
}

/** Quotes a word in single quotes, where nothing has a meaning but the quote itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
