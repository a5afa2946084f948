// What of a call the command line does not know.

import { createProgram } from "@outrigger/cli";
import type { Command } from "commander";
import { fakeIo } from "../cli/fake-io.ts";

const PROGRAM = await createProgram(fakeIo());

/** The words that name no command, or an option that the command does not have. */
export function unknownWords(words: readonly string[]): readonly string[] {
  let command: Command = PROGRAM;
  let rest = words;
  for (;;) {
    const next = command.commands.find((child) => child.name() === rest[0] || child.aliases().includes(rest[0] ?? ""));
    if (next === undefined) break;
    [command, rest] = [next, rest.slice(1)];
  }
  if (command === PROGRAM) return words;
  const known = [...command.options, ...PROGRAM.options].flatMap(({ short, long }) => [short, long]);
  // The other name of an option, as the command line takes it.
  const options = known.includes("--deployment") ? [...known, "--stage"] : known;
  return rest.filter(
    (word) => /^-{1,2}[a-zA-Z]/.test(word) && ![...options, "-h", "--help"].includes(word.split("=", 1)[0]),
  );
}
