import { expect, test } from "vitest";
import { parseRegex } from "./regex-parser.ts";

test("parseRegex() reads a pattern with 99 groups in each other, and rejects one with more", () => {
  const nested = (groups: number) => `${"(".repeat(groups)}a${")".repeat(groups)}`;
  expect(parseRegex(nested(99)).groups).toBe(100);
  expect(() => parseRegex(nested(100))).toThrow("is nested too deeply");
});
