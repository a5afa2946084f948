import { expect, test } from "vitest";
import { defined } from "./defined.ts";

test("defined() leaves out undefined fields and keeps all others", () => {
  const fields: { name: string; network: string | undefined; count: number | undefined } = {
    name: "web",
    network: undefined,
    count: 0,
  };
  const result: { readonly name: string; readonly network?: string; readonly count?: number } = defined(fields);
  expect(Object.entries(result)).toEqual([
    ["name", "web"],
    ["count", 0],
  ]);
});
