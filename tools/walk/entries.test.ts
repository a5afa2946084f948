import { expect, it } from "vitest";
import { walkOf } from "./entries.ts";

it("walkOf() counts each file and function once, and a return for each other step into a file again", () => {
  const entries = ["a 1", "b 1", "a 2", "a 1", "b 1", "a 2", "b 2", "c 1"].map(
    (entry) => [entry.slice(0, 1), entry] as const,
  );
  expect(walkOf(entries)).toEqual({
    files: ["a", "b", "c"],
    functions: 5,
    returns: 2,
    entered: [
      ["a", 2],
      ["b", 2],
      ["c", 1],
    ],
  });
});
