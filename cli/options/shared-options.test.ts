import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../../test/cli/parse-options.ts";
import { type OptionTable, takes } from "./option.ts";
import { resultOptions, resultOptionsWith, sharedOptions } from "./shared-options.ts";

const parsed = (table: OptionTable, ...words: readonly string[]) =>
  parseOptions((command) => takes(command, table), words);

describe("sharedOptions", () => {
  it("are what most command lines leave out: all pods one workload at a time, and a webhook that is called", () => {
    const { parallel, selfTest } = sharedOptions;
    expect(parsed({ parallel, selfTest })).toEqual({ parallel: 1, selfTest: true });
  });

  it.each([
    [["-m", "why"], { message: "why" }],
    [["-n", "web"], { namespace: "web" }],
    [["-l", "app=a"], { selector: "app=a" }],
    [["-y"], { yes: true }],
    [["--abort-on", "a", "--abort-on", "b"], { abortOn: ["a", "b"] }],
    [["--bake", "1h30m"], { bake: 5400 }],
    [["--share", "5,25,100"], { share: [5, 25, 100] }],
    [["--if-serving", "1f2e3d4c5b6a"], { ifServing: "1f2e3d4c5b6a" }],
    [["--parallel", "3"], { parallel: 3 }],
    [["--no-self-test"], { selfTest: false }],
  ])("reads %j", (words, options) => expect(parsed(sharedOptions, ...words)).toMatchObject(options));

  it.each([
    ["--channel", "No Channel"],
    ["--bake", "soon"],
    ["--share", "101"],
    ["--if-serving", "stable"],
    ["--parallel", "0"],
    ["--replicas", "prod b"],
  ])("refuses %s %j", (option, value) => {
    expect(parsed(sharedOptions, option, value)).toContain(`'${value}' is invalid`);
  });

  it("take a message of 500 characters, and none that the history would cut", () => {
    expect(parsed(sharedOptions, "-m", "x".repeat(500))).toMatchObject({ message: "x".repeat(500) });
    expect(parsed(sharedOptions, "-m", "x".repeat(501))).toContain("A message has at most 500 characters.");
  });
});

describe("resultOptions", () => {
  it("print as text, JSON or YAML, and in the further formats of a command alone", () => {
    for (const format of ["text", "json", "yaml"])
      expect(parsed(resultOptions, "-o", format)).toEqual({ output: format });
    expect(parsed(resultOptions, "-o", "wide")).toContain("Allowed choices are text, json, yaml.");
    expect(parsed(resultOptionsWith("wide", "name"), "--output", "wide")).toEqual({ output: "wide" });
    expect(parsed(resultOptionsWith("name"), "-o", "wide")).toContain("Allowed choices are text, json, yaml, name.");
  });

  it("take --json, which scripts have, without a word of it in the help", () => {
    expect(parsed(resultOptions, "--json")).toEqual({ json: true });
    const help = (takes(new Command(), resultOptions) as unknown as Command).helpInformation();
    expect(help).not.toContain("--json");
    expect(help).toContain("-o, --output <format>");
  });
});
