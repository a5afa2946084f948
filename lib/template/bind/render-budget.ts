// What a rendering may cost. It is counted in steps and not in time, so that a pod gets the same answer on every machine: rounds of
// loops, and what helpers read or make.

import { OutriggerError, objectOf } from "@outrigger/base";
import { describeTemplate } from "../finding.ts";

/** The steps that every rendering may take: more than it takes for any pod that a person has written. */
const LEAST = 200_000;
/** The steps for each character of the pod, where those are not enough. */
const PER_CHARACTER = 100;

/** Renderings do not overlap: they wait for nothing. */
let left = LEAST;
let isExtended = false;
let template = "";
let rendered: unknown;

/** Begins a rendering of a template with this data. */
export function startBudget(name: string, data: unknown): void {
  left = LEAST;
  isExtended = false;
  template = name;
  rendered = data;
}

/** @throws OutriggerError `template-render` past the budget; its cause is a RangeError, for a smaller pod would be within it */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) extend();
}

/** The size of the pod is counted for the few that need it. */
function extend(): void {
  if (!isExtended) {
    const { metadata, spec } = objectOf(rendered);
    left += PER_CHARACTER * JSON.stringify([metadata, spec]).length;
    isExtended = true;
  }
  if (left >= 0) return;
  throw new OutriggerError(
    "template-render",
    `Cannot render ${describeTemplate(template)}: it takes more than ${PER_CHARACTER} steps a character`,
    { path: template, cause: new RangeError("a rendering has a budget") },
  );
}

/** Returns the steps for what a helper reads or has made, as far as they show without a walk. */
export function stepsOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 1;
}
