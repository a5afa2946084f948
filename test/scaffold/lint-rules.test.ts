// The linter keeps platform globals out of the pure folders. Imports: packages.test.ts.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A file, the one line it holds, and the rule that must refuse it (none: it must be accepted). */
const seeds: readonly (readonly [string, string, string | undefined])[] = [
  ["lib/base/a.ts", "export const stage = () => process.env;", "noRestrictedGlobals"],
  ["lib/pod/a.ts", "export const now = () => Date.now();", "noRestrictedGlobals"],
  ["lib/pod/b.test.ts", "export const now = () => Date.now();", undefined],
  ["lib/yaml/a.ts", "export const stage = () => process.env;", "noRestrictedGlobals"],
  ["lib/injector/release/a.ts", "export const bytes = (text: string) => Buffer.from(text);", "noRestrictedGlobals"],
  ["lib/template/bind/a.ts", "export const call = () => fetch;", "noRestrictedGlobals"],
  ["lib/webhook/a.ts", "export const now = () => Date.now();", "noRestrictedGlobals"],
  ["lib/serving/a.ts", "export const now = () => Date.now();", undefined],
];

describe("biome.json", () => {
  let directory = "";
  let findings = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "outrigger-lint-"));
    await cp("biome.json", join(directory, "biome.json"));
    await writeFile(join(directory, ".gitignore"), "node_modules/\n");
    for (const [file, line] of seeds) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(join(directory, file), `${line}\n`);
    }
    findings = await lint(directory);
  }, 30_000);

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each(seeds.filter(([, , rule]) => rule !== undefined))("refuses in %s: %s", (file, _line, rule) => {
    expect(findingsIn(findings, file)).toEqual([expect.stringContaining(`/${rule},`)]);
  });

  it.each(seeds.filter(([, , rule]) => rule === undefined))("accepts in %s: %s", (file) => {
    expect(findingsIn(findings, file)).toEqual([]);
  });
});

function findingsIn(findings: string, file: string): readonly string[] {
  return findings.split("\n").filter((line) => line.includes(`/${file},`) || line.includes(`file=${file},`));
}

async function lint(directory: string): Promise<string> {
  const biome = join(process.cwd(), "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "lint", "--reporter=github", "--max-diagnostics=none", "."];
  const run = promisify(execFile)(process.execPath, args, { cwd: directory });
  // It exits with 1 where it finds something, as it must here.
  return run.then(({ stdout }) => stdout).catch((error: { readonly stdout?: string }) => error.stdout ?? "");
}
