import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellWords } from "./shell-words.ts";

it("shellWords() is read by a shell as the words that it is of", () => {
  const words = ["plain", "a=b/c:d,e", "", "two words", "it's", "$HOME", "`x`", "a;b", "*", "\\", '"'];
  const read = execFileSync("sh", ["-c", `printf '%s\\n' ${shellWords(words)}`], { encoding: "utf8" });
  expect(read.split("\n").slice(0, -1)).toEqual(words);
  expect(shellWords(["aws", "--region", "eu-west-1"])).toBe("aws --region eu-west-1");
});
