// CHANGELOG.md as text: sections by version, as Keep a Changelog has them. Knows no files and no git.

/** Matches headings such as `## [1.2.3] - 2026-01-31` and `## [Unreleased]`. */
const HEADING = /^## \[([^\]\n]+)\](?: - (\S+))?$/gm;

/** The file that .github/workflows/release.yml attaches. */
const SBOM_NOTE = "`sbom.cdx.json` lists what is in the bundles of this version (CycloneDX).";

/** Returns the sections from the newest, which is [Unreleased] and has no date, to the oldest, each text without blank lines around it. */
export function changelogSections(changelog: string) {
  const headings = [...changelog.matchAll(HEADING)];
  return headings.map(({ 0: heading, 1: version = "", 2: date, index }, at) => ({
    version,
    date,
    text: changelog.slice(index + heading.length, headings[at + 1]?.index).trim(),
  }));
}

/** The changelog in which what was unreleased is the newest version. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const [newest, ...released] = changelogSections(changelog);
  if (newest?.version !== "Unreleased")
    throw new Error("Cannot find the changes in CHANGELOG.md: begin it with the section [Unreleased]");
  if (released.some((section) => section.version === version))
    throw new Error(`Cannot release ${version}: CHANGELOG.md has it already`);
  if (!/^- /m.test(newest.text))
    throw new Error(`Cannot release ${version}: [Unreleased] in CHANGELOG.md names no change`);
  return changelog.replace("## [Unreleased]", () => `## [Unreleased]\n\n## [${version}] - ${date}`);
}

/**
 * Returns the changes of a version for its page on the host, and what else that page has. Links lead to the pages of
 * that version.
 *
 * @param repository its address, such as https://github.com/o/r; without one, links are as in the changelog
 */
export function releaseNotes(changelog: string, version: string, repository: string | undefined): string {
  const section = changelogSections(changelog).find((each) => each.version === version);
  if (section === undefined)
    throw new Error(`Cannot find ${version} in CHANGELOG.md: npm run release -- prepare ${version}`);
  const text = `${section.text}\n\n${SBOM_NOTE}\n`;
  if (repository === undefined) return text;
  return text.replaceAll(/\]\((?!https?:)/g, () => `](${repository}/blob/v${version}/`);
}
