// The emergency switch: nothing in the cluster waits for Outrigger any more. Needs the cluster and nothing else. It leaves its mark
// first, which stops a registration that runs, and looks again after each pass: one that had begun may have made objects since.
import { isOwnError, type JsonObject, ownError } from "@outrigger/base";
import { ownAnnotations, ownLabels, ownNames } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { canReject, findObjects, OWN_SELECTOR, offMarkOf, pathOf } from "../objects/own-objects.ts";
import type { NotSwitchedOff, SwitchedOff, SwitchOffOptions } from "./find-to-switch-off.ts";
import { switchOffObjects } from "./switch-off-objects.ts";

/**
 * Admits every pod, whatever happens to the call: failures are ignored, calls may take a second, and the safety net warns
 * instead of rejecting. With `remove`, nothing is called at all. Registering again restores everything.
 */
export async function switchOff(kube: KubeClient, options: SwitchOffOptions): Promise<SwitchedOff> {
  const done = new Set<string>();
  const unmarked = await markOff(kube, options.at);
  for (let round = 1; ; round++) {
    const found = await switchOffObjects(kube, options);
    for (const sentence of found.done) done.add(sentence);
    if (done.size === 0 && found.left.length === 0) done.add(sentenceOfNothing(kube.name, unmarked));
    // A registration that did not see the mark, or that ran meanwhile, has made objects since.
    const isAgain = found.left.length === 0 && (await isOnAgain(kube, options));
    if (!isAgain || round === ROUNDS) return { done: [...done], left: isAgain ? [AGAIN] : found.left };
  }
}

/**
 * A webhook configuration without webhooks: a registration that is running finds it before it makes anything stricter, whatever else
 * has been reached by then. Registering again removes it.
 *
 * @returns why the cluster could not be marked
 */
async function markOff(kube: KubeClient, at: string): Promise<string | undefined> {
  const annotations = { [ownAnnotations.off]: at };
  const metadata = { name: ownNames.offMark, labels: { [ownLabels.revision]: "" }, annotations };
  const mark: JsonObject = { apiVersion: "admissionregistration.k8s.io/v1", kind: CONFIGURATION, metadata };
  const marking = kube.apply(pathOf(CONFIGURATION, ownNames.offMark), mark, { force: true });
  return marking.then(
    () => undefined,
    (error: unknown) => ownError(error).message,
  );
}

const CONFIGURATION = "MutatingWebhookConfiguration";

function sentenceOfNothing(cluster: string, unmarked: string | undefined): string {
  const nothing = `${cluster} has no objects of Outrigger`;
  return unmarked === undefined
    ? `${nothing}; the mark ${ownNames.offMark} stops a registration that is running`
    : `${nothing}; a registration that is running is not stopped, because the cluster cannot be marked (${unmarked}): run this again when it has ended`;
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
  try {
    const objects = (await findObjects(kube)).filter(({ kind }) => kind !== "ValidatingAdmissionPolicy");
    const isOn = ({ kind, object }: (typeof objects)[number]) =>
      canReject(object) || (kind === CONFIGURATION && offMarkOf(object) === undefined);
    return objects.some((one) => remove || isOn(one));
  } catch (error) {
    if (isOwnError(error)) return false;
    throw error;
  }
}
