// A test is found where its subject is: next to the source that it is named for, or in a folder `test` if it is of several sources.
import { readdirSync } from "node:fs";
import { join } from "node:path/posix";
import { describe, expect, it } from "vitest";

const FOLDERS = ["lib", "cli", "studio", "functions", "infra", "scripts", "tools"];

describe("a test", () => {
  it("is named for a source beside it, or is in a folder named test", () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) =>
        join(folder, path.replaceAll("\\", "/")),
      ),
    ).filter((file) => !file.includes("node_modules/"));
    expect(files.filter((file) => TEST.test(file)).length).toBeGreaterThan(300);
    expect(misplaced(files)).toEqual([]);
  });
});

describe("misplaced()", () => {
  it.each([
    [["lib/x/a.ts", "lib/x/a.test.ts", "lib/x/a.prop.test.ts"]],
    [["studio/a.tsx", "studio/a.test.ts"]],
    [["infra/a.cjs", "infra/a.test.ts"]],
    [["lib/x/test/whole.test.ts", "lib/x/test/deep/er.prop.test.ts"]],
    [["lib/x/a.ts", "lib/x/index.ts"]],
  ])("accepts %j", (files) => {
    expect(misplaced(files)).toEqual([]);
  });

  it.each([
    [["lib/x/a.ts", "lib/x/b.test.ts"], "lib/x/b.test.ts"],
    [["lib/x/a.ts", "lib/x/deep/a.test.ts"], "lib/x/deep/a.test.ts"],
    [["lib/x/a.ts", "lib/x/b.prop.test.ts"], "lib/x/b.prop.test.ts"],
    [["lib/x/a.yaml", "lib/x/a.test.ts"], "lib/x/a.test.ts"],
    [["lib/x/my-test/a.test.ts"], "lib/x/my-test/a.test.ts"],
  ])("of %j finds %s", (files, found) => {
    expect(misplaced(files)).toEqual([found]);
  });
});

const TEST = /(?:\.prop)?\.test\.tsx?$/;

/** Returns the tests among the files that have no source of their name beside them and are in no folder named `test`. */
function misplaced(files: readonly string[]): readonly string[] {
  const all = new Set(files);
  return files.filter((file) => {
    if (!TEST.test(file) || /\/test\//.test(file)) return false;
    const source = file.replace(TEST, "");
    return ![".ts", ".tsx", ".cjs"].some((extension) => all.has(source + extension));
  });
}
