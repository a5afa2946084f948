// Sentences that the tool writes, and the injector in the page: English, as the command line prints them. A language has its own words
// for each form of a sentence; what stands for `{name}` is taken over, or said in that language where it is such a sentence itself.

/** The form of a sentence in English → the same in another language. The first that fits is taken. */
export type ToolSentences = Readonly<Record<string, string>>;

/** Three words one after the other: no name, command or number. */
const SENTENCE = /[a-z]+,? [A-Za-z'’-]{2,} [A-Za-z'’-]{2,}/;

/** Returns the sentence in another language; undefined where a part of it has no words there. */
export function toldIn(sentences: ToolSentences, text: string): string | undefined {
  for (const { pattern, words } of formsOf(sentences)) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined && !pattern.test(text)) continue;
    const parts = Object.entries(found ?? {}).map(([name, part]) => [name, partIn(sentences, part)] as const);
    if (parts.some(([, part]) => part === undefined)) continue;
    const values = Object.fromEntries(parts);
    return words.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole).replace(SPACED, "");
  }
  return undefined;
}

/** What is between quotation marks is written so: a value, a command. */
function partIn(sentences: ToolSentences, part: string): string | undefined {
  return toldIn(sentences, part) ?? (SENTENCE.test(part.replace(QUOTED, "")) ? undefined : part);
}

const QUOTED = /"[^"]*"/g;

/** A space between two characters of Chinese: around a name there is one. */
const SPACED = /(?<=[\u3001-\u9fff\uff01-\uff5e]) (?=[\u3001-\u9fff\uff01-\uff5e])/g;

interface Form {
  readonly pattern: RegExp;
  readonly words: string;
}

const made = new WeakMap<ToolSentences, readonly Form[]>();

function formsOf(sentences: ToolSentences): readonly Form[] {
  const known = made.get(sentences);
  if (known !== undefined) return known;
  const forms = Object.entries(sentences).map(([form, words]) => ({ pattern: patternOf(form), words }));
  made.set(sentences, forms);
  return forms;
}

function patternOf(form: string): RegExp {
  const escaped = form.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`, "s");
}
