// What branches of templates would add that no sample takes, and that guardrails do not admit, with the template's line.
import { objectOf } from "@outrigger/base";
import { type NamedPod, type Release, type SourceTree, samplePods, type TreeFinding } from "@outrigger/injector";
import { formatFieldPath } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";
import { type Branches, branchesIn, COMMON_LABELS, powersOf } from "./branch-powers.ts";
import { refusedIn } from "./guarded-injection.ts";
import type { Options } from "./judge-difference.ts";
import { isAdmitted, refused } from "./judge-injection.ts";
import { powerText, remedyOf } from "./power.ts";
import type { Guardrails } from "./read-guardrails.ts";

/**
 * What of the branches of a tree the guardrails do not admit, on whatever pod.
 *
 * @returns one warning for each line
 */
export function guardBranches(guardrails: Guardrails, release: Release, tree: SourceTree): readonly TreeFinding[] {
  const { level, allowed } = guardrails;
  if (level === "off") return [];
  const branches = branchesIn(release, tree);
  const found = new Map<string, TreeFinding>();
  const options: Options = {
    isStrict: level === "restricted",
    isAdmitted: (power) => {
      const { kind, value } = power;
      if (kind === "escalation" || (value === UNKNOWN && allowed.has(kind))) return true;
      return value.includes(UNKNOWN) ? isAdmitted(guardrails, power) : refused(guardrails, power).length === 0;
    },
  };
  for (const { path, line, column, ...power } of powersOf(branches, options)) {
    for (const each of power.value.includes("*") ? [power] : refused(guardrails, power)) {
      const message = `No sample reaches it, but a pod may: ${powerText(each)} (${formatFieldPath(each.at)}) is not within the guardrails, and injecting that pod fails; ${remedyOf(each)}`;
      found.set(`${path}:${line} ${powerText(each)}`, { severity: "warning", path, line, column, message });
    }
  }
  return [...found.values(), ...collisions(guardrails, branches)];
}

/**
 * A warning for each label or annotation of a template that pods may have too: a key without a prefix is the users', by Kubernetes' rule,
 * and so are the recommended labels. A pod with another value of it is not injected.
 *
 * @param tree the texts that count, as for guardBranches()
 */
export function guardKeys(guardrails: Guardrails, release: Release, tree: SourceTree): readonly TreeFinding[] {
  return guardrails.level === "off" ? [] : collisions(guardrails, branchesIn(release, tree));
}

function collisions(guardrails: Guardrails, { tree, injector, branches }: Branches): readonly TreeFinding[] {
  const found = new Map<string, TreeFinding>();
  // Each way through a template has most of its keys.
  const admitted = new Set<string>();
  for (const { template, overlay, locate } of branches) {
    const [{ request }] = samplePods([], [template], injector.config.injectionLabel) as [NamedPod];
    const { metadata = {}, ...rest } = request.pod;
    for (const part of ["labels", "annotations"] as const) {
      for (const key of Object.keys(objectOf(objectOf(overlay["metadata"])[part]))) {
        const message = `Pods that have ${part} "${key}" of their own are not injected: write it behind {{#unless (lookup metadata.${part} "${key}")}}`;
        const asked = `${template} ${part} ${key}`;
        const isOpen = !key.includes("/") || key.startsWith("app.kubernetes.io/");
        if (!isOpen || COMMON_LABELS.includes(key) || found.has(message) || admitted.has(asked)) continue;
        const place = locate(["metadata", part, key]);
        if (tree[place.path] === undefined) continue;
        const pod = { ...rest, metadata: { ...metadata, [part]: { ...metadata[part], [key]: "author" } } };
        if (refusedIn(guardrails, injector, { ...request, pod }).length === 0) admitted.add(asked);
        else found.set(message, { severity: "warning", message, ...place });
      }
    }
  }
  return [...found.values()];
}
