import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandsOf } from "../test/cli/commands-of.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { EVERYDAY } from "./help.ts";
import { createProgram, main } from "./main.ts";

async function run(...argv: readonly string[]) {
  const io = fakeIo();
  const code = await main(argv, io);
  return { code, out: io.out(), err: io.err() };
}

describe("main()", () => {
  it("prints every command and exits 0 for help --all", async () => {
    const { code, out, err } = await run("help", "--all");
    expect([code, err]).toEqual([0, ""]);
    for (const command of (await createProgram(fakeIo())).commands)
      expect(out).toMatch(new RegExp(`^  ${command.name()}\\b`, "m"));
    expect(out).toContain("Exit codes:");
  });

  it.each([[[]], [["help"]], [["--help"]], [["-h"]]])(
    "prints the everyday commands on one screen, in their groups, and exits 0 when it is called with %j",
    async (argv) => {
      const { code, out, err } = await run(...argv);
      expect([code, err]).toEqual([0, ""]);
      const lines = out.split("\n");
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(lines.filter((line) => line.length > 100)).toEqual([]);
      const names = [...out.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
      expect(names).toEqual(EVERYDAY);
      expect(names.length).toBe(15);
      expect(lines.filter((line) => /^[A-Z][a-z ]+:$/.test(line))).toEqual([
        "Options:",
        "Pods:",
        "Templates and values:",
        "Releases and channels:",
        "Deployments:",
        "Clusters:",
      ]);
      expect(out).toContain("outrigger help --all");
    },
  );

  it("prints the options of the deployment once, and on the page of each command which one names it", async () => {
    const { code, out } = await run("help", "deployment");
    expect(code).toBe(0);
    for (const name of ["deployment", "prefix", "publisher", "region", "profile"])
      expect(out).toContain(`  --${name} <`);
    const page = (await run("help", "promote")).out;
    expect(page).toContain("--deployment <stage>");
    expect(page).not.toContain("--publisher");
  });

  it.each(["explain", "new", "pull", "promote", "publish", "register"])(
    "prints how the result of %s is printed below what else it takes",
    async (command) => {
      const { out } = await run("help", command);
      const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
      const at = flags.indexOf("--output");
      expect(at).toBeGreaterThan(0);
      expect(flags[at + 1]).toBe("--help");
    },
  );

  it.each([
    ["render", "inject --overlay"],
    ["unpin", "pin --off"],
    ["version", "--version"],
    ["replicate", "repair --replica"],
    ["restore", "repair"],
    ["webhook", "print webhook"],
    ["rbac", "print rbac"],
    ["policy", "print policy"],
    ["schema", "print schema"],
    ["helpers", "print helpers"],
    ["audit", "pods --state missing"],
    ["status", "check --section registration"],
  ])("says where %s is now", async (old, now) => {
    for (const argv of [[old], [old, "x", "--any"], ["help", old]]) {
      const { code, out, err } = await run(...argv);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toBe(`\`outrigger ${old}\` is now \`outrigger ${now}\`\n`);
    }
    const [, option] = / (--\w+)/.exec(now) ?? [];
    const command = now.split(" --", 1)[0]?.split(" ") ?? [];
    if (old !== "version") expect((await run(...command, "--help")).out).toContain(option ?? `outrigger ${now}`);
  });

  it("says where each option of an earlier version is now, and its command has it no more", async () => {
    const source = readFileSync(new URL("options/commands-elsewhere.ts", import.meta.url), "utf8");
    const moved = [...source.matchAll(/^ {2}\["([a-z ]+)", "(--[a-z-]+)", "([^"]+)"\]/gm)];
    expect(moved.length).toBe(27);
    const all = commandsOf(await createProgram(fakeIo()));
    for (const [, command = "", option = "", now = ""] of moved) {
      const { code, out, err } = await run(...command.split(" "), `${option}=x`);
      expect([code, out, err]).toEqual([2, "", `\`outrigger ${command} ${option}\` is now \`outrigger ${now}\`\n`]);
      const found = all.find(({ path }) => path.join(" ") === command);
      expect(found?.command.options.map(({ long }) => long)).not.toContain(option);
      const [, next] = / (--[a-z-]+)/.exec(now) ?? [];
      if (next !== undefined) expect(found?.command.options.map(({ long }) => long)).toContain(next);
    }
  });

  it.each(["start", "dev", "inject", "print"])("prints help for %s when it is asked for", async (command) => {
    for (const argv of [
      [command, "--help"],
      ["help", command],
    ]) {
      const { code, out } = await run(...argv);
      expect(code).toBe(0);
      expect(out).toContain("Usage: outrigger ");
    }
  });

  it.each([["clusters set"], ["channel remove"], ["token rotate"]])(
    "prints help for %s, not for what is above it",
    async (path) => {
      const { code, out } = await run("help", ...path.split(" "));
      expect([code, out.split("\n")[0]]).toEqual([0, expect.stringContaining(`Usage: outrigger ${path} [options]`)]);
    },
  );

  it.each([
    [["injct"], "Unknown command 'injct'\n(Did you mean inject?)"],
    [["bogus"], "Unknown command 'bogus'\n"],
    [["help", "injct"], "Unknown command 'injct'\n(Did you mean inject?)"],
    [["inject"], "Required option '-f, --filename <file>' not specified"],
    [["inject", "-f", "x", "--drr", "y"], "(Did you mean --dir?)"],
    [["inject", "-f", "x", "y"], "Too many arguments"],
    [["start", "--port", "x"], 'Cannot use "x" for --port <port>. A port is a number from 0 to 65535.\n'],
    [["start", "--port", "65536"], "A port is a number from 0 to 65535."],
    [
      ["rollback", "stable", "abc"],
      'Cannot use "abc" as <release>. A release is named by its 12 hexadecimal digits, or the first of them, at least 4 (outrigger releases).\n',
    ],
    [
      ["lint", "-o", "xml"],
      'Cannot use "xml" for -o, --output <format>. Allowed choices are text, json, yaml, github, sarif.\n',
    ],
  ])("exits 2 and names the way out when the command line is %j", async (argv, message) => {
    const { code, out, err } = await run(...argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain("--help");
  });

  it.each([
    ["history", "outrigger channel CHANNEL"],
    ["kube-inject", "outrigger inject"],
    ["revision", "outrigger clusters, and outrigger register --revision NAME"],
    ["dashboard", "outrigger studio"],
    ["uninstall", "outrigger unregister"],
    ["constructor", undefined],
  ])("names the command that does what %s does elsewhere", async (word, named) => {
    const { code, out, err } = await run(word, "-f", "x");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`Unknown command '${word}'`);
    if (named !== undefined) expect(err).toContain(`here it is ${named}`);
  });

  it("names no command for a word of elsewhere that does not exist", async () => {
    const names = (await createProgram(fakeIo())).commands.map((command) => command.name());
    const source = readFileSync(new URL("options/commands-elsewhere.ts", import.meta.url), "utf8");
    const words = [...source.matchAll(/^ {2}"?([a-z-]+)"?: "/gm)].map(([, word]) => word);
    expect(words.length).toBeGreaterThan(15);
    expect(words.filter((word) => names.includes(word ?? ""))).toEqual([]);
    const named = [...source.matchAll(/outrigger ([a-z]+)/g)].map(([, name]) => name ?? "");
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("takes --stage for --deployment, the last of both", async () => {
    const stages = async (...argv: readonly string[]) =>
      JSON.stringify(
        (await run("print", "policy", "editor", "--account", "123456789012", "--region", "eu-west-1", ...argv)).out,
      );
    expect(await stages("--stage", "prod")).toContain("parameter/outrigger/prod/");
    expect(await stages("--stage", "prod", "--deployment", "test")).toContain("parameter/outrigger/test/");
    expect(await stages("--deployment", "test", "--stage=prod")).toContain("parameter/outrigger/prod/");
  });

  it("prints its version, alone and with Node's", async () => {
    expect(await run("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
    expect(await run("--version", "-o", "json")).toMatchObject({
      code: 0,
      out: `{\n  "outrigger": "1.2.3",\n  "node": "${process.version}"\n}\n`,
    });
    expect(await run("-v", "-o", "text")).toEqual({
      code: 0,
      out: `outrigger 1.2.3 (Node.js ${process.version})\n`,
      err: "",
    });
  });
});
