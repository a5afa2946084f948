import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { CHART_IMPORTS_FILE, CHART_MESH_FILE } from "../import/read-chart-cases.ts";
import { GO_TEMPLATES_FILE } from "../import/read-go-templates.ts";
import { readCases } from "./read-reference.ts";
import { casesOfRelease, RELEASES_FILE } from "./release-expectations.ts";

it.each([
  ["istio-releases", RELEASES_FILE],
  ["go-templates", GO_TEMPLATES_FILE],
  ["chart-mesh", CHART_MESH_FILE],
  ["chart-imports", CHART_IMPORTS_FILE],
])("%s is as it was measured", (name, file) => {
  const packed = readFileSync(file);
  const text = brotliDecompressSync(packed).toString();
  const digest = createHash("sha256").update(text).digest("hex");
  const lines = text.trimEnd().split("\n").length;
  const readme = readFileSync("test/reference/README.md", "utf8");
  expect(readme).toContain(`| \`${name}\` | ${lines} | ${packed.length} | \`${digest}\` |`);
});

it("casesOfRelease() gives a release's own verdict, and the case itself for the development line", () => {
  const cases = readCases("generated");
  const verdicts = (release: "1.30" | "development") =>
    casesOfRelease(cases, release).filter(({ expect: { error } }) => error !== undefined).length;
  expect(verdicts("1.30")).toBeLessThan(verdicts("development"));
  expect(casesOfRelease(cases, "development").map(({ expect: expected }) => expected)).toEqual(
    cases.map(({ expect: expected }) => expected),
  );
});
