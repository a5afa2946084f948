// What is installed is what was locked.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../build/bundled-release.ts";

describe("package-lock.json", () => {
  const lock = JSON.parse(readFileSync(join(projectRoot, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, JsonObject>>;
  };
  // The packages of this project are folders and links to them.
  const packages = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  const without = packages.filter(([, { integrity }]) => !/^sha512-/.test(String(integrity)));

  it("has the digest of every package, those of other platforms included", () => {
    expect(packages.length).toBeGreaterThan(300);
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it("says what each package of this project says of itself", () => {
    const own = Object.entries(lock.packages).filter(([path]) => path !== "" && !path.includes("node_modules/"));
    const said = own.map(([path]) => JSON.parse(readFileSync(join(projectRoot, path, "package.json"), "utf8")));
    expect(own.length).toBeGreaterThan(10);
    for (const field of ["version", "dependencies", "devDependencies"]) {
      expect(own.map(([path, { [field]: locked }]) => [path, locked])).toEqual(
        own.map(([path], index) => [path, said[index][field]]),
      );
    }
  });

  it("names no registry", () => {
    expect(packages.filter(([, one]) => isObject(one) && one["resolved"] !== undefined)).toEqual([]);
  });
});
