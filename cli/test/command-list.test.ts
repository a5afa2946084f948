// Makes cli/generated/command-list.ts: what the help of the tool says of each command. UPDATE_GOLDEN=1 writes it; format it
// with `npm run format`.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { createProgram } from "../main.ts";

const FILE = fileURLToPath(new URL("../generated/command-list.ts", import.meta.url));

const HEADER = `// Made by cli/test/command-list.test.ts: UPDATE_GOLDEN=1 npx vitest run --project unit cli/command-list
// What the help says of each command, so that it need not load them all.

/** Heading → its commands, each with its names, options and arguments as the help has them, and what it does. */
export const COMMAND_LIST: readonly (readonly [
  heading: string,
  commands: readonly (readonly [term: string, description: string])[],
])[] = `;

it("is what the commands say of themselves", async () => {
  const program = await createProgram(fakeIo());
  const help = program.createHelp();
  const groups = new Map<string, [string, string][]>();
  for (const command of program.commands) {
    const said = groups.get(command.helpGroup()) ?? [];
    said.push([help.subcommandTerm(command), help.subcommandDescription(command)]);
    groups.set(command.helpGroup(), said);
  }
  const said = [...groups];
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(FILE, `${HEADER}${JSON.stringify(said, undefined, 2)};\n`);
  const { COMMAND_LIST } = await import("../generated/command-list.ts");
  expect(COMMAND_LIST).toEqual(said);
});
