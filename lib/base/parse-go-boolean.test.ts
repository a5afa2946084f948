import { expect, it } from "vitest";
import { parseGoBoolean } from "./parse-go-boolean.ts";

it.each([
  ["1", true],
  ["t", true],
  ["T", true],
  ["true", true],
  ["TRUE", true],
  ["True", true],
  ["0", false],
  ["f", false],
  ["F", false],
  ["false", false],
  ["FALSE", false],
  ["False", false],
  ["", undefined],
  ["yes", undefined],
  ["tRUE", undefined],
  [" true", undefined],
  ["toString", undefined],
])("parseGoBoolean() reads %j as %j", (text, expected) => {
  expect(parseGoBoolean(text)).toBe(expected);
});
