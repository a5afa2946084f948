// Cfn-lint, CloudFormation's linter: found where .ci/run puts it or on the path, and run on templates.
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requiredVersion } from "../../support/required-version.ts";

/** The command, or what is lacking. */
export function findCfnLint(): { readonly command: string; readonly lacking?: string } {
  const own = fileURLToPath(new URL("../../../.runtime/python/bin/cfn-lint", import.meta.url));
  const required = requiredVersion("cfn-lint");
  for (const command of [own, "cfn-lint"]) {
    if (command === own && !existsSync(own)) continue;
    try {
      const version = execFileSync(command, ["--version"], { stdio: "pipe", timeout: 30_000, encoding: "utf8" });
      if (version.includes(` ${required}`)) return { command };
    } catch {
      // Not this one.
    }
  }
  return { command: "", lacking: `no cfn-lint ${required}x: pip install -r test/support/requirements.txt` };
}

/** What it says of errors; empty where there are none. Warnings do not count. */
export function lintTemplates(command: string, regions: readonly string[], files: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      command,
      ["--non-zero-exit-code", "error", "--regions", ...regions, "--", ...files],
      { timeout: 200_000 },
      (error, stdout, stderr) => {
        resolve(error === null ? "" : `${stdout}${stderr}`);
      },
    );
  });
}
