import { describe, expect, it } from "vitest";
import { changelogSections, releaseChangelog, releaseNotes } from "./changelog.ts";

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- \`outrigger fly\` ([how](docs/fly.md)).

## [0.2.0] - 2026-01-31

### Fixed

- It starts ([why](https://example.com)).
`;

describe("releaseChangelog()", () => {
  it("makes the newest version of what was unreleased", () => {
    const text = releaseChangelog(CHANGELOG, "0.3.0", "2026-02-28");
    expect(changelogSections(text)).toEqual([
      { version: "Unreleased", date: undefined, text: "" },
      { version: "0.3.0", date: "2026-02-28", text: changelogSections(CHANGELOG)[0]?.text },
      { version: "0.2.0", date: "2026-01-31", text: changelogSections(CHANGELOG)[1]?.text },
    ]);
    expect(() => releaseChangelog(text, "0.4.0", "2026-03-31")).toThrow("[Unreleased] in CHANGELOG.md names no change");
  });

  it("refuses a version that is there, and a changelog that does not begin with [Unreleased]", () => {
    expect(() => releaseChangelog(CHANGELOG, "0.2.0", "2026-02-28")).toThrow("CHANGELOG.md has it already");
    expect(() => releaseChangelog("# Changelog\n", "0.2.0", "2026-02-28")).toThrow("begin it with the section");
  });
});

describe("releaseNotes()", () => {
  it("has a version's changes alone, with links to its pages", () => {
    expect(releaseNotes(CHANGELOG, "Unreleased", undefined)).toBe(
      "### Added\n\n- `outrigger fly` ([how](docs/fly.md)).\n\n" +
        "`sbom.cdx.json` lists what is in the bundles of this version (CycloneDX).\n",
    );
    const text = releaseNotes(CHANGELOG.replace("Unreleased", "0.3.0"), "0.3.0", "https://host.example/o/r");
    expect(text).toContain("[how](https://host.example/o/r/blob/v0.3.0/docs/fly.md)");
    expect(releaseNotes(CHANGELOG, "0.2.0", "https://host.example/o/r")).toContain("[why](https://example.com)");
  });

  it("refuses a version without changes, with the command", () => {
    expect(() => releaseNotes(CHANGELOG, "0.9.0", undefined)).toThrow("npm run release -- prepare 0.9.0");
  });
});
