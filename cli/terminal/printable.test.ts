import { expect, it } from "vitest";
import { printable } from "./printable.ts";

it("printable() leaves texts as they are, with their lines and tabs", () => {
  for (const text of ["", "a\n\tb\n", "Größe 中文 → 5 %"]) expect(printable(text)).toBe(text);
  expect(printable("one\r\ntwo\r\n")).toBe("one\ntwo\n");
});

it("printable() lets nothing through that steers a terminal or turns the order of a line", () => {
  expect(printable("\u001b[31mred\u0007")).toBe("?[31mred?");
  expect(printable("over\rwritten")).toBe("over?written");
  expect(printable("a\u009bb\u0000c\u007f")).toBe("a?b?c?");
  expect(printable("safe\u202egnp.exe")).toBe("safe?gnp.exe");
});
