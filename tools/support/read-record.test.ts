import { describe, expect, it } from "vitest";
import { readRecord } from "./read-record.ts";

interface Report {
  readonly name: string;
  readonly bytes: number;
  readonly note?: string;
}

const read = (text: string) =>
  readRecord<Report>(text, "report.json (npm run build)", { name: "text", bytes: "number" });

describe("readRecord()", () => {
  it("gives the object when every listed field has its kind", () => {
    expect(read('{"name":"inject","bytes":3,"more":[]}')).toEqual({ name: "inject", bytes: 3, more: [] });
  });

  it.each([
    ["{", "it is not JSON"],
    ["[]", "it is not a JSON object"],
    ["null", "it is not a JSON object"],
    ['{"name":"inject"}', "bytes must be a number"],
    ['{"name":{},"bytes":1}', "name must be a text"],
  ])("refuses %s and says why", (text, why) => {
    expect(() => read(text)).toThrow(`Cannot read report.json (npm run build): ${why}`);
  });

  it("knows a list from an object", () => {
    interface Lists {
      readonly items: readonly string[];
      readonly place: object;
    }
    const of = (value: object) => () =>
      readRecord<Lists>(JSON.stringify(value), "it", { items: "list", place: "object" });
    expect(of({ items: [], place: {} })).not.toThrow();
    expect(of({ items: {}, place: {} })).toThrow("items must be a list");
    expect(of({ items: [], place: [] })).toThrow("place must be an object");
  });
});
