import { describe, expect, it } from "vitest";
import type { OutriggerError } from "../errors.ts";
import { parseYaml } from "../kube/yaml.ts";
import { checkSchema } from "./check-schema.ts";

const SCHEMA = {
  type: "object",
  required: ["team"],
  properties: { team: { type: "string" }, global: { properties: { "a/b": { type: "integer" } } } },
};

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
});
