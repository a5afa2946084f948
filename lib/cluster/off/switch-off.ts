// The emergency switch: nothing in the cluster waits for Outrigger any more. Needs the cluster and nothing else. It leaves its mark
// first, which stops a registration that runs, and looks again after each pass: one that had begun may have made objects since. It does
// all that it may: an error with one object never keeps it from the next.
import { DEFAULT_REVISION, isOwnError, type JsonObject, objectOf, objectsOf, ownError, textOf } from "@outrigger/base";
import { objectKeys, ownNames, selectorsOf } from "@outrigger/webhook";
import { type Fact, learn } from "../fact.ts";
import { unlessDenied } from "../kube/kube-answer.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import {
  canReject,
  findObjects,
  managerOf,
  OWN_SELECTOR,
  type OwnKind,
  offMarkOf,
  pathOf,
} from "../objects/own-objects.ts";
import type { NotSwitchedOff, SwitchedOff, SwitchOffOptions } from "./find-to-switch-off.ts";
import { findBindings, findConfigurations, findPolicies } from "./find-to-switch-off.ts";

/**
 * Admits every pod, whatever happens to the call: failures are ignored, calls may take a second, and the safety net warns
 * instead of rejecting. With `remove`, nothing is called at all. Registering again restores everything.
 */
export async function switchOff(kube: KubeClient, options: SwitchOffOptions): Promise<SwitchedOff> {
  const done = new Set<string>();
  const marked = await learn(() => markOff(kube, options.at));
  for (let round = 1; ; round++) {
    const found = await switchOffObjects(kube, options);
    for (const sentence of found.done) done.add(sentence);
    if (done.size === 0 && found.left.length === 0) done.add(sentenceOfNothing(kube.name, marked));
    // A registration that did not see the mark, or that ran meanwhile, has made objects since.
    const isAgain = found.left.length === 0 && (await isOnAgain(kube, options));
    if (!isAgain || round === ROUNDS) return { done: [...done], left: isAgain ? [AGAIN] : found.left };
  }
}

/**
 * A webhook configuration without webhooks: a registration that is running finds it before it makes anything stricter, whatever else
 * has been reached by then. Registering again removes it.
 */
async function markOff(kube: KubeClient, at: string): Promise<void> {
  const annotations = { [objectKeys.off]: at };
  const metadata = { name: ownNames.offMark, labels: { [objectKeys.revision]: "" }, annotations };
  const mark: JsonObject = { apiVersion: "admissionregistration.k8s.io/v1", kind: CONFIGURATION, metadata };
  await kube.apply(pathOf(CONFIGURATION, ownNames.offMark), mark, { force: true });
}

function sentenceOfNothing(cluster: string, marked: Fact<void>): string {
  const nothing = `${cluster} has no objects of Outrigger`;
  return marked.known
    ? `${nothing}; the mark ${ownNames.offMark} stops a registration that is running`
    : `${nothing}; a registration that is running is not stopped, because the cluster cannot be marked (${marked.why}): run this again when it has ended`;
}

const ROUNDS = 4;
const AGAIN: NotSwitchedOff = {
  what: "objects of Outrigger",
  problem: "another command or tool makes them again: stop it, and run this again",
  kubectl: `kubectl delete mutatingwebhookconfiguration,validatingadmissionpolicybinding -l ${OWN_SELECTOR}`,
};

/**
 * Whether anything rejects pods, or is there that was to be removed. The webhooks are looked at last, and have to have the mark:
 * a registration that ran between two looks has taken it away. Where nobody may look, what was done counts.
 */
async function isOnAgain(kube: KubeClient, { remove }: SwitchOffOptions): Promise<boolean> {
  const found = await learn(() => findObjects(kube));
  const objects = found.known ? found.value.filter(({ kind }) => kind !== POLICY) : [];
  return objects.some(({ kind, object }) => {
    return remove || canReject(object) || (kind === CONFIGURATION && offMarkOf(object) === undefined);
  });
}

/** One pass over everything that is there. */
async function switchOffObjects(kube: KubeClient, options: SwitchOffOptions): Promise<SwitchedOff> {
  const configurations = await findConfigurations(kube, options);
  const bindings = await findBindings(kube, options, configurations.found);
  // The net first: with shorter calls, a net that still rejects would reject more pods than before.
  const nets = await each(BINDING, bindings.found, (name) => switchNetOff(kube, name, options));
  const isNetOff = bindings.left.length === 0 && nets.left.length === 0;
  const marked = new Map<string, string | undefined>();
  const ignoring = await each(CONFIGURATION, configurations.found, (name) =>
    ignoreFailures(kube, name, options.at, isNetOff, marked),
  );
  // A registration that had not seen the mark may have made a net since. From here on, none makes one that rejects.
  const later = await findBindings(kube, options, configurations.found);
  const made = await each(BINDING, isNetOff ? later.found : [], (name) => switchNetOff(kube, name, options));
  const isGone = options.remove && isNetOff && made.left.length === 0;
  // As it was marked: a registration that has switched on again keeps its webhooks, and the net that goes with them.
  const webhooks = isGone
    ? await each(CONFIGURATION, configurations.found, (name) => removed(kube, CONFIGURATION, name, marked.get(name)))
    : ignoring;
  // Without webhooks, a net that still rejects would reject every pod.
  const kept = options.remove && !isGone ? webhooks.done.map(keptFor) : [];
  const policies = options.remove ? (await findPolicies(kube)).found : [];
  const { done } = await each(POLICY, policies, (name) => removed(kube, POLICY, name));
  const parts = [nets, made, webhooks];
  // A policy without bindings does nothing: that one stays is no reason for alarm.
  const left = [bindings, configurations, ...parts].flatMap(({ left }) => left);
  return { done: [...parts.flatMap(({ done }) => done), ...done], left: [...left, ...kept] };
}

