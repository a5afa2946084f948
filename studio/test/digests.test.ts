// The page has no rule about releases: which is current, what a rollback goes to and what a move changes is the server's answer.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** An expression that ends in a digest's name: `release`, `share?.release`. */
const DIGEST = String.raw`(?:[\w?!]+\.)*(?:release|digest)\b(?![\w.?(])`;
const OTHER = String.raw`(?!undefined|null)[\w"'(]`;
const COMPARISON = new RegExp(
  [
    `${DIGEST} [!=]==? ${OTHER}`,
    String.raw`(?<!typeof )\b[\w.?]+ [!=]==? ${DIGEST}`,
    String.raw`\.(?:includes|has|indexOf)\(${DIGEST}\)`,
  ].join("|"),
  "g",
);

it("compares no digests", () => {
  const files = readdirSync("studio", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|^node_modules/.test(file))
    // What the injector makes of a release is no rule about releases.
    .filter((file) => !file.startsWith("preview/"));
  expect(files.length).toBeGreaterThan(50);
  const found = files.flatMap((file) =>
    (readFileSync(`studio/${file}`, "utf8").match(COMPARISON) ?? []).map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

it.each([
  ["older.find(({ release }) => release !== move.release)", true],
  ["one.share?.release === digest", true],
  ["left === move.release", true],
  ["served.has(entry.release)", true],
  ["edited.release === undefined", false],
  ["state.releases === before", false],
])("finds a comparison in %s: %s", (text, isOne) => {
  expect((text.match(COMPARISON) ?? []).length > 0).toBe(isOne);
});
