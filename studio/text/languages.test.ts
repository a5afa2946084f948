import { expect, it } from "vitest";
import { englishWords } from "./en.ts";
import { isLanguage, languages, textsOf, wordIn } from "./languages.ts";
import { chinese } from "./zh.ts";

const OTHERS = Object.keys(languages)
  .filter(isLanguage)
  .filter((language) => language !== "en");

it.each(OTHERS)("the texts of %s have the places for values of the English ones", (language) => {
  const places = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, place]) => place).sort();
  const { words } = textsOf(language);
  for (const [word, english] of Object.entries(englishWords)) {
    const text = words[word as keyof typeof words];
    if (text !== undefined) expect({ word, places: places(text) }).toEqual({ word, places: places(english) });
  }
});

it("no sentence takes Istio's label for the one by which pods ask: a config may have its own", () => {
  const texts = [englishWords, ...OTHERS.map((language) => textsOf(language).words)].flatMap((words) =>
    Object.values(words),
  );
  expect(texts.filter((text) => /istio\.io|istio-injection/.test(text))).toEqual([]);
});

it("wordIn() has the English text where a language that is being translated has none", () => {
  const partial = { ...chinese, kind: "partial", words: { share: "Link kopieren" }, editorPhrases: {} } as const;
  expect(wordIn(partial, "share")).toBe("Link kopieren");
  expect(wordIn(partial, "discard")).toBe("Discard edit");
});

it("Chinese sentences have no English words but names: of Kubernetes, Istio, keys and commands", () => {
  const names =
    /^(Kubernetes|Pod|sidecar|Webhook|Studio|Outrigger|Tab|Ctrl|Shift|F2|F7|F12|outrigger|restart|samples|config|YAML|failurePolicy|mTLS|true|false|neverInjectSelector|alwaysInjectSelector|templates\/log-shipper|--dir|DIR)$/;
  const foreign = Object.entries(chinese.words).flatMap(([word, text]) => {
    const said = text.replace(/\{\w+\}/g, "").match(/[A-Za-z-][\w./-]*/g) ?? [];
    return said.filter((one) => /[A-Za-z]/.test(one) && !names.test(one)).map((one) => `${word}: ${one}`);
  });
  expect(foreign).toEqual([]);
});
