import { Command, InvalidArgumentError } from "commander";
import { describe, expect, expectTypeOf, it } from "vitest";
import { choiceOf, type OptionsOf, optional, optionTable, takes } from "./option.ts";

const TABLE = optionTable({
  name: { short: "-n", argument: "<name>", about: "a name", isRequired: true },
  dryRun: { about: "write nothing" },
  count: { argument: "<number>", about: "how many", parse: Number, default: 1 },
  port: { argument: "[port]", about: "a port", parse: Number },
  kind: { argument: "<kind>", about: "a kind", isRepeatable: true },
  format: { argument: "<format>", about: "a format", choices: ["text", "json"] },
  selfTest: { about: "call nothing", isNegated: true },
});

/** Returns the options that the action of a command with the table is given for a command line. */
function parsed(...argv: readonly string[]): OptionsOf<typeof TABLE> {
  let given: OptionsOf<typeof TABLE> | undefined;
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  takes(command, TABLE).action((options) => {
    given = options;
  });
  command.parse(argv, { from: "user" });
  return given as OptionsOf<typeof TABLE>;
}

describe("takes()", () => {
  it("gives an action what was written, the defaults, and nothing else", () => {
    expect(parsed("-n", "web")).toEqual({ name: "web", count: 1, selfTest: true });
    const all = "--name web --dry-run --count 3 --port --kind a --kind b --format json --no-self-test";
    expect(parsed(...all.split(" "))).toEqual({
      name: "web",
      dryRun: true,
      count: 3,
      port: true,
      kind: ["a", "b"],
      format: "json",
      selfTest: false,
    });
  });

  it("refuses a command line without a required option, with another choice or a text that cannot be read", () => {
    expect(() => parsed()).toThrow("required option '-n, --name <name>' not specified");
    expect(() => parsed("-n", "web", "--format", "xml")).toThrow("Allowed choices are text, json");
    const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    const parse = () => {
      throw new InvalidArgumentError("It is a number.");
    };
    takes(command, { count: { argument: "<number>", about: "", parse } });
    expect(() => command.parse(["--count", "x"], { from: "user" })).toThrow("It is a number.");
  });

  it("keeps hidden options and headings as the table has them", () => {
    const command = new Command("try");
    takes(command, { json: { about: "", isHidden: true }, region: { about: "where", group: "Deployment:" } });
    expect(command.helpInformation()).not.toContain("--json");
    expect(command.helpInformation()).toContain("Deployment:\n  --region");
  });

  it("types the options and arguments of the action", () => {
    type Given = OptionsOf<typeof TABLE>;
    expectTypeOf<Given["name"]>().toEqualTypeOf<string>();
    expectTypeOf<Given["dryRun"]>().toEqualTypeOf<true | undefined>();
    expectTypeOf<Given["count"]>().toEqualTypeOf<number>();
    expectTypeOf<Given["port"]>().toEqualTypeOf<number | true | undefined>();
    expectTypeOf<Given["kind"]>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<Given["format"]>().toEqualTypeOf<"text" | "json" | undefined>();
    expectTypeOf<Given["selfTest"]>().toEqualTypeOf<boolean>();
    takes(new Command(), TABLE)
      .argument("<channel>")
      .argument("[count]", "how many", Number)
      .addArgument(choiceOf("[words...]", "some words", ["a", "b"]))
      .action((channel, count, words, options) => {
        expectTypeOf(channel).toEqualTypeOf<string>();
        expectTypeOf(count).toEqualTypeOf<number | undefined>();
        expectTypeOf(words).toEqualTypeOf<readonly ("a" | "b")[]>();
        expectTypeOf(options).toEqualTypeOf<Given>();
      });
  });
});

describe("optional()", () => {
  it("leaves an option as it is, but not required", () => {
    const command = new Command().exitOverride();
    takes(command, { name: optional(TABLE.name) });
    command.parse([], { from: "user" });
    expect(command.opts()).toEqual({});
  });
});
