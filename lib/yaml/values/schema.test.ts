import { describe, expect, it } from "vitest";
import { parseYaml } from "../parse-yaml.ts";

const read = (text: string) => parseYaml(`a: ${text}\n`, "f");

describe("a plain scalar", () => {
  it.each<[unknown, string]>([
    [null, "~ null Null NULL"],
    [true, "y Y yes Yes YES true True TRUE on On ON"],
    [false, "n N no No NO false False FALSE off Off OFF"],
  ])("is %s for each of %s", (value, words) => {
    for (const word of words.split(" ")) expect([word, read(word)]).toEqual([word, { a: value }]);
  });

  it.each("nULL tRUE yEs oN fALSE nO oFF ~~ nulls -y .y".split(" "))("is text for %s", (word) => {
    expect(read(word)).toEqual({ a: word });
  });

  it.each([
    ["0", 0],
    ["-0", 0],
    ["+1", 1],
    ["12", 12],
    ["1_000", 1000],
    ["0x1F", 31],
    ["-0X1f", -31],
    ["0o17", 15],
    ["0O17", 15],
    ["017", 15],
    ["-017", -15],
    ["+0b11", 3],
    ["99999999999999", 99999999999999],
    ["999999999999999", 999999999999999],
    ["18446744073709551615", 2 ** 64],
    ["18446744073709551616", 2 ** 64],
    ["-9223372036854775808", -(2 ** 63)],
    ["1.5", 1.5],
    [".5", 0.5],
    ["1.", 1],
    ["-1e3", -1000],
    ["+1E-2", 0.01],
    ["1_0.5", 10.5],
    ["08", 8],
  ])("is a number for %s: %d", (text, value) => {
    expect(read(text)).toEqual({ a: value });
  });

  it.each(["0x", "0o8", "0b2", "1e", "1.2.3", "--1", "_1", "._5", ".", "1:30", "1-2", "2001-01-01", "1e999"])(
    "is no number for %s",
    (text) => {
      expect(read(text)).toEqual({ a: text });
    },
  );
});

describe("a scalar with a tag", () => {
  it.each([
    ["!!str 1", "1"],
    ["!!int 1", 1],
    ["!!float 1.5", 1.5],
    ["!!float 1", 1],
    ["!!bool yes", true],
    ["!!null ~", null],
    ["!!timestamp 2001-01-01", "2001-01-01"],
    ["!!binary aGk=", "hi"],
    ["!own 1", "1"],
  ])("%s is %j", (text, value) => {
    expect(read(text)).toEqual({ a: value });
  });

  it.each([
    ["!!int 1.5", "the value is not of the type that its tag says: !!int"],
    ["!!float x", "the value is not of the type that its tag says: !!float"],
    ["!!bool 1", "the value is not of the type that its tag says: !!bool"],
    ["!!null x", "the value is not of the type that its tag says: !!null"],
    ["!!timestamp x", "the value is not of the type that its tag says: !!timestamp"],
    ["!!binary a", "the value of !!binary is not base64"],
    ["!!binary '!!!!'", "the value of !!binary is not base64"],
  ])("%s is refused: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe("a key that is a number", () => {
  it.each([
    ["1.0", "1"],
    ["1.5", "1.5"],
    ["0x10", "16"],
    ["1e6", "1e+06"],
    ["123456.0", "123456"],
    ["1234567.0", "1.234567e+06"],
    ["0.0001", "0.0001"],
    ["0.00001", "1e-05"],
    ["0.1", "0.1"],
    [".nan", ".nan"],
    [".inf", ".inf"],
    ["-.inf", "-.inf"],
    ["true", "true"],
  ])("%s is written as Go writes it: %s", (key, text) => {
    expect(parseYaml(`${key}: x\n`, "f")).toEqual({ [text]: "x" });
  });
});
