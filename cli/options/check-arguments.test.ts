import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { afterAll, describe, expect, it } from "vitest";
import { commandsOf, requiredWords } from "../../test/cli/commands-of.ts";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { createProgram } from "../main.ts";

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

describe("a command line", () => {
  const cli = fakeCli(
    () => Promise.reject(new OutriggerError("aws-unavailable", "Cannot reach AWS: no Region is given")),
    SHIPPED,
  );
  cli.write("pod.yaml", POD);
  mkdirSync(join(cli.cwd, "empty"));
  afterAll(() => cli.remove("."));

  it("is refused for every option with an empty value, and for every empty argument, of every command", async () => {
    const lines = commandsOf(await createProgram(fakeIo())).flatMap(({ path, command }) => [
      ...command.options
        .filter((option) => option.required && option.long !== "--network" && option.argChoices === undefined)
        .map((option) => [...path, ...requiredWords(command, option.long ?? ""), option.long ?? "", ""]),
      ...command.registeredArguments.map((_argument, index) => [...path, ...Array(index).fill("x"), ""]),
    ]);
    expect(lines.length).toBeGreaterThan(150);
    for (const line of lines) {
      const { code, out, err } = await cli.run(line[0] as string, ...line.slice(1));
      expect([line, code, out]).toEqual([line, 2, ""]);
      expect(err).not.toBe("");
    }
  });

  it.each(["inject", "explain", "uninject"])(
    "is refused for a revision or namespace that cannot be one: %s",
    async (name) => {
      const revision = await cli.run(`${name} -f pod.yaml --revision`, "Bad Revision");
      expect(revision).toMatchObject({
        code: 2,
        err: expect.stringContaining('Cannot use --revision "Bad Revision": '),
      });
      const namespace = await cli.run(`${name} -f pod.yaml -n`, "Bad_Namespace");
      expect(namespace).toMatchObject({
        code: 2,
        err: expect.stringContaining('Cannot use --namespace "Bad_Namespace": '),
      });
    },
  );

  it("knows the names of every option called revision, tag or namespace, in every command", async () => {
    const names = ["--revision", "--tag", "--namespace", "--istio-namespace"];
    for (const { path, command } of commandsOf(await createProgram(fakeIo()))) {
      for (const option of command.options) {
        if (!names.includes(option.long ?? "") || option.flags.includes("=")) continue;
        const words = [...path, ...requiredWords(command, option.long ?? ""), option.long as string, "No Name!"];
        const { code, err } = await cli.run(words[0] as string, ...words.slice(1));
        expect([words, code]).toEqual([words, 2]);
        expect(err).toContain("No Name!");
      }
    }
  });

  it.each(["inject", "uninject"])("does not take a format for a file: %s -o json", async (name) => {
    const { code, err } = await cli.run(`${name} -f pod.yaml -o json`);
    expect([code, err]).toEqual([
      2,
      "Cannot use -o json: -o names where to write here, not a format; for a file of this name write ./json\n",
    ]);
    expect(existsSync(join(cli.cwd, "json"))).toBe(false);
    expect((await cli.run(`${name} -f pod.yaml -o ./json`)).code).toBe(0);
    expect(existsSync(join(cli.cwd, "json"))).toBe(true);
    cli.remove("json");
  });

  it.each(["inject -f pod.yaml --from empty", "diff empty shipped"])(
    "takes a directory by its name, and says so where AWS cannot be reached: %s",
    async (line) => {
      const { code, err } = await cli.run(line);
      const why = "channels are not known, because Cannot reach AWS: no Region is given";
      expect([code, err]).toEqual([0, `Warning: empty is the directory here: ${why}\n`]);
    },
  );
});
