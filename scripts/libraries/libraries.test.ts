import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { exampleOf } from "../../test/infra/support/try-libraries.ts";
import { readPackages } from "../../test/scaffold/packages.ts";
import { declarationsOf, strayImports } from "./stage-libraries.ts";

const manifest = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const packages = readPackages().map(({ folder }) => manifest(folder));
const root = manifest(".");

function written(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-staged-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

describe("the packages", () => {
  it.each(packages)("$name has the version, the license and the Node of the project", (one) => {
    const { version, license, engines } = root;
    expect(one).toMatchObject({ version, license, engines, type: "module", sideEffects: false });
    for (const [name, range] of Object.entries(one.dependencies ?? {}))
      if (packages.some((other) => other.name === name)) expect(range, name).toBe(version);
  });

  it("that are published depend on published ones only", () => {
    const held = packages.filter((one) => one.private === true).map(({ name }) => name);
    const published = packages.filter((one) => one.private !== true);
    expect(published.map(({ name }) => name)).toContain("@outrigger/injector");
    for (const { name, dependencies = {} } of published)
      expect(
        Object.keys(dependencies).filter((one) => held.includes(one)),
        name,
      ).toEqual([]);
  });
});

describe("declarationsOf()", () => {
  it("names the files that are packed", () => {
    const text =
      'export { a } from "./a.ts";\nlet b: import("../b.ts").B;\nimport type { C } from "@outrigger/base";\n';
    expect(declarationsOf(text)).toBe(
      'export { a } from "./a.js";\nlet b: import("../b.js").B;\nimport type { C } from "@outrigger/base";\n',
    );
  });
});

describe("strayImports()", () => {
  it("accepts the package's own files, Node's and declared ones", () => {
    const files = {
      "index.js": 'import "./a/b.js"; import "node:zlib"; import "one/deep"; import "@two/x";',
      "index.d.ts": 'import type { A } from "types-only"; import "./a/b.js";',
      "a/b.js": 'import "../index.js";',
      "a/b.d.ts": "",
    };
    expect(strayImports(written(files), ["one", "@two/x", "@types/types-only"])).toEqual([]);
  });

  it.each(["../../base/json.js", "./missing.js", "./index.ts", "handlebars", "@outrigger/base"])(
    "refuses %s",
    (name) => {
      const folder = written({ "index.js": `import ${JSON.stringify(name)};` });
      expect(strayImports(folder, ["one"])).toEqual([`index.js imports ${name}`]);
    },
  );
});

describe("exampleOf()", () => {
  it("is the first TypeScript of a page", () => {
    const folder = written({
      "a.md": "```sh\nno\n```\n\n```ts\nconst a = 1;\n```\n\n```ts\nb\n```\n",
      "b.md": "none\n",
    });
    expect(exampleOf(join(folder, "a.md"))).toBe("const a = 1;\n");
    expect(() => exampleOf(join(folder, "b.md"))).toThrow("has no example");
  });
});
