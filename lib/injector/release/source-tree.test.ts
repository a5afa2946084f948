import { describe, expect, it } from "vitest";
import { checkSourcePath, folderEntries } from "./source-tree.ts";

describe("checkSourcePath()", () => {
  it.each([
    "config",
    "mesh",
    "proxyconfigs",
    "namespaces",
    "manifest",
    "values/00-default",
    "templates/sidecar",
    "partials/a.b_c-d",
    `samples/${"x".repeat(128)}`,
  ])("takes %s", (path) => {
    expect(() => checkSourcePath(path)).not.toThrow();
  });

  it.each([
    ["values", "values/<name>"],
    ["config/x", "config, mesh"],
    ["template/sidecar", "templates/<name>"],
    ["", "config, mesh"],
    ["__proto__", "config, mesh"],
    ["templates/", "letters, digits"],
    ["templates/a/b", "letters, digits"],
    ["templates/../config", "letters, digits"],
    ["templates/.hidden", "letters, digits"],
    ["templates/a b", "letters, digits"],
    [`samples/${"x".repeat(129)}`, "letters, digits"],
  ])("refuses %j and says what there may be", (path, wayOut) => {
    expect(() => checkSourcePath(path)).toThrow(
      expect.objectContaining({ code: "tree-invalid", path, message: expect.stringContaining(wayOut) }),
    );
    expect(() => checkSourcePath(path)).toThrow(JSON.stringify(path));
  });
});

describe("folderEntries()", () => {
  it("gives the entries of one folder in name order", () => {
    const tree = { "values/b": "2", config: "", "values/a": "1", "templates/values": "3" };
    expect(folderEntries(tree, "values")).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(folderEntries(tree, "samples")).toEqual([]);
  });
});
