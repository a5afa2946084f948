// The emergency switch: nothing in the cluster waits for Outrigger any more. Needs the cluster and nothing else. It looks again
// after each pass: a registration that ran meanwhile may have made objects, or made them stricter.
import { OutriggerError } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { offMarkOf } from "../objects/baseline.ts";
import { OWN_SELECTOR } from "../objects/object-owner.ts";
import { putOffMark } from "../objects/off-mark.ts";
import { canReject, findObjects } from "../objects/own-objects.ts";
import { switchOffObjects } from "./switch-off-objects.ts";
import type { NotSwitchedOff, SwitchedOff, SwitchOffOptions } from "./switched-off.ts";

/**
 * Admits every pod, whatever happens to the call: failures are ignored, calls may take a second, and the safety net warns
 * instead of rejecting. With `remove`, nothing is called at all. Registering again restores everything.
 */
export async function switchOff(kube: KubeClient, options: SwitchOffOptions): Promise<SwitchedOff> {
  const done = new Set<string>();
  for (let round = 1; ; round++) {
    const found = await switchOffObjects(kube, options);
    for (const sentence of found.done) done.add(sentence);
    if (done.size === 0 && found.left.length === 0) done.add(await putOffMark(kube, options.at));
    // A registration that did not see the mark, or that ran meanwhile, has made objects since.
    const isAgain = found.left.length === 0 && (await isOnAgain(kube, options));
    if (!isAgain || round === ROUNDS) return { done: [...done], left: isAgain ? [AGAIN] : found.left };
  }
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
    const objects = (await findObjects(kube, undefined)).filter(({ kind }) => kind !== "ValidatingAdmissionPolicy");
    const isOn = ({ kind, object }: (typeof objects)[number]) =>
      canReject(object) || (kind === "MutatingWebhookConfiguration" && offMarkOf(object) === undefined);
    return objects.some((one) => remove || isOn(one));
  } catch (error) {
    if (error instanceof OutriggerError) return false;
    throw error;
  }
}
