import { describe, expect, it } from "vitest";
import { valuesSchema } from "./values-rules.ts";

describe("valuesSchema()", () => {
  it("is a schema of draft 2020-12 that knows every key of the values", () => {
    const schema = valuesSchema({ global: { own: "a" }, list: [] });
    expect(Object.keys(schema).slice(0, 2)).toEqual(["$schema", "title"]);
    expect(schema).toMatchObject({ properties: { global: { properties: { own: {} } }, list: {} } });
  });
});
