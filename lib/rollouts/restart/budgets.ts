// Which budgets a workload is under, and what they allow while others are in motion.
import { objectOf } from "@outrigger/base";
import { matchesLabelSelector, metadataOf, parseLabelSelector } from "@outrigger/pod";
import { itemsOf, type SeenWorkload } from "./pods-of-workload.ts";
import { freshLook, type Moving, type Run } from "./run.ts";

/** Labels of the pods of a workload, by which budgets are over it. */
export function labelsOf({ object, pods }: SeenWorkload): Moving["labels"] {
  const labelled = pods.length === 0 ? [objectOf(objectOf(object["spec"])["template"])] : pods;
  return labelled.map((one) => metadataOf(one).labels);
}

/** How many pods may be disrupted, and the budget that says so. */
interface Allowed {
  readonly pods: number;
  readonly budget: string;
}

const UNLIMITED: Allowed = { pods: Number.POSITIVE_INFINITY, budget: "" };

/**
 * How many pods the budgets of a workload allow to be disrupted now, with all that is in motion deducted. Neither a rollout nor a new
 * image asks them, so a restart does.
 */
export async function allowedFor(run: Run, { object, labels }: Moving): Promise<Allowed> {
  if (run.isUrgent) return UNLIMITED;
  const { namespace } = metadataOf(object);
  const { budgets } = freshLook(run);
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  const reading = budgets.get(namespace) ?? itemsOf(run.kube.list(path));
  budgets.set(namespace, reading);
  return (await reading).reduce((least, { metadata, spec, status }) => {
    const { selector } = objectOf(spec);
    if (selector === undefined) return least;
    const parsed = parseLabelSelector(selector, "selector");
    const isOver = (own: Moving["labels"]) => own.some((each) => matchesLabelSelector(parsed, each));
    if (!isOver(labels)) return least;
    const { disruptionsAllowed } = objectOf(status);
    const taken = [...run.moving.values()]
      .filter((one) => metadataOf(one.object).namespace === namespace && isOver(one.labels))
      .reduce((sum, one) => sum + one.taken, 0);
    const pods = (typeof disruptionsAllowed === "number" ? disruptionsAllowed : 0) - taken;
    return pods < least.pods ? { pods, budget: metadataOf({ metadata }).name } : least;
  }, UNLIMITED);
}
