import type { OutriggerError } from "@outrigger/base";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it, vi } from "vitest";
import { checkSchema, schemaFaults } from "./check-schema.ts";

const SCHEMA = {
  type: "object",
  required: ["team"],
  properties: { team: { type: "string" }, global: { properties: { "a/b": { type: "integer" } } } },
};

/** Returns the line and message of each fault of a schema that is written as YAML. */
function faultsOf(text: string) {
  const errors: OutriggerError[] = [];
  checkSchema({ path: "schema", text, value: parseYaml(text, "schema") as never }, { team: "a" }, [], errors);
  return errors.map(({ line, message }) => `${line} ${message}`);
}

function errorsOf(schema: unknown, ...texts: readonly string[]) {
  const files = texts.map((text, at) => ({ path: `values/${at}`, text, value: parseYaml(text, "values") as never }));
  const errors: OutriggerError[] = [];
  const values = Object.assign({}, ...files.map(({ value }) => value));
  checkSchema({ path: "schema", text: "", value: schema as never }, values, files, errors);
  return errors.map(({ code, message, path, line }) => ({ code, message, path, line }));
}

describe("checkSchema()", () => {
  it("finds nothing in values that match", () => {
    expect(errorsOf(SCHEMA, "team: a\nglobal: {a/b: 1}\n")).toEqual([]);
  });

  it("names the line of the last file that sets the value", () => {
    expect(errorsOf(SCHEMA, "team: 1\n", "other: 1\nteam: 2\n")).toEqual([
      {
        code: "values-invalid",
        path: "values/1",
        line: 2,
        message: expect.stringContaining("Cannot use values/1: values.team does not match the tree's schema: "),
      },
    ]);
  });

  it("names a key with a slash as it is written", () => {
    const [error] = errorsOf(SCHEMA, "team: a\nglobal:\n  a/b: x\n");
    expect(error).toMatchObject({ path: "values/0", line: 3, message: expect.stringContaining("values.global.a/b ") });
  });

  it("names the schema where no file sets what it requires", () => {
    const [error] = errorsOf({ ...SCHEMA, const: 1 });
    expect(error).toMatchObject({ code: "values-invalid", path: "schema" });
  });

  it("rejects a schema that is not a mapping", () => {
    expect(errorsOf([], "team: a\n")).toMatchObject([
      { path: "schema", message: "Cannot use schema: it must be a JSON Schema, a mapping" },
    ]);
  });

  it.each([
    ["must be text", "1", ["$ref", "$id", "$anchor", "pattern", "format"]],
    ["must be a number", "x", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]],
    ["must be a number above 0", "0", ["multipleOf"]],
    [
      "must be a whole number from 0",
      "0.5",
      ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
    ],
    ["must be true or false", "x", ["uniqueItems"]],
    ["must be a list of values", "x", ["enum"]],
    ["must be a list of names", "[1]", ["required"]],
    ["must be a mapping of names to lists of names", "{a: b}", ["dependentRequired"]],
    [
      "must be a schema: a mapping, true or false",
      "x",
      ["additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else"],
    ],
    ["must be a schema: a mapping, true or false", "1", ["unevaluatedProperties", "unevaluatedItems"]],
    ["must be a list of schemas", "[x]", ["allOf", "anyOf", "oneOf", "prefixItems"]],
    [
      "must be a mapping of names to schemas",
      "{a: x}",
      ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
    ],
  ])("rejects a schema with a keyword that %s", (must, wrong, keywords) => {
    for (const keyword of keywords) {
      expect(faultsOf(`a: 1\n${keyword}: ${wrong}\n`)).toEqual([
        expect.stringMatching(`^2 Cannot use schema: ${keyword.replace("$", "\\$")} ${must}`),
      ]);
    }
  });

  it.each([
    ["type: []\n", "1 Cannot use schema: type must be one of"],
    ["type: objet\n", "1 Cannot use schema: type must be one of array, boolean, "],
    ["a: 1\ntype: [string, nul]\n", "2 Cannot use schema: type must be one of"],
    ["properties: [a]\n", "1 Cannot use schema: properties must be a mapping of names to schemas"],
    ["properties:\n  team:\n    minimum: x\n", "3 Cannot use schema: minimum must be a number"],
    ["required: team\n", "1 Cannot use schema: required must be a list of names"],
    ["items:\n  anyOf: []\n", "2 Cannot use schema: anyOf must be a list of schemas"],
    ["allOf:\n- maxLength: -1\n", "2 Cannot use schema: maxLength must be a whole number from 0"],
    ["properties:\n  gone: {pattern: '('}\n", '2 Cannot use schema: "(" is not a regular expression'],
    // Right without Unicode, wrong with it: as every pattern is read.
    ["properties:\n  gone: {pattern: '\\-'}\n", '2 Cannot use schema: "\\\\-" is not a regular expression'],
    ["patternProperties:\n  '[': {}\n", '2 Cannot use schema: "[" is not a regular expression'],
    ["$ref: '#/$defs/gone'\n", '1 Cannot use schema: $ref "#/$defs/gone" names nothing in the schema'],
    [
      "properties:\n  gone:\n    $ref: https://example.com/schema.json\n",
      '3 Cannot use schema: $ref "https://example.com/schema.json" is another document, and nothing is fetched',
    ],
    ["$ref: other.json#/a\n", '1 Cannot use schema: $ref "other.json#/a" is another document'],
  ])("names the line of the schema that is wrong in %j", (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    "type: [object, 'null']\nproperties: {team: true}\nadditionalProperties: false\n",
    "$ref: '#/$defs/a~1b'\n$defs:\n  a/b: {type: object}\n",
    "properties: {team: {$ref: '#here'} }\n$defs: {x: {$anchor: here, type: string} }\n",
    "$id: https://example.com/a\nproperties: {team: {$ref: 'https://example.com/a#/$defs/x'} }\n$defs: {x: {}}\n",
    "title: any\nx-own: [1]\ndependentRequired: {a: [b]}\nif: {required: [a]}\nthen: {minProperties: 1}\n",
  ])("takes %j", (text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  const DOCUMENT = "https://example.com/a";
  const OTHER = "https://example.com/b";
  it.each([
    ["#", true],
    [DOCUMENT, true],
    [OTHER, true],
    [`${DOCUMENT}#`, true],
    ["#here", true],
    [`${DOCUMENT}#here`, true],
    ["#/$defs/x", true],
    ["#/$defs/x/allOf/0", true],
    ["#/$defs/a~1b", true],
    ["#/$defs/c~0d", true],
    ["#/$defs/e%20f", true],
    ["#/$defs/100%", true],
    [`${DOCUMENT}#/$defs/x`, true],
    [`${OTHER}#/properties/any`, true],
    ["", false],
    ["#gone", false],
    ["#xtitle", false],
    ["#$defs/x", false],
    ["#/", false],
    ["#/$defs/", false],
    ["#/$defs/a/b", false],
    ["#/$defs/toString", false],
    ["#/$defs/x/allOf/1", false],
    ["#/title/0/0", false],
    [`${DOCUMENT}#gone`, false],
    [`${DOCUMENT}#/$defs/gone`, false],
    [`${OTHER}#xtitle`, false],
    ["https://example.com/c", false],
    ["https://example.com/c#/$defs/x", false],
  ])("takes the reference %j: %j", (ref, leads) => {
    const schema = {
      $id: DOCUMENT,
      title: "any",
      properties: { gone: { $ref: ref } },
      $defs: {
        x: { allOf: [true] },
        "a/b": true,
        "c~d": true,
        "e f": true,
        "100%": true,
        y: { $anchor: "here" },
        z: { $id: OTHER, properties: { any: true } },
      },
    };
    const reasons = schemaFaults(schema as never).map(({ steps, reason }) => [steps, reason.split('" ')[1]]);
    const nowhere =
      ref === "" || !/^#/.test(ref) ? expect.stringContaining("another document") : "names nothing in the schema";
    expect(reasons).toEqual(leads ? [] : [[["properties", "gone", "$ref"], nowhere]]);
    if (leads) expect(errorsOf(schema, "gone: 1\n")).toEqual([]);
  });

  it.each(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"])(
    "takes 0 for %s",
    (keyword) => {
      expect(schemaFaults({ [keyword]: 0 })).toEqual([]);
    },
  );

  it("fetches nothing, whatever the schema refers to", () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    faultsOf("$ref: https://example.com/schema.json\n");
    faultsOf("$schema: https://example.com/meta\n$id: https://example.com/a\ntype: object\n");
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });
});
