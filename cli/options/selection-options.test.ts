import { describe, expect, it } from "vitest";
import { parseOptions } from "../../test/cli/parse-options.ts";
import { takes } from "./option.ts";
import { selectionOptions, selectsClusters } from "./selection-options.ts";

describe("selectsClusters()", () => {
  it.each([{ clusters: ["shop"] }, { channel: "stable" }, { all: true }, { all: true, roleName: "operator" }] as const)(
    "selects several with %j",
    (options) => expect(selectsClusters(options)).toBe(true),
  );

  it.each([{}, { cluster: "shop" }, { context: "prod", as: "shop" }, { cluster: "shop", roleArn: "arn" }])(
    "selects one, or none, with %j",
    (options) => expect(selectsClusters(options)).toBe(false),
  );

  it.each([
    [{ clusters: ["a"], channel: "stable" }, "--clusters and --channel"],
    [{ clusters: ["a"], all: true }, "--clusters and --all"],
    [{ channel: "stable", all: true }, "--channel and --all"],
    [{ clusters: ["a"], channel: "stable", all: true }, "--clusters and --channel"],
  ] as const)("refuses to select twice: %j", (options, both) => {
    expect(() => selectsClusters(options)).toThrow(`Cannot use both ${both}: each selects clusters`);
  });

  it.each([
    ["--cluster", { cluster: "shop" }],
    ["--context", { context: "prod" }],
    ["--as", { as: "shop" }],
    ["--cluster-region", { clusterRegion: "eu-west-1" }],
  ])("refuses %s for several, and says to leave it out", (option, options) => {
    expect(() => selectsClusters({ ...options, all: true })).toThrow(
      `Cannot use ${option} with --all: it is about one cluster; leave it out`,
    );
  });

  it("names the option of a role for several in place of that for one, and the other way round", () => {
    expect(() => selectsClusters({ roleArn: "arn", channel: "stable" })).toThrow(
      "Cannot use --role-arn with --channel: it is about one cluster; use --role-name, whose account is that of each cluster",
    );
    expect(() => selectsClusters({ roleName: "operator" })).toThrow(
      /^--role-name is about several .* name --role-arn$/,
    );
  });
});

describe("the options", () => {
  const parse = (...words: readonly string[]) => parseOptions((command) => takes(command, selectionOptions), words);
  const parsed = (line: string) => parse(...line.split(" "));

  it.each([
    ["--clusters shop", ["shop"]],
    ["--clusters shop,pay,shop", ["shop", "pay"]],
  ])("%s names clusters in their order, each once", (line, clusters) => {
    expect(parsed(line)).toMatchObject({ clusters });
  });

  it.each(["shop,,pay", "shop,", "sh op", "shop, pay"])("--clusters takes no list like %j", (list) => {
    expect(parse("--clusters", list)).toContain("separated by commas: shop,pay.");
  });

  it("--role-name is a name of IAM, without its account", () => {
    expect(parsed("--all --role-name outrigger-operator")).toMatchObject({ roleName: "outrigger-operator" });
    for (const name of ["arn:aws:iam::111122223333:role/a", "a/b", "r".repeat(65)])
      expect(parsed(`--role-name ${name}`)).toContain("without its account");
    expect(parsed(`--role-name ${"r".repeat(64)}`)).toMatchObject({ roleName: "r".repeat(64) });
  });

  it("--max-concurrency is 1 to 100, and 20 where it is left out", () => {
    const asked = (number: string) => parsed(`--max-concurrency ${number}`);
    expect([parsed("--all"), asked("1"), asked("100")]).toEqual(
      [20, 1, 100].map((maxConcurrency) => expect.objectContaining({ maxConcurrency })),
    );
    for (const wrong of ["0", "101", "1.5", "many"]) expect(asked(wrong)).toContain("a whole number from 1 to 100");
  });
});
