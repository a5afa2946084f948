// How an injection would differ from the one that a running pod carries, by kind: what is the same for many pods is said once.

import { type JsonObject, type JsonValue, metadataKeys, objectOf, objectsOf } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import {
  type Difference,
  type DifferenceStep,
  diffObjects,
  formatDifferencePath,
  keepStoredForm,
  type Metadata,
  metadataOf,
  type Pod,
} from "@outrigger/pod";

/** One field in which two injections of a pod differ. */
export interface InjectedDifference {
  /** `initContainers[istio-proxy].env[GOMAXPROCS]`. */
  readonly field: string;
  readonly kind: "only today" | "only imported" | "differs";
  readonly today?: JsonValue;
  readonly imported?: JsonValue;
}

/**
 * Compares what two injections added: containers and volumes that the author's pod does not have, or that one of the two
 * changed, labels and annotations. What an API server fills in is no difference.
 *
 * @param pods `author`, the pod as its author wrote it, is what both injections started from
 */
export function compareInjected(
  pods: Readonly<Record<"author" | "imported" | "running", Pod>>,
): readonly InjectedDifference[] {
  const { author, imported, running } = pods;
  const ours = keepStoredForm(imported, running);
  const injected = new Set([running, imported].flatMap(recordedContainers));
  const authored = new Set(objectsOf(author.spec?.volumes).map(({ name }) => String(name)));
  const [written, now] = [author, ours].map(metadataOf) as [Metadata, Metadata];
  const isInjected = ({ path: [, part, step] }: Difference) => {
    const name = nameOf(step);
    if (part === "volumes") return !authored.has(name) && !ADDED_BY_OTHERS.test(name);
    if (part !== "labels" && part !== "annotations") return injected.has(name);
    const isNew = !Object.hasOwn(written[part], name) && !RECORDS.has(name);
    return isNew && (Object.hasOwn(now[part], name) || INJECTORS.test(name));
  };
  return diffObjects(compared(running), compared(ours), { readsJson: true })
    .filter((one) => one.kind !== "reordered" && isInjected(one) && !one.path.some(isAddedMount))
    .map(({ path, before, after }) => ({
      field: formatDifferencePath(path.slice(1)),
      kind: before === undefined ? "only imported" : after === undefined ? "only today" : "differs",
      ...(before !== undefined && { today: before }),
      ...(after !== undefined && { imported: after }),
    }));
}

/** The parts of a pod that an injection adds to. */
function compared(pod: Pod): JsonObject {
  const { initContainers, containers, volumes } = objectOf(pod.spec);
  const { labels, annotations } = metadataOf(pod);
  return { spec: { initContainers, containers, volumes }, metadata: { labels, annotations } };
}

function recordedContainers(pod: Pod): readonly string[] {
  const status = readStatus(pod);
  return [...(status?.initContainers ?? []), ...(status?.containers ?? [])];
}

function nameOf(step: DifferenceStep | undefined): string {
  return typeof step === "object" ? step.item : (step ?? "");
}

function isAddedMount(step: DifferenceStep): boolean {
  return typeof step === "object" && step.mergeKey === "mountPath" && ADDED_MOUNTS.test(`${step.item}/`);
}

/** Matches the volumes that Kubernetes itself mounts into every pod. */
const ADDED_BY_OTHERS = /^kube-api-access-|^aws-iam-token$/;
const ADDED_MOUNTS = /^\/var\/run\/secrets\/(kubernetes\.io|eks\.amazonaws\.com)\//;
const INJECTORS = /istio\.io\/|^prometheus[._]io\/|^kubectl\.kubernetes\.io\/default-/;
/** The annotations with an injector's record, of which each injector keeps its own. */
const RECORDS: ReadonlySet<string> = new Set([metadataKeys.status, metadataKeys.overrides]);
