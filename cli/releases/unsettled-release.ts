// Whether what is served is what was declared, for people: a command that reads the records alone must not say that it is.

import { setTimeout as sleep } from "node:timers/promises";
import { ownError } from "@outrigger/base";
import { readUnsettled } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { ageOf } from "../terminal/age-of.ts";

/** A sentence on how what is served differs from what was declared; undefined where it does not. */
export async function unsettledOf({ store, target }: Deployment): Promise<string | undefined> {
  const { layout } = target;
  try {
    const access = { store, layout, tier: "Standard", now: () => new Date(), sleep } as const;
    const { age, pending, problems } = await readUnsettled(access);
    if (age === 0) return undefined;
    const now = Date.now();
    const named = [
      ...pending.map(({ number, at, message }) => `change ${number} of ${ageOf(at, now)} (${message})`),
      ...problems.map(({ message }) => message),
    ].slice(0, 3);
    const unnamed = `a record was written by hand, or ${layout.head} with its snapshot is missing or damaged`;
    const what = named.length === 0 ? unnamed : named.join("; ");
    return `What was declared is not all served yet: ${what}; the publish function finishes it within two minutes, "outrigger repair" at once`;
  } catch (error) {
    return `What was declared cannot be compared with what is served: ${ownError(error).message}`;
  }
}
