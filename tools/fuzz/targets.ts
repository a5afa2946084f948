// The list of targets: everything that reads what another has written.
import type { Release } from "@outrigger/injector";
import { acceptedTarget } from "./accepted-target.ts";
import { admissionTargets } from "./admission-targets.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { parsersTarget } from "./parsers-target.ts";
import { releaseTargets } from "./release-targets.ts";
import { storedTarget } from "./stored-target.ts";
import { warmTarget } from "./warm-target.ts";

/**
 * A target without a share runs when it is named: `npm test` has a file of its own for it.
 *
 * @param shipped the release of the shipped templates: compiling it takes longer than a thousand runs
 */
export async function fuzzTargets(shipped: Release): Promise<readonly FuzzTarget[]> {
  return [
    parsersTarget,
    ...admissionTargets(shipped),
    ...releaseTargets(shipped),
    await storedTarget(),
    await acceptedTarget(),
    warmTarget(shipped),
  ];
}
