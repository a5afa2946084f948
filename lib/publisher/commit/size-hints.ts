// Messages about the limit of what parameters hold: before it is hit, and what to take out once it is.
import { capacityOf, usedBy } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { PublisherDependencies } from "../dependencies.ts";
import { largestTexts } from "../release/largest-texts.ts";
import type { Plan } from "./plan-commit.ts";

/** What is too large names what takes the most of it. */
export function withLargest(error: unknown, tree: SourceTree = {}): unknown {
  const largest = largestTexts(tree);
  if (!(error instanceof OutriggerError) || error.code !== "store-full" || largest === "") return error;
  const { code, message, path } = error;
  return new OutriggerError(code, `${message}; the largest texts, compressed, are ${largest}`, {
    ...defined({ path }),
    cause: error,
  });
}

/** The share of what parameters hold from which each change says how much is left. */
const NEARLY_FULL = 0.8;

/** Announces a limit before it is hit: past it nothing can be published until something is taken out. */
export function nearlyFull({ next }: Plan, { tier, bucket }: PublisherDependencies): readonly string[] {
  // What is in the bucket takes next to nothing of the parameters.
  const used = next === undefined || next.object !== undefined ? 0 : usedBy(next.parts);
  const capacity = capacityOf(tier);
  if (used < NEARLY_FULL * capacity || bucket !== undefined) return [];
  const settings = tier === "Standard" ? "tier: Advanced or releaseBucket" : "releaseBucket";
  const remedy = `set ${settings} and deploy, or take`;
  const percent = Math.floor((100 * used) / capacity);
  return [
    `What is served takes ${used} of ${capacity} characters on the ${tier} tier (${percent} %), and ${capacity - used} are free: before it is full, ${remedy} channels, templates or samples out of it`,
  ];
}
