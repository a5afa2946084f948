// What the walk takes with it into the last release, which has the tool in another state or not at all. It takes no more: what it walks, and
// the tests' fakes in front of that, are the release's own.
export const OWN_FILES = [
  "tools/walk.ts",
  "tools/walk",
  "tools/support",
  "scripts/build/last-release.ts",
  "scripts/build/bundled-release.ts",
  "scripts/build/kept-texts.ts",
  "scripts/build/shipped-modules.ts",
  "test/support/pack-quickly.ts",
] as const;
