// The linter's rules about who may import what are rules only as long as they bite.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A file, the one line it holds, and the rule that must refuse it (none: it must be accepted). */
const seeds: readonly (readonly [string, string, string | undefined])[] = [
  ["lib/kube/a.ts", 'import { readFileSync } from "node:fs";', "noRestrictedImports"],
  ["lib/kube/b.ts", 'import { injectPod } from "../inject/inject-pod.ts";', "noRestrictedImports"],
  ["lib/kube/c.ts", 'import { loadTemplates } from "../template/load-templates.ts";', "noRestrictedImports"],
  ["lib/kube/d.ts", "export const now = () => Date.now();", "noRestrictedGlobals"],
  ["lib/kube/e.test.ts", 'import { readFileSync } from "node:fs";', undefined],
  ["lib/template/a.ts", 'import { strategicMerge } from "../kube/strategic-merge.ts";', "noRestrictedImports"],
  ["lib/template/b.ts", 'import { parseYaml } from "../kube/yaml.ts";', undefined],
  ["lib/template/c.ts", 'import { parse } from "handlebars";', "noRestrictedImports"],
  ["lib/template/compile-d.ts", 'import { parse } from "handlebars";', undefined],
  ["lib/mesh/a.ts", 'import { loadTemplates } from "../template/load-templates.ts";', "noRestrictedImports"],
  ["lib/mesh/b.ts", "export const stage = () => process.env;", "noRestrictedGlobals"],
  ["lib/inject/a.ts", 'import { compileRelease } from "../release/compile-release.ts";', "noRestrictedImports"],
  ["lib/inject/b.ts", 'import { SSMClient } from "@aws-sdk/client-ssm";', "noRestrictedImports"],
  ["lib/inject/c.ts", 'import { strategicMerge } from "../kube/strategic-merge.ts";', undefined],
  ["lib/release/a.ts", 'import { readSourceTree } from "../store/directory-store.ts";', "noRestrictedImports"],
  ["lib/release/b.ts", "export const bytes = (text: string) => Buffer.from(text);", "noRestrictedGlobals"],
  ["lib/store/a.ts", 'import { main } from "../../cli/main.ts";', "noRestrictedImports"],
  ["lib/admission/a.ts", 'import { handler } from "../../functions/inject/index.ts";', "noRestrictedImports"],
  ["infra/webhook/a.ts", 'import { openKube } from "../eks/kube-access.ts";', "noRestrictedImports"],
  ["infra/webhook/b.ts", 'import { readFileSync } from "node:fs";', "noRestrictedImports"],
  ["infra/eks/a.ts", 'import { main } from "../../cli/main.ts";', "noRestrictedImports"],
  ["infra/eks/b.ts", 'import { EKSClient } from "@aws-sdk/client-eks";', undefined],
  ["functions/inject/a.ts", 'import { main } from "../../cli/main.ts";', "noRestrictedImports"],
  ["functions/inject/b.ts", 'import { injectPod } from "../../lib/inject/inject-pod.ts";', undefined],
  ["cli/a.ts", 'import { handler } from "../functions/inject/index.ts";', "noRestrictedImports"],
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
      await writeFile(join(directory, file), used(line));
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

/** An import must be used, or the linter has that to say too. */
function used(line: string): string {
  const name = /^import \{ (\w+) \}/.exec(line)?.[1];
  return name === undefined ? `${line}\n` : `${line}\n\nexport const used = [${name}];\n`;
}

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
