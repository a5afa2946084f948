// How a command line names a workload (`deploy/web`), and the pod that a workload makes.
import { isObject, type JsonObject, usageError, valueAt } from "@outrigger/base";
import { type WorkloadKind, workloadKinds } from "@outrigger/pod";

export interface NamedWorkload {
  readonly kind: WorkloadKind;
  readonly name: string;
}

/**
 * `deploy/web`, as kubectl reads it; a kind may be written with its group (`deployments.apps/web`).
 *
 * @throws OutriggerError `usage`
 */
export function parseWorkload(text: string): NamedWorkload {
  const [, word = "", name = ""] = /^([A-Za-z]+)(?:\.[a-z0-9.-]+)?\/([a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/.exec(text) ?? [];
  const found = workloadKinds.find(({ names }) => names.includes(word.toLowerCase()));
  if (found !== undefined) return { kind: found, name };
  const known = workloadKinds.map(({ names }) => names[0]).join(", ");
  throw usageError(
    `Cannot explain ${JSON.stringify(text.slice(0, 80))}: name a workload as deploy/web; the kinds are ${known}`,
  );
}

/** The pod that a workload makes; undefined where it has none, as a Rollout that refers to a Deployment. */
export function podOfWorkload(object: JsonObject, { template }: WorkloadKind): JsonObject | undefined {
  const pod = valueAt(object, template);
  return isObject(pod) && isObject(pod["spec"]) ? pod : undefined;
}
