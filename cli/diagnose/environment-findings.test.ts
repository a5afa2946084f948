import { ENVIRONMENT_ENTRY } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { atEditedFiles, type LaidTree, ofEnvironments } from "./environment-findings.ts";

const BELOW = { mesh: "accessLogFile: /dev/stdout\nenableTracing: true\n", config: "policy: enabled\n" };
const OVER = { mesh: "# of prod\nenableTracing: false\ndefaultConfig:\n  concurrency: 3\n" };
const laid: LaidTree = {
  name: "prod",
  below: BELOW,
  over: OVER,
  tree: {
    ...BELOW,
    mesh: "accessLogFile: /dev/stdout\nenableTracing: false\ndefaultConfig:\n  concurrency: 3\n",
    [`${ENVIRONMENT_ENTRY}prod`]: "a: 1\n",
  },
};
const finding = (path: string, more: object = {}) => ({ severity: "error", path, message: "wrong", ...more }) as const;
const placed = (path: string, more: object = {}) => atEditedFiles([finding(path, more)], laid)[0];

describe("atEditedFiles()", () => {
  it("names the environment's values in place of the entry that they become", () => {
    const entry = `${ENVIRONMENT_ENTRY}prod`;
    expect(placed(entry, { message: `${entry} is wrong`, line: 1 })).toEqual(
      finding("environments/prod/values", { message: "environments/prod/values is wrong", line: 1 }),
    );
  });

  it("leads to the text of the two that has the field", () => {
    expect(placed("mesh", { line: 2 })).toMatchObject({ path: "environments/prod/mesh", line: 2 });
    expect(placed("mesh", { line: 1 })).toMatchObject({ path: "mesh", line: 1 });
    expect(placed("mesh", { line: 4 })).toMatchObject({ path: "environments/prod/mesh", line: 4 });
  });

  it("leaves a finding about no line, another file, or a text that the environment has none of where it is", () => {
    expect(placed("mesh")).toEqual(finding("mesh"));
    expect(placed("mesh", { line: 99 })).toEqual(finding("mesh", { line: 99 }));
    expect(placed("config", { line: 1 })).toEqual(finding("config", { line: 1 }));
    expect(placed("templates/mesh", { line: 1 })).toEqual(finding("templates/mesh", { line: 1 }));
    expect(placed("meshes", { line: 1 })).toEqual(finding("meshes", { line: 1 }));
  });
});

describe("ofEnvironments()", () => {
  const [common, own] = [finding("config"), finding("mesh")];

  it("says once what all environments have, and of the rest what environments it is about", () => {
    const linted = new Map([
      ["dev", [common, own]],
      ["prod", [common]],
      ["test", [common, own]],
    ]);
    expect(ofEnvironments(linted)).toEqual([common, { ...own, message: "wrong (environment dev, test)" }]);
  });

  it("adds nothing to a finding whose file names the environment, nor where there is only one", () => {
    const named = finding("environments/prod/mesh");
    expect(ofEnvironments(new Map([["prod", [named]], ["dev", []]]))).toEqual([named]); // biome-ignore format: pairs
    expect(ofEnvironments(new Map([["prod", [own]]]))).toEqual([own]);
  });
});
