// What was seen, for each promise that only AWS can confirm, as a page. Pure.
import { PROMISES } from "./promises.ts";
import type { StepResult } from "./run-steps.ts";
import { NOT_CHANGED } from "./steps.ts";

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
