import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { codeBlocks, outriggerCalls } from "../../test/pages/code-blocks.ts";
import { createProgram, main } from "../main.ts";
import { withoutAliases } from "../options/aws-options.ts";

const COMMANDS = pathsOf(await createProgram(fakeIo()));

describe("the help of every command", () => {
  it.each(COMMANDS)("outrigger %s has examples that the command line takes", async (path) => {
    const io = fakeIo();
    expect([await main([...path.split(" "), "--help"], io), io.err()]).toEqual([0, ""]);
    const [, examples = ""] = /^Examples?:\n((?: {2}.*\n)+)/m.exec(io.out()) ?? [];
    const calls = codeBlocks(`\`\`\`sh\n${examples}\`\`\`\n`).flatMap(outriggerCalls);
    expect(calls).not.toEqual([]);
    for (const call of calls) expect([call.join(" "), await refusalOf(call)]).toEqual([call.join(" "), ""]);
  });
});

/** Returns the words of each command, and of those below it. */
function pathsOf(command: Command, above: readonly string[] = []): readonly string[] {
  return command.commands
    .filter((one) => one.name() !== "help")
    .flatMap((one) => {
      const path = [...above, one.name()];
      return [path.join(" "), ...pathsOf(one, path)];
    });
}

/** What the command line says against the words before it would do anything; empty where it takes them. */
async function refusalOf(words: readonly string[]): Promise<string> {
  const io = fakeIo();
  const program = await createProgram(io, undefined, words[0]);
  doNothing(program);
  try {
    await program.parseAsync([...withoutAliases(words)], { from: "user" });
    return io.err();
  } catch (error) {
    return `${io.err()}${error}`;
  }
}

function doNothing(command: Command): void {
  for (const one of command.commands) {
    one.action(() => {});
    doNothing(one);
  }
}
