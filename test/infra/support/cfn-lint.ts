// Cfn-lint, CloudFormation's linter, run on templates.
import { execFile } from "node:child_process";

/** What it says of errors; empty where there are none. Warnings do not count. */
export function lintTemplates(python: string, regions: readonly string[], files: readonly string[]): Promise<string> {
  const words = [
    "-c",
    "from cfnlint.runner import main; main()",
    "--non-zero-exit-code",
    "error",
    "--regions",
    ...regions,
    "--",
    ...files,
  ];
  return new Promise((resolve) => {
    execFile(python, words, { timeout: 200_000 }, (error, stdout, stderr) => {
      resolve(error === null ? "" : `${stdout}${stderr}`);
    });
  });
}
