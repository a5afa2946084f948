import { defineEntry, isObject, type JsonValue } from "@outrigger/base";
import fc from "fast-check";
import { load as parseAnyYaml } from "js-yaml";
import { describe, expect, test } from "vitest";
import { arbitraryCodePoint } from "../../test/support/arbitrary-code-point.ts";
import { bindProgram } from "./bind/bind-program.ts";
import { branchKeyOf, startRender } from "./bind/render-state.ts";
import { placeholderPattern, placeholdersOf, shapeText } from "./bind/text-pieces.ts";
import { valueText } from "./bind/value-text.ts";
import type { Program } from "./compiled-templates.ts";
import { helpers } from "./helpers/helpers.ts";
import { loadTemplates, type TemplateData } from "./load-templates.ts";
import { compileTemplates } from "./testing/render-text.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

/** A value in every position that a scalar can have. */
const TEMPLATE = `
plain: {{metadata.a}}
joined: x-{{metadata.b}}/{{metadata.c}}
double: "{{metadata.d}}"
single: 'a {{metadata.e}} b'
literal: |
  {{metadata.f}}
  second
folded: >-
  {{metadata.g}} and
  more
flow: { one: {{metadata.h}}, two: [{{metadata.i}}, "{{metadata.j}}"] }
{{metadata.k}}: key
keys: { "x{{metadata.l}}": 1, y: 2 }
list:
- {{metadata.m}}
- name: {{metadata.n}}
  value: static
{{#each metadata.list}}
- {{this}}
{{/each}}
{{> part value=metadata.o}}
nested:
    {{> indented}}
end: true
`;
const PARTIALS = { part: "part: {{value}}\n", indented: "in: 'so\n  dented {{metadata.p}}'\n" };
const FIELDS = [..."abcdefghijklmnop"];
const compiled = compileTemplates({ templates: { t: TEMPLATE }, partials: PARTIALS });
const options = { helpers, constants: {}, defaults: {} };
const set = loadTemplates(compiled, options);

describe("render()", () => {
  test("puts a hostile value into its own scalar and changes nothing else", () => {
    fc.assert(
      fc.property(
        hostileData,
        keepsToItsScalar((data) => set.render("t", data)),
      ),
      { numRuns },
    );
  });

  test("puts a hostile value into its own scalar when the value is a constant", () => {
    const render = (data: TemplateData) => loadTemplates(compiled, { ...options, constants: data }).render("t", data);
    fc.assert(fc.property(hostileData, keepsToItsScalar(render)), { numRuns: Math.ceil(numRuns / 5) });
  });

  test("is caught when values are spliced as text", () => {
    expect(() =>
      fc.assert(fc.property(hostileData, keepsToItsScalar(renderSpliced)), { numRuns, endOnFailure: true }),
    ).toThrow();
  });

  test("leaves deep-frozen data as they are and shares what it inserts whole", () => {
    const template = compileTemplates({
      templates: { t: "a: {{spec}}\nb: [{{spec}}]\n{{#each (sorted spec)}}k{{@key}}: {{this}}\n{{/each}}" },
      partials: {},
    });
    const whole = loadTemplates(template, options);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (spec) => {
        const before = JSON.stringify(spec);
        const overlay = whole.render("t", { spec: deepFreeze(spec) });
        expect(JSON.stringify(spec)).toBe(before);
        // Nulls and directives are left out of what is inserted, and then it cannot be shared.
        if (/null|"\$/.test(before)) return;
        expect(overlay["a"]).toBe(spec);
        expect(overlay["b"]).toEqual([spec]);
      }),
      { numRuns },
    );
  });
});

/** Values by their field; the one at `list` repeats. */
interface Hostile {
  readonly values: readonly string[];
  readonly list: readonly string[];
}

