// Who loses injection where webhooks are taken away: asked before they are. Reads only.

import { selectedNamespaces } from "../check/dry-runs.ts";
import { readConflictingWebhooks } from "../check/read-cluster.ts";
import { learn } from "../fact.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { findInstalled } from "../objects/installed-webhooks.ts";
import { readNamespaces } from "../pods/running-pods.ts";

/** What is taken away: the webhooks of a deployment, or of one of its revisions; left out, all of Outrigger's. */
interface TakenAway {
  readonly deployment?: string;
  readonly revision?: string;
}

/**
 * Says what taking webhooks away means for new pods, a sentence a line: the namespaces that lose injection, and who injects them from
 * then on. What may not be read is said. Empty where there are no webhooks.
 */
export async function losesInjection(
  kube: KubeClient,
  { deployment, revision }: TakenAway,
): Promise<readonly string[]> {
  const read = await learn(async () => {
    const all = await findInstalled(kube);
    const taken = all.filter(
      (one) =>
        (deployment === undefined || one.deployment === deployment) &&
        (revision === undefined || one.revision === revision),
    );
    if (taken.length === 0) return [];
    const stay = all.filter((one) => !taken.includes(one));
    const namespaces = await readNamespaces(kube);
    const lost = selectedNamespaces(taken, namespaces);
    const kept = selectedNamespaces(stay, lost);
    const others = (await readConflictingWebhooks(kube, deployment, taken, lost)).filter((one) => !one.isBeside);
    const served = new Set([...kept.keys(), ...others.flatMap((one) => one.namespaces)]);
    const without = [...lost.keys()].filter((name) => !served.has(name));
    const heirs = others.map(({ name, namespaces: of }) => `${name} injects pods of ${listText(of)} from then on`);
    const what = without.length === 0 ? "No namespace loses injection by its labels" : lostText(without);
    return [`${what}; pods that run keep their sidecars`, ...heirs];
  });
  return read.known ? read.value : [`Which namespaces lose injection is not known: ${read.why}`];
}

/** Names that are listed before the rest is counted. */
const MOST = 10;

function lostText(names: readonly string[]): string {
  const count = names.length === 1 ? "1 namespace" : `${names.length} namespaces`;
  return `New pods of ${count} get no sidecar from then on: ${listText(names)}`;
}

function listText(names: readonly string[]): string {
  const rest = names.length - MOST;
  return `${names.slice(0, MOST).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
