// Checkov, which looks for weaknesses in templates: a virtual environment of its own, made by
// `OUTRIGGER_WHOLE=1 .ci/run`, because its dependencies are many.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readTable } from "../../../tools/support/read-table.ts";
import { runProgram } from "../../support/run-program.ts";

export interface CheckovReport {
  readonly passed: number;
  /** Check, resource, and the check's name. */
  readonly failed: readonly (readonly [check: string, resource: string, name: string])[];
}

/** The Python that has it, or what is lacking. */
export function findCheckov(): { readonly python: string; readonly lacking?: string } {
  const given = process.env["OUTRIGGER_CHECKOV_PYTHON"];
  const python = given ?? fileURLToPath(new URL("../../../.runtime/checkov/bin/python", import.meta.url));
  return existsSync(python)
    ? { python }
    : {
        python,
        lacking:
          "no checkov: python3 -m venv .runtime/checkov && .runtime/checkov/bin/python -m pip install -r test/infra/support/checkov-requirements.txt",
      };
}

/** Returns what Checkov finds in each file, by the file's name. */
export async function runCheckov(
  python: string,
  files: readonly string[],
): Promise<Readonly<Record<string, CheckovReport>>> {
  const script = fileURLToPath(new URL("checkov-templates.py", import.meta.url));
  // Its search for secrets depends on the order of sets.
  const env = { ...process.env, PYTHONHASHSEED: "0" };
  const { code, out, err } = await runProgram(python, [script, ...files], { timeout: 200_000, env });
  if (code !== 0) throw new Error(`Cannot run checkov: ${err.slice(-2000)}`);
  return JSON.parse(out);
}

/** Findings of Checkov that are intended, by its checks: `resources` is an expression for logical IDs. */
export const EXPLAINED = readTable<
  Readonly<Record<string, { readonly resources: string; readonly why: string; readonly isUnsteady?: true }>>
>("test/infra/support/explained-findings.yaml", { resources: "text", why: "text", isUnsteady: "boolean?" });
