import { sharedMemory } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readTemplate } from "./read-template.ts";

describe("readTemplate()", () => {
  it("reads once when the same text comes again under the same name", () => {
    const read = readTemplate("a: {{spec}}", "same");
    expect(readTemplate("a: {{spec}}", "same")).toBe(read);
  });

  it("reads again when the text has changed, and when it has changed back", () => {
    const text = "a: {{spec}}";
    const read = readTemplate(text, "edited");
    expect(readTemplate("b: {{spec}}", "edited").program).not.toEqual(read.program);
    expect(readTemplate(text, "edited")).toEqual(read);
  });

  it("names each template in its own findings when two have the same text", () => {
    const names = ["one", "partials/two"];
    const findings = names.map((name) => readTemplate("a: {{{spec}}}\n{{#if", name).findings);
    expect(findings.map((of) => of.map(({ template }) => template))).toEqual(names.map((name) => [name]));
  });

  it("keeps nothing of a text that no parameter could hold", () => {
    const text = `a: {{spec}}${" ".repeat(8192)}`;
    expect(readTemplate(text, "long")).not.toBe(readTemplate(text, "long"));
  });

  it("keeps a text that a parameter just holds, whatever its line ends take as JSON", () => {
    const text = "a: {{spec}}\n".padEnd(8192, "\n");
    expect(readTemplate(text, "full")).toBe(readTemplate(text, "full"));
  });

  it("forgets the oldest when there are more than the memory for texts holds", () => {
    sharedMemory.limit(1_000_000);
    const read = readTemplate("a: 1", "first");
    for (let index = 0; index < 1000; index++) readTemplate("a: 1", `later-${index}`);
    sharedMemory.limit(256_000_000);
    expect(readTemplate("a: 1", "first")).not.toBe(read);
    expect(readTemplate("a: 1", "first")).toEqual(read);
  });

  it("parses a text to the same program however often it was fixed before", () => {
    const text = "{{#if spec}}\n a\n{{else if owner}}\n b\n{{/if}}\n";
    expect(readTemplate(text, "fixed again").program).toEqual(readTemplate(text, "fixed").program);
  });
});

describe("readTemplate() of a text with a byte order mark", () => {
  it("leaves the mark out of what is written", () => {
    expect(readTemplate("\uFEFFa: {{x}}", "partials/marked").program).toEqual(
      readTemplate("a: {{x}}", "partials/plain").program,
    );
  });
});
