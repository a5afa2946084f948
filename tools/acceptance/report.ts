// What was seen, for each promise that only AWS can confirm, as a page. Pure.
import { readTable } from "../../test/support/read-table.ts";
import type { StepResult } from "./run-steps.ts";
import { NOT_CHANGED } from "./steps.ts";

export interface Promised {
  /** What steps.ts calls it. */
  readonly id: string;
  readonly promise: string;
  readonly restsOn: string;
  readonly see: string;
  /** Why no step of the acceptance run looks at it. */
  readonly unlooked?: string;
}

export const PROMISES = readTable<readonly Promised[]>("tools/acceptance/promises.yaml");

/** The lines of the list in docs/contributing/deployment.md. */
export function promiseLines(): readonly string[] {
  return PROMISES.map(({ promise, unlooked }) => `- ${promise}${unlooked === undefined ? "" : " (no step)"}`);
}

export function acceptanceReport(results: readonly StepResult[], about: string): string {
  const rows = PROMISES.map(({ id, promise, see, unlooked }) => {
    const result = results.find(({ step }) => step.answers === id);
    const seen = result === undefined ? `not tried, because ${unlooked}` : seenIn(result);
    return `| ${promise} | ${result?.step.does ?? see} | ${seen} |\n`;
  });
  const others = results.filter(({ step }) => step.answers === undefined);
  const settings = Object.entries(NOT_CHANGED).map(([name, why]) => `\`${name}\` ${why}`);
  return [
    `# Acceptance run\n\n${about}\n\n`,
    `| promise | how it was tried | result |\n|---|---|---|\n${rows.join("")}\n`,
    `| other step | result |\n|---|---|\n${others.map((result) => `| ${result.step.does} | ${seenIn(result)} |\n`).join("")}\n`,
    `Settings that were not changed: ${settings.join(", ")}.\n`,
  ].join("");
}

function seenIn({ outcome, detail }: StepResult): string {
  return detail === "" ? outcome : `${outcome}: ${detail.replaceAll("|", "\\|").slice(0, 300)}`;
}
