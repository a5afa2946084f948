import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { hasTypes } from "./type-check.ts";

const root = resolve(import.meta.dirname, "../..");

it.each([
  [true, "selector, and a name that nothing uses", "export const a: LabelSelector = EMPTY;\nconst unused = 1;\n"],
  [false, "number", "export const a: number = EMPTY;\n"],
])(
  "is %s of a mutant that takes a selector of the file next to it for a %s",
  async (expected, _type, rest) => {
    const imports = 'import { type LabelSelector, parseLabelSelector } from "./label-selector.ts";\n';
    const code = `${imports}const EMPTY: LabelSelector = parseLabelSelector(undefined, "");\n${rest}`;
    expect(await hasTypes({ file: "lib/pod/mutant.ts", code }, root)).toBe(expected);
  },
  60_000,
);

it.each(["cli/tree/compile-tree.ts", "functions/publish/index.ts"])(
  "is true of %s as it is, which needs a module that the build makes",
  async (file) => {
    expect(await hasTypes({ file, code: readFileSync(join(root, file), "utf8") }, root)).toBe(true);
  },
  60_000,
);
