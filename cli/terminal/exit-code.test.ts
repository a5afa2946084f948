import { OutriggerError } from "@outrigger/base";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { commandsOf, requiredWords } from "../../test/cli/commands-of.ts";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { createProgram } from "../main.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-code.ts";

const COMMANDS = commandsOf(await createProgram(fakeIo()));
const AWAY = new OutriggerError("aws-unavailable", "Cannot reach AWS: this test has none");

/** Commands that ask nobody and read no file, or serve until they are stopped. */
const ALWAYS_DONE = ["start", "studio", "print", "completion"];

describe("every command", () => {
  it.each(COMMANDS.map(({ path, command }) => [path.join(" "), path, command] as const))(
    "exits 0 for help, 2 for a wrong command line, 3 where nothing can be reached: %s",
    async (name, path, command) => {
      const cli = fakeCli(() => Promise.reject(AWAY), SHIPPED);
      const run = async (...more: readonly string[]) => {
        const { code, err } = await cli.run(path[0] as string, ...path.slice(1), ...more);
        return [code, err === ""];
      };
      expect(await run("--help")).toEqual([0, true]);
      expect(await run("--no-such-option")).toEqual([2, false]);
      const words = requiredWords(command);
      if (words.length > 0) expect(await run()).toEqual([2, false]);
      const isGroup = command.commands.length > 0 && !command.options.some(({ long }) => long === "--json");
      const isAsking = !isGroup && !ALWAYS_DONE.includes(path[0] as string) && path[0] !== "new";
      const reached = LOCAL[name] ?? words;
      if (isAsking) expect([name, ...(await run(...reached))]).toEqual([name, 3, false]);
      cli.remove(".");
    },
  );

  it("prints the table in its help", async () => {
    const io = fakeIo();
    (await createProgram(io)).outputHelp();
    for (const [code, meaning] of EXIT_CODES) expect(io.out()).toContain(`  ${code}  ${meaning}`);
  });
});

/** Arguments that make a command that would succeed without AWS, or name nothing to ask, ask for something that does not exist. */
const LOCAL: Readonly<Record<string, readonly string[]>> = {
  lint: ["gone"],
  test: ["gone"],
  push: ["gone"],
  values: ["--values", "gone.yaml"],
  explain: ["-f", "gone.yaml"],
  import: ["-f", "gone.yaml", "-o", "tree"],
  repair: ["gone"],
  samples: ["shipped", "--cluster", "shop"],
  "token rotate": ["--cluster", "shop"],
  "token retire": ["--cluster", "shop", "0123456789ab"],
  init: ["shipped/config.yaml/project"],
};

describe("exitCodeOf()", () => {
  const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });

  it.each<[string, unknown, number]>([
    ["what was found", new OutriggerError("findings", "x"), 1],
    ["an invalid tree", new OutriggerError("tree-invalid", "x"), 1],
    ["a tree that cannot be read", new OutriggerError("tree-invalid", "x", { cause: missing }), 3],
    ["a file that an option names in vain", new OutriggerError("usage", "x", { cause: missing }), 2],
    ["a pin", new OutriggerError("channel-pinned", "x"), 3],
    ["a bug", new TypeError("x"), 3],
    ["a wrong command line", new CommanderError(1, "commander.unknownOption", "x"), 2],
    ["help", new CommanderError(0, "commander.help", "x"), 0],
  ])("of %s", (_what, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});
