import { expect, it } from "vitest";
import { inTurn } from "./in-turn.ts";

it("inTurn() begins a call when the one before has ended, with its answer or its error", async () => {
  const lines: string[] = [];
  const ends = new Map<string, () => void>();
  const run = inTurn(async (name: string) => {
    lines.push(`${name} begins`);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    lines.push(`${name} ends`);
    if (name === "a") throw new Error("a fails");
    return `${name} is done`;
  });
  const settled = ["a", "b", "c"].map((name) => run(name).catch((error: Error) => error.message));
  const end = async (name: string) => {
    for (let turn = 0; turn < 10 && !ends.has(name); turn++) await Promise.resolve();
    ends.get(name)?.();
  };
  for (const name of ["a", "b", "c"]) await end(name);
  expect(await Promise.all(settled)).toEqual(["a fails", "b is done", "c is done"]);
  expect(lines).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});
