import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changelogSections } from "./changelog.ts";
import { prepareRelease, versionedFiles } from "./prepare-release.ts";

/** A version that is newer than any that this project will have. */
const NEXT = "999.0.0";
const current: string = JSON.parse(readFileSync("package.json", "utf8")).version;

describe("prepareRelease()", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-release-"));
    const files = versionedFiles(".").map(({ path }) => path);
    for (const file of [...files, "CHANGELOG.md"]) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      cpSync(file, join(folder, file));
    }
    // A change, also where the version has just been prepared.
    edit("CHANGELOG.md", "## [Unreleased]", "## [Unreleased]\n\n### Added\n\n- It flies.\n");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const prepare = (
    version: string,
    git: { readonly changed?: readonly string[]; readonly tags?: readonly string[] } = {},
  ) => prepareRelease({ folder, changed: [], tags: [], ...git }, version, "2030-01-31");

  it("writes the version wherever it is written, and the date into the changelog", () => {
    const written = prepare(NEXT);
    for (const { path, versions } of versionedFiles(folder)) {
      expect(written).toContain(path);
      expect([...new Set(versions)], path).toEqual([NEXT]);
    }
    expect(changelogSections(read("CHANGELOG.md")).slice(0, 2)).toEqual([
      expect.objectContaining({ version: "Unreleased", text: "" }),
      expect.objectContaining({ version: NEXT, date: "2030-01-31", text: expect.stringContaining("It flies") }),
    ]);
    // Nothing else in these files is another, and no place was missed.
    for (const file of written.filter((one) => one !== "CHANGELOG.md"))
      expect(read(file).replaceAll(NEXT, current)).toBe(readFileSync(file, "utf8"));
  });

  it.each([
    ["1.2", {}, 'Cannot release "1.2": name a version, such as 1.2.3'],
    [current, {}, `Cannot release ${current}: it is not newer than ${current}`],
    [`${current}-rc.1`, {}, `Cannot release ${current}-rc.1: it is not newer than ${current}`],
    [NEXT, { tags: [`v${NEXT}`] }, `Cannot release ${NEXT}: the tag v${NEXT} exists`],
    [NEXT, { changed: ["README.md"] }, `Cannot release ${NEXT}: commit or remove the changes of README.md`],
  ])("refuses %s with %j, and writes nothing", (version, git, message) => {
    const before = contents();
    expect(() => prepare(version, git)).toThrow(message);
    expect(contents()).toEqual(before);
  });

  it("orders pre-releases by their numbers, before the version itself", () => {
    prepare("999.0.0-rc.2");
    edit("CHANGELOG.md", "## [Unreleased]", "## [Unreleased]\n\n### Fixed\n\n- It lands.\n");
    expect(() => prepare("999.0.0-rc.1")).toThrow("it is not newer than 999.0.0-rc.2");
    prepare("999.0.0-rc.10");
    edit("CHANGELOG.md", "## [Unreleased]", "## [Unreleased]\n\n### Fixed\n\n- It taxies.\n");
    expect(prepare("999.0.0")).toContain("CHANGELOG.md");
  });

  it("refuses a changelog without changes, and writes nothing", () => {
    edit("CHANGELOG.md", /## \[Unreleased\][\s\S]*$/, "## [Unreleased]\n");
    const before = contents();
    expect(() => prepare(NEXT)).toThrow("[Unreleased] in CHANGELOG.md names no change");
    expect(contents()).toEqual(before);
  });

  function edit(file: string, from: string | RegExp, to: string): void {
    writeFileSync(join(folder, file), read(file).replace(from, to));
  }

  function contents(): Readonly<Record<string, string>> {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]),
    );
  }
});

describe("the version of this checkout", () => {
  it("is one in every package, the lock file, the chart and the pages", () => {
    const files = versionedFiles(".");
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["package.json", "lib/pod/package.json", "package-lock.json", "docs/tasks/install.md"]),
    );
    for (const { path, versions } of files) expect([...new Set(versions)], path).toEqual([current]);
    expect(changelogSections(readFileSync("CHANGELOG.md", "utf8"))[1]?.version).toBe(current);
  });
});