function keptFor(sentence: string): NotSwitchedOff {
  const [, name = ""] = sentence.split(" ");
  return {
    what: `MutatingWebhookConfiguration ${name}`,
    problem: "it is kept, because the safety net still rejects pods without a sidecar: remove the net first",
    kubectl: `kubectl delete mutatingwebhookconfiguration ${name}`,
  };
}

const CONFIGURATION: OwnKind = "MutatingWebhookConfiguration";
const BINDING: OwnKind = "ValidatingAdmissionPolicyBinding";
const POLICY: OwnKind = "ValidatingAdmissionPolicy";

async function each(
  kind: OwnKind,
  names: readonly string[],
  change: (name: string) => Promise<string | undefined>,
): Promise<SwitchedOff> {
  const done: string[] = [];
  const left: NotSwitchedOff[] = [];
  for (const name of names) {
    try {
      const sentence = await change(name);
      if (sentence !== undefined) done.push(`${kind} ${name} ${sentence}`);
    } catch (error) {
      const cause = ownError(error);
      const kubectl = `kubectl delete ${kind.toLowerCase()} ${name}`;
      left.push({ what: `${kind} ${name}`, problem: cause.message, cause, kubectl });
    }
  }
  return { done, left };
}

/** @param version as it was marked: of another one that has been made since, the next pass decides */
async function removed(kube: KubeClient, kind: OwnKind, name: string, version?: string): Promise<string | undefined> {
  try {
    const isGone = await retryingConflicts(() => kube.remove(pathOf(kind, name), version));
    return isGone ? "is removed" : undefined;
  } catch (error) {
    if (version !== undefined && isOwnError(error, "cluster-conflict")) return undefined;
    throw error;
  }
}

async function switchNetOff(kube: KubeClient, name: string, { remove, at }: SwitchOffOptions) {
  if (remove) return removed(kube, BINDING, name);
  // The mark is a change also where the net only warns already: a command that is about to apply a stricter one is stopped.
  const patch = { metadata: { annotations: { [objectKeys.off]: at } }, spec: { validationActions: ["Warn"] } };
  const patched = await retryingConflicts(() => kube.mergePatch(pathOf(BINDING, name), patch));
  return patched === undefined ? undefined : "only warns";
}

async function ignoreFailures(
  kube: KubeClient,
  name: string,
  at: string,
  isNetOff: boolean,
  marked: Map<string, string | undefined>,
): Promise<string | undefined> {
  const path = pathOf(CONFIGURATION, name);
  const change = { failurePolicy: "Ignore", ...(isNetOff ? { timeoutSeconds: 1 } : {}) };
  const metadata = { annotations: { [objectKeys.off]: at } };
  let manager: string | undefined;
  const patched = await retryingConflicts(async () => {
    const object = await kube.get(path).catch(unlessDenied);
    if (object === undefined) return undefined;
    manager = object === "denied" ? undefined : managerOf(object);
    // Without the permission to read: by name, as the webhooks of a revision are called.
    if (object === "denied") return patchByName(kube, path, metadata, change);
    const { resourceVersion } = object["metadata"] as JsonObject;
    const annotations = { [objectKeys.off]: markFor(object, at) };
    // A merge patch replaces lists whole, so the version makes it fail if the list has changed since it was read.
    const webhooks = objectsOf(object["webhooks"]).map((webhook) => ({ ...webhook, ...change }));
    return kube.mergePatch(path, { metadata: { annotations, resourceVersion: resourceVersion ?? "" }, webhooks });
  });
  if (patched === undefined) return undefined;
  marked.set(name, textOf(objectOf(patched["metadata"])["resourceVersion"]));
  const undone = manager === undefined ? "" : `; ${manager} manages it and may switch it on again: suspend its sync`;
  return isNetOff
    ? `ignores failures; its calls may take one second${undone}`
    : `ignores failures; its timeout is unchanged, because the safety net still rejects${undone}`;
}

/** A mark that was not there before, which stops a registration that runs. Since when it is off stays in it. */
function markFor(object: JsonObject, at: string): string {
  const [since] = (offMarkOf(object) ?? "").split(", again ");
  return since ? `${since}, again ${at}` : at;
}

/** One webhook at a time: the API server refuses a patch that names one that the configuration does not have. */
async function patchByName(kube: KubeClient, path: string, metadata: JsonObject, change: JsonObject) {
  let patched: JsonObject | undefined;
  for (const { name } of selectorsOf(DEFAULT_REVISION, [], true)) {
    const webhooks = [{ name: `${name}.sidecar-injector.outrigger`, ...change }];
    try {
      patched = await kube.mergePatch(path, { metadata, webhooks }, { byName: true });
    } catch (error) {
      ownError(error, "cluster-refused");
    }
    if (patched === undefined) return undefined;
  }
  return patched;
}

const TRIES = 6;

/** @param change reads the object and writes it, each time it is called: another may change the object in between */
async function retryingConflicts<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!isOwnError(error, "cluster-conflict") || attempt === TRIES) throw error;
    }
  }
}
