// Cfn-lint, CloudFormation's linter, run on templates.
import { runProgram } from "../../support/run-program.ts";

const MAIN = ["-c", "from cfnlint.runner import main; main()"];

/** Returns the errors that cfn-lint reports; empty if there are none. Warnings do not count. */
export async function lintTemplates(
  python: string,
  regions: readonly string[],
  files: readonly string[],
): Promise<string> {
  const words = [...MAIN, "--non-zero-exit-code", "error", "--regions", ...regions, "--", ...files];
  const { code, out, err } = await runProgram(python, words, { timeout: 200_000 });
  return code === 0 ? "" : `${out}${err}`;
}