/** Benign marks are rendered in their place, and then replaced in the tree: that is what must come out. */
function keepsToItsScalar(render: (data: TemplateData) => JsonValue) {
  return ({ values, list }: Hostile): void => {
    const marks = values.map((_, index) => `MARK${index}X`);
    const listMarks = list.map((_, index) => `ITEM${index}X`);
    const replacements = new Map([
      ...marks.map((mark, index) => [mark, values[index]] as const),
      ...listMarks.map((mark, index) => [mark, list[index]] as const),
    ]);
    const benign = set.render("t", dataOf(marks, listMarks));
    const overlay = render(dataOf(values, list));
    expect(entriesOf(overlay)).toStrictEqual(entriesOf(substitute(benign, replacements)));
  };
}

function dataOf(values: readonly string[], list: readonly string[]): TemplateData {
  return { metadata: { ...Object.fromEntries(FIELDS.map((field, index) => [field, values[index]])), list } };
}

function substitute(value: JsonValue, replacements: ReadonlyMap<string, string | undefined>): JsonValue {
  if (typeof value === "string") return value.replace(/(?:MARK|ITEM)\d+X/g, (mark) => replacements.get(mark) as string);
  if (Array.isArray(value)) return value.map((item) => substitute(item, replacements));
  if (!isObject(value)) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, entry] of Object.entries(value)) {
    const name = substitute(key, replacements) as string;
    // A key that a value leaves empty, or makes a directive of, takes its entry along.
    if (name !== key && (name === "" || name === "$patch")) continue;
    defineEntry(copy, name, substitute(entry as JsonValue, replacements));
  }
  return copy;
}

/** Own entries as lists, because toStrictEqual does not look at an own `__proto__`. */
function entriesOf(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(entriesOf);
  return isObject(value)
    ? { entries: Object.keys(value).map((key) => [key, entriesOf(value[key] as JsonValue)]) }
    : value;
}

/** The mutant: the same text, with the values spliced in, through a YAML parser. */
function renderSpliced(data: TemplateData): JsonValue {
  const plan = bindProgram({
    name: "t",
    program: compiled.templates["t"] as Program,
    partials: compiled.partials,
    helpers,
    constants: {},
  });
  const state = startRender([data]);
  plan.run?.(state);
  const placeholders = placeholdersOf(plan.pieces, "t");
  const { text } = shapeText(plan.pieces, branchKeyOf(state), placeholders, "t");
  let values = 0;
  const spliced = text.replace(placeholderPattern(placeholders.mark), () => valueText(state.values[values++]));
  return parseAnyYaml(spliced) as JsonValue;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const NASTY = [
  "\n- injected: true",
  "a: b",
  "{",
  "}",
  "[x]",
  "*alias",
  "&anchor",
  "!!int 5",
  "# comment",
  "---",
  "'",
  '"',
  "|",
  ">-",
  "null",
  "~",
  "true",
  "5",
  "0x10",
  "",
  " ",
  "\t",
  "\r\n",
  "\u0000",
  "\ud800",
  "\udfff x",
  "__proto__",
  "constructor",
  "toString",
  "$patch",
  "{{metadata.a}}",
  "<% x %>",
  "¤0¤",
  "¤1¤",
  "%YAML 1.1",
  "<<",
  "?",
  "- ",
  "\u2028",
  "\u00a0",
  "é",
  "MARKX",
];

const nasty = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NASTY) },
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...NASTY, "\n", "  "), { maxLength: 6 }).map((parts) => parts.join("")),
  },
  { weight: 3, arbitrary: fc.string({ unit: arbitraryCodePoint }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme" }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
      .map((codes) => String.fromCharCode(...codes)),
  },
);
const huge = fc.constantFrom("x".repeat(1_000_000), "a: [\n".repeat(200_000));

const hostileData: fc.Arbitrary<Hostile> = fc.oneof(
  {
    weight: 99,
    arbitrary: fc.record({
      values: fc.array(nasty, { minLength: FIELDS.length, maxLength: FIELDS.length }),
      list: fc.array(nasty, { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      values: fc
        .tuple(
          huge,
          fc.array(nasty, { minLength: FIELDS.length - 1, maxLength: FIELDS.length - 1 }),
          fc.nat(FIELDS.length - 1),
        )
        .map(([big, rest, at]) => rest.toSpliced(at, 0, big)),
      list: fc.constant([]),
    }),
  },
);
