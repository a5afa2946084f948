// The kind of each page and who needs it, as the page says itself below its title:
// *Task, for template authors.*
import { KINDS, type Kind, READERS, type Reader } from "./kinds.ts";
import { languageOf, TRANSLATIONS } from "./translations.ts";

/** The kind and the reader of a page, by the line below its title; undefined if there is no such line, or a word of it is not known. */
export function kindOf(text: string): { readonly kind: Kind; readonly reader: Reader } | undefined {
  const [, line = ""] = /^# .*\n+(?:<!--.*-->\n+)?\*(.+)\*$/m.exec(text) ?? [];
  return KINDS.flatMap((kind) => READERS.map((reader) => ({ kind, reader }))).find((one) =>
    kindLines(one).includes(line),
  );
}

/** The line that says a kind and a reader, in each language. */
function kindLines({ kind, reader }: { readonly kind: Kind; readonly reader: Reader }): readonly string[] {
  const translated = Object.values(TRANSLATIONS).map(({ kindLine, kinds, readers }) =>
    kindLine(kinds[kind], readers[reader]),
  );
  return [`${kind}, for ${reader}.`, ...translated];
}

/** The group of a page in a list of all pages, by kind; that of a task, of a translation and of a file without a kind is undefined. */
export function groupOf(page: string, text: string): string | undefined {
  if (/^docs\/tasks\/(?!README)/.test(page) || languageOf(page) !== undefined) return undefined;
  if (/^docs\/contributing\//.test(page)) return "Contributing";
  const kind = kindOf(text)?.kind;
  return kind && GROUPS[kind];
}

const GROUPS: Readonly<Record<Kind, string>> = {
  Task: "More tasks",
  Explanation: "Explanations",
  Reference: "Reference",
  Runbook: "Runbooks",
};
