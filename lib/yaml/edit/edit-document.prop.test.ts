import type { JsonValue } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatYaml } from "../format-yaml.ts";
import { parseYamlDocuments } from "../parse-yaml.ts";
import { editDocument } from "./edit-document.ts";

const RUNS = Number(process.env["EDIT_RUNS"] ?? 150);

const name = fc.constantFrom("name", "a", "b", "on", "1", "~", "a b", "# c", "- d", "é", "__proto__");
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    true,
    0,
    1.5,
    "",
    "x",
    "yes",
    "0755",
    "a: b",
    "# c",
    "- d",
    "l1\nl2\n",
    " s",
    "'",
    '"',
  ),
  fc.string({ maxLength: 8, unit: "grapheme" }),
);
const value = fc.letrec<{ any: JsonValue; map: JsonValue }>((tie) => ({
  any: fc.oneof({ depthSize: "small", maxDepth: 4 }, scalar, tie("map"), fc.array(tie("any"), { maxLength: 4 })),
  map: fc.dictionary(name, tie("any"), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
})).map;

/** The value as an author may have written it. */
const written = fc.record({
  document: value,
  form: fc.constantFrom("block", "indented", "wide", "json", "json lines", "compact"),
  lineBreak: fc.constantFrom("\n", "\r\n"),
  isCommented: fc.boolean(),
  isEnded: fc.boolean(),
});

function textOf({ document, form, lineBreak, isCommented, isEnded }: { [K in keyof Written]: Written[K] }): string {
  const printed = {
    block: () => formatYaml(document),
    indented: () => formatYaml(document, { indent: 2, indentsLists: true }),
    wide: () => formatYaml(document, { indent: 4, indentsLists: true }),
    json: () => `${JSON.stringify(document).replaceAll('":', '": ')}\n`,
    "json lines": () => `${JSON.stringify(document, undefined, 2)}\n`,
    compact: () => `${JSON.stringify(document)}\n`,
  }[form]();
  const isBlock = form === "block" || form === "indented" || form === "wide";
  // Not in a document with text over several lines, whose content a comment would be.
  const canComment = isCommented && isBlock && !/[|>][0-9+-]*\n/.test(printed) && !/["'][^"'\n]*$/m.test(printed);
  const text = canComment ? printed.replace(/^( *)(?=\S)/gm, "$1# one\n$1") : printed;
  return (isEnded ? text : text.trimEnd()).replaceAll("\n", lineBreak);
}

interface Written {
  readonly document: JsonValue;
  readonly form: "block" | "indented" | "wide" | "json" | "json lines" | "compact";
  readonly lineBreak: string;
  readonly isCommented: boolean;
  readonly isEnded: boolean;
}

describe("editDocument()", () => {
  it("makes any document any other, or gives up", () => {
    let edited = 0;
    fc.assert(
      fc.property(written as fc.Arbitrary<Written>, value, (before, wanted) => {
        const text = textOf(before);
        const result = editDocument(text, wanted);
        if (result === undefined) return;
        edited += 1;
        expect(parseYamlDocuments(result, "f")[0]?.value).toEqual(wanted);
      }),
      { numRuns: RUNS },
    );
    expect(edited / RUNS).toBeGreaterThan(0.9);
  });

  it("keeps every byte when nothing differs", () => {
    fc.assert(
      fc.property(written as fc.Arbitrary<Written>, (before) => {
        const text = textOf(before);
        const [document] = parseYamlDocuments(text, "f");
        expect(editDocument(text, document?.value as JsonValue)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("gives the text back when an entry is added and removed again", () => {
    fc.assert(
      fc.property(written as fc.Arbitrary<Written>, value, (before, added) => {
        const text = textOf(before);
        const old = parseYamlDocuments(text, "f")[0]?.value as { readonly [key: string]: JsonValue };
        if (Object.keys(old).length === 0) return;
        const more = editDocument(text, { ...old, added });
        expect(more).toBeDefined();
        expect(editDocument(more as string, old)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });
});
