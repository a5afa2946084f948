// What the branches of a release's templates would add that guardrails do not admit, though no sample takes them.
import { isObject } from "@outrigger/base";
import { loadRelease, type Release, type SourceTree, templateBranches } from "@outrigger/injector";
import { UNKNOWN } from "@outrigger/template";
import type { GuardFinding } from "./guard-release.ts";
import { judgeConstants } from "./judge-constants.ts";
import type { Guardrails } from "./parse-guardrails.ts";

/**
 * Takes each branch of the templates and judges the constants that a tree writes in it. What depends on a pod is judged when that
 * pod is injected.
 *
 * @param tree the texts that are reported: the shipped ones have a branch for debugging that `baseline` does not admit
 * @returns one finding for each line
 */
export function guardBranches(guardrails: Guardrails, release: Release, tree: SourceTree): readonly GuardFinding[] {
  if (guardrails.level === "off") return [];
  const injector = loadRelease(release);
  const found = new Map<string, GuardFinding>();
  for (const name of Object.keys(release.templates.templates)) {
    for (const { overlay, locate } of templateBranches(release, injector, name)) {
      if (!isObject(overlay)) continue;
      for (const { steps, what, path: field, entry } of judgeConstants(guardrails, overlay, UNKNOWN)) {
        const { path, line, column } = locate(steps);
        if (tree[path] === undefined) continue;
        const message = `No sample comes to it, but a pod may: ${what} (${field}) is not within the guardrails, and injecting that pod fails; change it, or add ${entry} to the setting guardrails and deploy`;
        found.set(`${path}:${line} ${what}`, { message, path, line, column });
      }
    }
  }
  return [...found.values()];
}
