import { Argument, Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { completionTable, isNameKind, NAME_KINDS } from "./completion-table.ts";

const program = () => new Command("tool").helpOption(false).helpCommand(false);
/** What the only command of a program is completed with. */
function entryOf(build: (command: Command) => Command) {
  const all = program();
  build(all.command("do").helpOption(false));
  return completionTable(all)[1];
}

describe("completionTable()", () => {
  it("has every command below its parent, the tool itself first, and no help", () => {
    const all = new Command("tool");
    const clusters = all.command("clusters").description("list clusters");
    clusters.command("set").description("change one");
    clusters.command("remove");
    all.command("secret", { hidden: true });
    expect(completionTable(all).map(({ path }) => path)).toEqual([
      "",
      "/clusters",
      "/clusters/set",
      "/clusters/remove",
    ]);
    const [tool, below] = completionTable(all);
    expect(tool?.commands).toEqual([
      { name: "clusters", description: "list clusters" },
      { name: "help", description: expect.any(String) },
    ]);
    expect(below?.commands.map(({ name }) => name)).toEqual(["set", "remove", "help"]);
  });

  it("offers the words that an argument may be among the commands", () => {
    const shell = new Argument("<shell>", "the shell").choices(["bash", "zsh"]);
    expect(entryOf((command) => command.addArgument(shell).argument("[other]"))?.commands).toEqual([
      { name: "bash", description: "the shell" },
      { name: "zsh", description: "the shell" },
    ]);
  });

  it.each([
    ["<file>", true, []],
    ["<dir>", true, []],
    ["[files...]", false, []],
    ["<tree>", true, ["tree"]],
    ["<before>", true, ["tree"]],
    ["<after>", true, ["tree"]],
    ["<channel>", false, ["channel"]],
    ["<from>", false, ["channel"]],
    ["<to>", false, ["channel"]],
    ["[release]", false, ["release"]],
    ["<cluster>", false, ["cluster"]],
    ["<example>", false, ["example"]],
    ["<profile>", false, []],
  ])("completes the argument %s: files are %s, names are %j", (argument, takesFiles, names) => {
    expect(entryOf((command) => command.argument(argument))).toMatchObject({ takesFiles, names });
  });

  it("completes files where any of the arguments is one, and names each kind once", () => {
    const both = (command: Command) => command.argument("<channel>").argument("<file>");
    expect(entryOf(both)).toMatchObject({ takesFiles: true, names: ["channel"] });
    const twice = (command: Command) => command.argument("<from>").argument("<to>").argument("[release]");
    expect(entryOf(twice)?.names).toEqual(["channel", "release"]);
    expect(entryOf((command) => command)).toMatchObject({ takesFiles: false, names: [], options: [], commands: [] });
  });

  it.each([
    [new Option("--dry-run", "write nothing"), "nothing"],
    [new Option("--file <file>", "a file"), "files"],
    [new Option("--dir [dir]", "a folder"), "files"],
    [new Option("--tree <tree>", "a tree"), { name: "tree" }],
    [new Option("--from <channel>", "a channel"), { name: "channel" }],
    [new Option("--clusters <cluster,...>", "clusters"), { name: "cluster" }],
    [new Option("--share <percent>", "a share"), "text"],
    [new Option("--port [port]", "a port"), "text"],
    [new Option("--format <file>", "a format").choices(["text", "json"]), ["text", "json"]],
  ])("completes the value of %s with %j", (option, takes) => {
    expect(entryOf((command) => command.addOption(option))?.options).toEqual([
      { names: [option.long], description: option.description, takes },
    ]);
  });

  it("names an option by its long and its short form, and leaves hidden ones out", () => {
    const build = (command: Command) =>
      command
        .option("-n, --namespace <name>", "where")
        .option("-w", "short alone")
        .addOption(new Option("--json").hideHelp());
    expect(entryOf(build)?.options.map(({ names }) => names)).toEqual([["--namespace", "-n"], ["-w"]]);
  });
});

it("isNameKind() knows the kinds of names alone", () => {
  expect(NAME_KINDS.map(isNameKind)).toEqual(NAME_KINDS.map(() => true));
  expect(["file", "", "channels"].map(isNameKind)).toEqual([false, false, false]);
});
