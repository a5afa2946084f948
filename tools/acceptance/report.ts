// What was seen, for each promise that only AWS can confirm, as a page. Pure.
import { PROMISES } from "./promises.ts";
import type { StepResult } from "./run-steps.ts";
import { NOT_CHANGED } from "./steps.ts";

export function acceptanceReport(results: readonly StepResult[], about: string): string {
  const rows = PROMISES.map(({ id, promise, see, unlooked }) => {
    const result = results.find(({ step }) => step.answers === id);
    const seen =
      result === undefined ? `not looked at, because ${unlooked}; ${see}` : `${result.outcome}${shown(result.detail)}`;
    return `| ${promise} | ${seen} |\n`;
  });
  const steps = results.map(({ step, outcome, detail }) => `| ${step.does} | ${outcome}${shown(detail)} |\n`);
  const settings = Object.entries(NOT_CHANGED).map(([name, why]) => `\`${name}\` ${why}`);
  return [
    `# Acceptance run\n\n${about}\n\n`,
    `| promise | what was seen |\n|---|---|\n${rows.join("")}\n`,
    `| step | |\n|---|---|\n${steps.join("")}\n`,
    `Settings that were not changed: ${settings.join(", ")}.\n`,
  ].join("");
}

function shown(detail: string): string {
  return detail === "" ? "" : `: ${detail.replaceAll("|", "\\|").slice(0, 300)}`;
}
