import { expect, it } from "vitest";
import { englishWords } from "./en.ts";
import { chooseLanguage, chosenLanguage, say } from "./say.ts";

it("chooseLanguage() takes the first language that the page has", () => {
  expect(chooseLanguage(["zh-CN", "en"])).toBe("zh");
  expect(chooseLanguage(["fr", "en-GB", "zh"])).toBe("en");
  expect(chooseLanguage(["fr"])).toBe("en");
});

it("say() puts values in place of their names, as text", () => {
  expect(say("save.all", { count: 3 })).toBe("Save 3 edits");
  chosenLanguage.value = "zh";
  expect(say("save.all", { count: 3 })).toBe("保存 3 处修改");
  chosenLanguage.value = "en";
  expect(say("failed", { message: "{count}" })).toBe("Failed: {count}");
});

it("say() has the form of the word that fits the number", () => {
  expect(say("findings.count", { errors: 1, warnings: 0 })).toBe("1 error, 0 warnings");
  expect(say("impact.same", { count: 1 })).toBe("1 pod does not change");
  expect(say("impact.same", { count: 2 })).toBe("2 pods do not change");
  expect(say("written", { line: 1, count: 1 })).toBe("Line 1 writes 1 line of the pod: show");
  // Counts of which only the number is said.
  const bare = ["pod.number", "impact.more"];
  for (const [word, text] of Object.entries(englishWords)) {
    if (!bare.includes(word)) expect({ word, text }).not.toMatchObject({ text: expect.stringMatching(/\{count\}/) });
  }
});
