import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fromStored, toStored } from "./tag-translation.ts";

describe("toStored()", () => {
  it.each([
    ["{{x}}", "<%x%>"],
    ["{{#if a}}b{{else}}c{{/if}}", "<%#if a%>b<%else%>c<%/if%>"],
    ["{{~ x ~}}", "<%~ x ~%>"],
    ["{{! a comment }}", "<%! a comment %>"],
    ["{{!-- {{x}} }} --}}", "<%!-- <%x%> %> --%>"],
    ["{{~!-- }} --~}}", "<%~!-- %> --~%>"],
    ["{{> partial a=b}}", "<%> partial a=b%>"],
    ["{{>partial}}", "<%>partial%>"],
    ["a: { b: { c: 1 } }\r\n\r\n", "a: { b: { c: 1 } }\r\n\r\n"],
    ["<{{x}}%", "<<%x%>%"],
    ["ключ: 值 {{x}} 🚣\n", "ключ: 值 <%x%> 🚣\n"],
    ["", "<%! an empty file"],
  ])("writes %j as %j when it is stored, and fromStored() gives it back", (text, stored) => {
    expect(toStored(text, "t")).toBe(stored);
    expect(fromStored(stored, "t")).toBe(text);
  });

  it.each([
    ["a <% b", 1, 3, "writes the braces of a tag"],
    ["a\nb %> c", 2, 3, "writes the braces of a tag"],
    ["{{{raw}}}", 1, 1, "three or more braces"],
    ["{a: {{x}}}", 1, 8, "put a space between"],
    ["{{x}} {a: {b: 1}}", 1, 16, "two closing braces end no tag, as in a flow map"],
    ["a: {{b: 1}", 1, 4, "the tag is not closed"],
    ["{{x <}}", 1, 5, 'a tag that ends in "<"'],
    ["a\n\ud800", 2, 1, "half a character"],
  ])("refuses %j with line and column when it cannot be stored", (text, line, column, remedy) => {
    const error = errorOf(() => toStored(text, "templates/sidecar"));
    expect(error).toMatchObject({ code: codeOf(remedy), path: "templates/sidecar", line, column });
    expect(error.message).toContain(remedy);
    expect(error.message).toContain(`Cannot store templates/sidecar: `);
    expect(error.message).toContain(`(line ${line}, column ${column})`);
  });

  it("gives back the same bytes when every shipped file is stored and read", () => {
    const files = readdirSync("templates", { recursive: true, encoding: "utf8" })
      .map((name) => join("templates", name))
      .filter((file) => statSync(file).isFile());
    expect(files.length).toBeGreaterThan(30);
    for (const file of files) {
      const bytes = readFileSync(file);
      const stored = toStored(bytes.toString(), file);
      expect(stored).not.toMatch(/\{\{|\}\}/);
      expect(Buffer.from(fromStored(stored, file)).equals(bytes)).toBe(true);
    }
  });
});

describe("fromStored()", () => {
  it.each([
    ["a %> b", "two closing braces end no tag"],
    ["a <%x b", "the tag is not closed"],
    ["{<%x%>: 1}", "three or more braces"],
    ["{ a: <%x%>}", "three or more braces"],
    ["{{x}}", "keeps tags as <% and %>"],
    ["<%! an empty file\nand more", "the tag is not closed"],
  ])("refuses %j when no file is stored like this", (value, remedy) => {
    const error = errorOf(() => fromStored(value, "/outrigger/dev/source/mesh"));
    expect(error).toMatchObject({ code: codeOf(remedy), path: "/outrigger/dev/source/mesh", line: 1 });
    expect(error.message).toContain(remedy);
  });
});

function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It was not refused");
}

const codeOf = (remedy: string) => (remedy === "the tag is not closed" ? "tag-unclosed" : "tree-invalid");
