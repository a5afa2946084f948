// What a deployment has to say about a tree that its texts do not: what its guardrails refuse, what pods would get, and what of
// that waits for a person.
import { ownError } from "@outrigger/base";
import { type Guardrails, guardBranches, guardRelease, parseGuardrails } from "@outrigger/guardrails";
import type { Release, SourceTree, TreeFinding } from "@outrigger/injector";
import type { Deployment } from "../connect/deployment.ts";
import { previewEdit } from "../releases/preview-edit.ts";

/** A tree without errors, and the shipped one below it. */
export interface LintedTree {
  readonly tree: SourceTree;
  readonly shipped: SourceTree;
  readonly release: Release;
}

export interface DeploymentFindings {
  readonly findings: readonly TreeFinding[];
  /** The changes for the deployment's pods, with one example of each class. It is undefined if nothing changes. */
  readonly effects?: Pick<Awaited<ReturnType<typeof previewEdit>>, "channel" | "effects">;
}

/** `What changes for pods of stable: image (samples/plain-pod: istio-proxy …)` */
export function describeChanges({ channel, effects }: NonNullable<DeploymentFindings["effects"]>): string {
  return `What changes for pods of ${channel}: ${effects.map(({ name, example }) => `${name} (${example})`).join(", ")}`;
}

/** Finds what guardrails do not admit. It is an error if a sample reaches it, and a warning if only a pod may. */
export function guardFindings(guardrails: Guardrails, { tree, shipped, release }: LintedTree): readonly TreeFinding[] {
  const errors = guardRelease(guardrails, release, [shipped, tree]);
  const branches = guardBranches(guardrails, release, tree).filter(
    ({ path, line }) => !errors.some((error) => error.path === path && error.line === line),
  );
  return [...errors, ...branches];
}

/**
 * Returns what a deployment would do with the tree.
 *
 * @param given guardrails to use in place of the deployment's own
 */
export async function lintDeployment(
  linted: LintedTree,
  deployment: Deployment,
  given: Guardrails | undefined,
): Promise<DeploymentFindings> {
  const guarded = given === undefined ? await ownGuardrails(linted, deployment) : [];
  try {
    const { channel, effects, held } = await previewEdit(linted, deployment);
    const waiting = held === undefined ? [] : [{ severity: "warning", path: "", message: held } as const];
    const findings = [...guarded, ...waiting];
    return effects.length === 0 ? { findings } : { findings, effects: { channel, effects } };
  } catch (error) {
    const { message } = ownError(error, "config-invalid");
    return { findings: [...guarded, { severity: "error", path: "config", message }] };
  }
}

/**
 * Returns the findings of the deployment's own guardrails. If a person may not read them, it says so: the publisher and
 * every injection judge all the same.
 */
async function ownGuardrails(linted: LintedTree, deployment: Deployment): Promise<readonly TreeFinding[]> {
  try {
    return guardFindings(parseGuardrails(await deployment.guardrails()), linted);
  } catch (error) {
    const message = `What the deployment's guardrails admit is not known: ${ownError(error).message}; give them with --guardrails`;
    return [{ severity: "warning", path: "", message }];
  }
}
