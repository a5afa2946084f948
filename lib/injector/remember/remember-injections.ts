// Remembers what was injected into the pods of a workload: its other replicas get the same answer without being injected
// again. Why, and why it is the same: docs/contributing/adr/0012-replicas-are-remembered.md.

import { boundedCache, heapBytes, isObject, jsonEqual, sharedMemory } from "@outrigger/base";
import type { InjectAnswer, Injector, InjectRequest } from "../injection.ts";
import { PREFIX, type Renaming, renamingTo, type Sample, sampleOf } from "./replica.ts";

export type Inject = (injector: Injector, request: InjectRequest) => InjectAnswer;

type Injected = Extract<InjectAnswer, { readonly injected: true }>;

/** One pod of a controller, everything that decided over its injection, and the answer. */
interface Remembered {
  /** The injector, held weakly: what is remembered must not keep the releases of the past in memory. */
  readonly injector: WeakRef<Injector>;
  /** Everything in the request but the pod, as text. */
  readonly settings: string;
  readonly sample: Sample;
  readonly answer: Injected;
  /**
   * Whether the names can be exchanged: a replica with another generated name was injected, and its answer was this one
   * with the names exchanged. Nothing that was read or written has a third such name, which another replica may get.
   */
  readonly isRenamable: boolean;
}

/** A length that no uid has. */
const MAX_UID = 64;

/** The bytes that an entry takes at most besides its texts and its pod. */
const ENTRY = 768;

/**
 * The function, which must be pure, with its answers remembered by the pod's controller, within that memory.
 *
 * | the pod is                                                      | its answer                          |
 * |-----------------------------------------------------------------|-------------------------------------|
 * | without a controller, or the first one of it                    | is computed                         |
 * | the second one, or differs from the one remembered              | is computed and remembered          |
 * | equal to the one remembered                                     | is the remembered one               |
 * | equal but for its generated name, for the first time            | is computed, and compared           |
 * | the same, and the comparison showed only that name to differ    | is the remembered one with its name |
 *
 * Everything that decides over an injection is compared, not only the pod: release, namespace, URL parameters, cluster.
 */
export function rememberInjections(
  inject: Inject,
  memory: typeof sharedMemory.replicas = sharedMemory.replicas,
): Inject {
  const workloads = boundedCache<Remembered | "seen">(memory);
  return (injector, request) => {
    const controller = controllerOf(request);
    if (controller === undefined) return inject(injector, request);
    const known = workloads.get(controller);
    const replica = known === undefined || known === "seen" ? undefined : replicaOf(known, injector, request);
    if (replica?.isCertain === true) return replica.answer;
    const answer = inject(injector, request);
    if (known === undefined) workloads.set(controller, "seen", 0);
    else if (answer.injected) {
      const isRenamable = replica !== undefined && isEqual(answer, replica.answer);
      const next = rememberedOf(injector, request, answer, isRenamable);
      workloads.set(controller, next, bytesOf(next));
    }
    return answer;
  };
}

/** Returns at least the bytes that an entry takes. */
function bytesOf({ settings, sample, answer: { patchText, templates, warnings } }: Remembered): number {
  return ENTRY + sample.bytes + heapBytes([settings, patchText, ...templates, ...warnings]);
}

/**
 * Returns the uid of the controller by which an answer is remembered. A controller makes its pods from one template, so
 * the last one is likely to be like the next.
 */
function controllerOf({ pod, owner, isTrial }: InjectRequest): string | undefined {
  if (owner !== undefined || isTrial === true) return undefined;
  const owners: unknown = isObject(pod.metadata) ? pod.metadata.ownerReferences : undefined;
  if (!Array.isArray(owners)) return undefined;
  const controller: unknown = owners.find((each) => isObject(each) && each["controller"] === true);
  const uid = isObject(controller) ? controller["uid"] : undefined;
  return typeof uid === "string" && uid !== "" && uid.length <= MAX_UID ? uid : undefined;
}

/** The answer is not certain as long as no replica's own answer was compared with such a one. */
function replicaOf(known: Remembered, injector: Injector, request: InjectRequest) {
  if (injector !== known.injector.deref() || settingsOf(request) !== known.settings) return undefined;
  const renaming = renamingTo(request.pod, known.sample);
  if (renaming === undefined) return undefined;
  return { answer: renamed(known.answer, renaming), isCertain: renaming.from === renaming.to || known.isRenamable };
}

/** Returns everything in the request but the pod. It is text because the order of URL parameters shows in the pod. */
function settingsOf({ namespace, parameters, cluster, release }: InjectRequest): string {
  return JSON.stringify([namespace, parameters, cluster, release]);
}

function renamed(answer: Injected, { from, to }: Renaming): Injected {
  if (from === to || !answer.patchText.includes(from)) return answer;
  return Object.freeze({ ...answer, patchText: answer.patchText.replaceAll(from, to) });
}

function isEqual(one: Injected, other: Injected): boolean {
  return (
    one.patchText === other.patchText &&
    one.reason === other.reason &&
    jsonEqual(one.templates, other.templates) &&
    jsonEqual(one.warnings, other.warnings)
  );
}

function rememberedOf(
  injector: Injector,
  request: InjectRequest,
  { injected, reason, patchText, templates, warnings }: Injected,
  isRenamable: boolean,
): Remembered {
  const answer = Object.freeze({
    injected,
    reason,
    patchText,
    templates: Object.freeze([...templates]),
    warnings: Object.freeze([...warnings]),
  });
  const settings = settingsOf(request);
  const sample = sampleOf(request.pod);
  return {
    injector: new WeakRef(injector),
    settings,
    sample,
    answer,
    isRenamable: isRenamable && !mentionsAnother(settings, sample) && !mentionsAnother(patchText, sample),
  };
}

/** Whether a text that an injection read or wrote may mean one more generated name than that of the sample. */
function mentionsAnother(text: string, { generated }: Sample): boolean {
  return (generated === undefined ? text : text.replaceAll(generated, "")).includes(PREFIX);
}
