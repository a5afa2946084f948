import { boundedCache, type JsonValue, sharedMemory } from "@outrigger/base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Piece, placeholdersOf, type ShapeText } from "../bind/text-pieces.ts";
import { fillShape } from "./fill-shape.ts";
import { type BlockCache, parseBlocks } from "./parse-blocks.ts";
import { parseShape, type ShapePart } from "./parse-shape.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

const position = { source: "t", line: 1, column: 1 };
const pieces: readonly Piece[] = [
  { kind: "slot", position },
  { kind: "slot", position },
  { kind: "slot", position },
  { kind: "constant", value: { c: [1] }, position },
  { kind: "constant", value: "const", position },
  { kind: "constant", value: undefined, position },
];
const placeholders = placeholdersOf(pieces, "t");
const slots = [...placeholders.ofSlot.values()];
const leftOut = slots[5] as string;

test("parseBlocks() gives what parseShape() gives, or gives up", () => {
  const cache = boundedCache<ShapePart>(sharedMemory.shapes);
  let usual = 0;
  fc.assert(
    fc.property(
      texts,
      agrees(cache, () => usual++),
    ),
    // A key twice, of which one is left out because its constant is missing.
    { numRuns, examples: [[`a:\n  - "q": ${leftOut}\n    q: 1\n`]] },
  );
  expect(usual).toBeGreaterThan(numRuns / 5);
});

test.each(["a: 1\n---\nb: 2\n", "a: 1\n...\n", "%YAML 1.1\na: 1\n", "a:\tb\n", "a: 1\r\nb: 2\r\n", "\ufeffa: 1\n"])(
  "parseBlocks() leaves %j to parseShape()",
  (text) => {
    expect(
      parseBlocks(
        { text, placeholders, positionAt: () => position },
        "t",
        boundedCache<ShapePart>(sharedMemory.shapes),
      ),
    ).toBeUndefined();
  },
);

test.each([
  ["keeps a text", 10_000, true],
  ["keeps nothing of a text but its small entries", 20_000, false],
])("parseBlocks() %s, as an eighth of its memory allows: %i characters", (_what, length, isKept) => {
  // Of this, 50,000 bytes are the most for one part: its text takes two bytes a character at most, and what is made of it one.
  sharedMemory.limit(1_000_000);
  const [first, entry] = ["a: 1\n", `b: ${"x".repeat(length)}\n`];
  const cache = boundedCache<ShapePart>(sharedMemory.shapes);
  expect(parseBlocks({ text: first + entry, placeholders, positionAt: () => position }, "t", cache)).toBeDefined();
  expect([first + entry, entry].map((part) => cache.get(part) !== undefined)).toEqual([isKept, isKept]);
  expect(cache.get(first)).toBeDefined();
  sharedMemory.limit(256_000_000);
});

test("parseBlocks() is caught when a part keeps the values of the text that it was first seen in", () => {
  const absolute = (part: ShapePart): ShapePart => JSON.parse(JSON.stringify(part).replace(/\["at",\d+,/g, '["at",0,'));
  expect(() =>
    fc.assert(
      fc.property(
        texts,
        agrees(boundedCache<ShapePart>(sharedMemory.shapes), () => 0, absolute),
      ),
      { numRuns },
    ),
  ).toThrow();
});

function agrees(cache: BlockCache, count: () => void, mutate: (part: ShapePart) => ShapePart = (part) => part) {
  return (text: string): void => {
    const source: ShapeText = { text, placeholders, positionAt: () => position };
    const part = parseBlocks(source, "t", cache);
    if (part === undefined) return;
    count();
    expect(overlayOf(mutate(part))).toStrictEqual(overlayOf(parseShape(source, "t")));
  };
}

/** Every value is different, so that one in the wrong place shows. */
function overlayOf({ shape, values }: ShapePart): { readonly values: number; readonly overlay: JsonValue | undefined } {
  const trail = Array.from({ length: values }, (_, index) => `v${index}`);
  return { values, overlay: fillShape(shape, new WeakMap())(trail, 0) };
}

/** A node of YAML text; `block` when it has to begin on a line of its own below a key. */
interface Node {
  readonly text: string;
  readonly block: boolean;
}

const ODD = ["&a x", "*a", "<", '"two\n  lines"', "plain\n  on two", "[1,\n 2]", "- x", "a: b", "'open"];
const EVEN = [
  "x",
  "1",
  "true",
  "~",
  '"q: # x"',
  "'s'",
  "a b",
  "{a: 1, b: [2]}",
  "[]",
  "x # comment",
  "!!str 5",
  "",
  "|\n  block\n\n   more\n  # no comment",
  ">-\n  folded\n  text",
  "|+\n  keep\n\n",
  ...slots,
  ...slots,
  `x-${slots[0]}`,
  `"${slots[1]}"`,
  `|\n  ${slots[2]} x`,
  `{ a: ${slots[0]} }`,
];
const scalar: fc.Arbitrary<Node> = fc
  .oneof({ weight: 40, arbitrary: fc.constantFrom(...EVEN) }, { weight: 1, arbitrary: fc.constantFrom(...ODD) })
  .map((text) => ({ text, block: false }));

const key = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "c-d",
      "e.f/g",
      '"q"',
      "'s'",
      "$patch",
      "a b",
      slots[0] as string,
      `x${slots[4]}`,
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("on", "n", "1", "<<", "__proto__", "? x", "-a") },
);
const comment = fc.oneof(
  { weight: 20, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.constantFrom("# note\n", "\n", "   # odd\n") },
);

const { tree } = fc.letrec<{ tree: Node; map: Node; list: Node }>((tie) => ({
  map: fc
    .uniqueArray(fc.tuple(key, tie("tree"), comment), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .map((entries) => ({
      text: entries
        .map(([name, { text, block }, note]) => `${note}${name}:${block ? `\n${indent(text, "  ")}` : ` ${text}`}`)
        .join("\n"),
      block: true,
    })),
  list: fc
    .array(fc.tuple(tie("tree"), fc.constantFrom("- ", "- ", "-   ")), { minLength: 1, maxLength: 4 })
    .map((items) => ({
      text: items.map(([{ text }, dash]) => dash + indent(text, " ".repeat(dash.length)).trimStart()).join("\n"),
      block: true,
    })),
  tree: fc.oneof({ maxDepth: 4, depthSize: "small" }, scalar, tie("map"), tie("list"), tie("map")),
}));

function indent(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

/** Mostly well-formed, sometimes with a line too many. */
const texts = fc
  .tuple(
    fc.array(fc.tuple(tree, fc.constantFrom("", "  ", "  ")), { minLength: 1, maxLength: 3 }),
    fc.option(
      fc.tuple(
        fc.nat(20),
        fc.constantFrom(
          "  x: 1",
          "- y",
          " z",
          "}",
          "# c",
          `# ${slots[1]}`,
          "---",
          '"',
          "k: v",
          "\tt: 1",
          "   - w",
          "      q: 1",
        ),
      ),
      { freq: 4 },
    ),
  )
  .map(([trees, broken]) => {
    const entries = trees.map(
      ([{ text, block }, by], index) =>
        `t${index}:${block ? `\n${indent(text, text.startsWith("-") ? by : "  ")}` : ` ${text}`}`,
    );
    const lines = entries.join("\n").split("\n");
    if (broken) lines.splice(broken[0] % (lines.length + 1), 0, broken[1]);
    return `${lines.join("\n")}\n`;
  });
