// A sentence of the tool: in the reader's language where it has words for it, else in English, and marked as that.

import { signal } from "@preact/signals";
import { language } from "../text/say.ts";
import { type ToolSentences, toldIn } from "../text/tool-sentences.ts";

/** Language → the words that it has for the tool's sentences: loaded after the first preview. */
export const toolSentences = signal<Readonly<Record<string, ToolSentences>>>({});

/** The sentence in the reader's language; undefined where that has no words for it, and in English. */
function told(text: string): string | undefined {
  const sentences = toolSentences.value[language.value];
  return sentences === undefined ? undefined : toldIn(sentences, text);
}

export function Told({ text }: { readonly text: string }) {
  const words = told(text);
  return words === undefined ? <span lang="en">{text}</span> : <span title={text}>{words}</span>;
}
