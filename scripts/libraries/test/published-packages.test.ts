// What the packages that are published say of themselves, and the example of each README that is tried.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { exampleOf } from "../../../test/infra/support/try-libraries.ts";
import { readPackages } from "../../../test/scaffold/packages.ts";

const manifest = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const packages = readPackages().map(({ folder }) => manifest(folder));
const root = manifest(".");

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

describe("exampleOf()", () => {
  it("is the first TypeScript of a page", () => {
    const folder = mkdtempSync(join(tmpdir(), "outrigger-pages-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "a.md"), "```sh\nno\n```\n\n```ts\nconst a = 1;\n```\n\n```ts\nb\n```\n");
    writeFileSync(join(folder, "b.md"), "none\n");
    expect(exampleOf(join(folder, "a.md"))).toBe("const a = 1;\n");
    expect(() => exampleOf(join(folder, "b.md"))).toThrow("has no example");
  });
});
