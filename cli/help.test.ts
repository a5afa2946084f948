import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { HELP, pageOf } from "./help.ts";
import { DEPLOYMENT_OPTIONS } from "./options/aws-options.ts";

/** A command with two below it, of which one has a page of its own, and one alone. */
function tool() {
  const program = new Command("tool").configureHelp(HELP).helpCommand(false);
  const add = (parent: Command, name: string) =>
    parent.command(name).configureHelp(HELP).helpOption("-h, --help", "display help").helpCommand(false);
  const ring = add(program, "ring").description("rings of clusters");
  const show = add(ring, "show").argument("[name]", "the ring").option("--json", "as JSON").option("--wide", "more");
  const move = add(ring, "move").argument("<name>", "the ring").option("--json", "as JSON").option("--to <n>", "where");
  const print = add(program, "print");
  const rbac = add(print, "rbac").option("--group <g>", "the group");
  const helpers = add(print, "helpers");
  return { program, ring, show, move, print, rbac, helpers };
}

describe("pageOf()", () => {
  it("is the family's page, but for those that have their own", () => {
    const { program, ring, show, print, rbac, helpers } = tool();
    expect(pageOf(program)).toBe(program);
    expect(pageOf(ring)).toBe(ring);
    expect(pageOf(show)).toBe(ring);
    expect(pageOf(helpers)).toBe(print);
    expect(pageOf(rbac)).toBe(rbac);
  });
});

describe("the page of a family", () => {
  const usage = (text: string) =>
    text
      .slice(text.indexOf("Usage: ") + "Usage: ".length, text.indexOf("\n\n"))
      .split("\n")
      .map((line) => line.trim());

  it("writes first what was asked for, then the others", () => {
    const { ring, move } = tool();
    expect(usage(ring.helpInformation())).toEqual([
      "tool ring show [options] [name]",
      "tool ring move [options] <name>",
    ]);
    expect(usage(move.helpInformation())).toEqual([
      "tool ring move [options] <name>",
      "tool ring show [options] [name]",
    ]);
  });

  it("names an option that all take once, and with which command one goes that only some take", () => {
    const { show } = tool();
    const text = show.helpInformation();
    expect(text.match(/--json/g)).toHaveLength(1);
    expect(text).toMatch(/--json +as JSON\n/);
    expect(text).toMatch(/--wide +show: more\n/);
    expect(text).toMatch(/--to <n> +move: where\n/);
    expect(text.match(/--help/g)).toHaveLength(1);
    expect(text).toMatch(/--help +display help\n/);
  });

  it("names an argument once, and lists the commands", () => {
    const text = tool().ring.helpInformation();
    expect(text.match(/^ {2}name +the ring$/gm)).toHaveLength(1);
    expect(text.match(/^ {2}(show|move) /gm)).toEqual(["  show ", "  move "]);
    expect(text).toContain("rings of clusters");
  });

  it("writes the family's own command where it does something itself", () => {
    const { ring, show } = tool();
    ring.option("--all", "all of them");
    expect(usage(show.helpInformation())).toEqual([
      "tool ring show [options] [name]",
      "tool ring [options] [command]",
      "tool ring move [options] <name>",
    ]);
    expect(show.helpInformation()).toMatch(/--all +ring: all of them\n/);
  });

  it("has no command on it that has its own page, nor is it that of one command", () => {
    const { print, rbac } = tool();
    expect(print.helpInformation()).not.toMatch(/^ {2}rbac/m);
    expect(rbac.helpInformation()).toContain("Usage: tool print rbac [options]\n");
    expect(tool().program.helpInformation()).toMatch(/^ {2}ring /m);
  });
});

describe("the options of a page", () => {
  it("come in the order: its own, how the result is printed, help", () => {
    const command = new Command("tool").configureHelp(HELP).helpOption("-h, --help", "display help");
    const format = command.createOption("-o, --output <format>", "how").choices(["text", "json"]);
    command
      .addOption(format)
      .option("--wide", "more")
      .addOption(command.createOption("--level <l>").choices(["a"]));
    const flags = [...command.helpInformation().matchAll(/--(?:output|wide|level|help)/g)].map(([flag]) => flag);
    expect(flags).toEqual(["--wide", "--level", "--output", "--help"]);
  });

  it("have one of the deployment, which says where the others are", () => {
    const command = new Command("tool").configureHelp(HELP);
    for (const name of ["deployment", "prefix"])
      command.addOption(command.createOption(`--${name} <x>`, `about ${name}`).helpGroup(DEPLOYMENT_OPTIONS));
    const text = command.helpInformation().replaceAll(/\n {10,}/g, " ");
    expect(text).toMatch(/--deployment <x> +the deployment's stage; more options: outrigger help deployment\n/);
    expect(text).not.toContain("--prefix");
  });
});
