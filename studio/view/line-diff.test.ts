import { expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

const said = (before: string, after: string) => lineDiff(before, after).map(({ mark, text }) => mark + text);

it("lineDiff() shows what is added and removed, with the lines around it", () => {
  expect(said("a\nb\nc", "a\nx\nc")).toEqual([" a", "-b", "+x", " c"]);
  const long = Array.from({ length: 20 }, (_, index) => `l${index}`).join("\n");
  expect(said(`${long}\nend`, `${long}\nnew\nend`)).toEqual(["…", " l17", " l18", " l19", "+new", " end"]);
});

it("lineDiff() of equal texts is short", () => {
  const long = Array.from({ length: 20 }, (_, index) => `l${index}`).join("\n");
  expect(said(long, long)).toEqual(["…"]);
});
