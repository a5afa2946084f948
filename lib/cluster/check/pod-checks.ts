// The checks of pods: whether they can be made, are injected, and are as new ones would be. Pure.
import { plural } from "@outrigger/base";
import { enablingLabel } from "@outrigger/webhook";
import type { Checks } from "./check.ts";
import { failing, ok, some, unchecked, untried, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

/** A controller tries again after a quarter of an hour at the latest: what is older has passed. */
const RECENT = 20 * 60_000;

export const podChecks = {
  created: {
    isEarly: false,
    doc: "Within 20 minutes, no controller failed to make a pod because of quotas, Pod Security, webhooks or policies, or it has made one since. Error: one did: the fix depends on the cause.",
    judge: ofCluster("creationFailures", (all, _cluster, { now }) => {
      const found = all.filter(({ at }) => now - at < RECENT);
      const [first] = found;
      if (first === undefined) return ok("no controller failed to make its pods");
      const seen = found.map(
        ({ namespace, owner, message }) => `${namespace}/${owner} cannot make its pods: ${message}`,
      );
      return failing(some(seen, 2), first.remediation);
    }),
  },

  injected: {
    isEarly: false,
    doc: "Every running pod that should have a sidecar has one, or waits for a later phase. Error: a pod has none: restart it if a new one would have one. `outrigger pods --state missing` lists all, with the reason of each.",
    judge: ofCluster("running", ({ pods, injected, uninjected, unlabelled }, { installed }, { flags }) => {
      const [webhook] = installed.known ? installed.value : [];
      const enabling = enablingLabel(webhook?.settings?.injectionLabel);
      const count = `${injected} of ${pods} pods have a sidecar`;
      const silent = `; namespaces without a label ${enabling.split("=")[0]}, whose pods ask for nothing: ${some(unlabelled)} (kubectl label namespace NAME ${enabling}, if they should have one)`;
      if (uninjected.length === 0) {
        return ok(`${count}, and no other should have one${unlabelled.length === 0 ? "" : silent}`);
      }
      const seen = some(uninjected.map(({ namespace, name, reason }) => `${namespace}/${name}: ${reason}`));
      const look = `outrigger pods --state missing${flags.cluster}`;
      const isCurable = uninjected.every(({ isRestartable = false }) => isRestartable);
      const fix = isCurable ? `outrigger restart${flags.cluster}, or look first: ${look}` : look;
      // As it was asked for: one looks at this before the next phase.
      const isWaiting = uninjected.every(({ reason }) => reason.startsWith("the rollout"));
      return isWaiting
        ? ok(`${count}; ${uninjected.length} wait for the rollout: ${seen}`)
        : failing(`${count}; ${uninjected.length} should have one: ${seen}`, fix);
    }),
  },

  current: {
    isEarly: false,
    doc: "New pods would be the same as those that run. Warning: some would differ: [restart them](running-pods.md#restart-what-differs).",
    judge: ofCluster("running", ({ pods, unjudged, workloads, outdated }, _cluster, { flags }) => {
      if (unjudged !== undefined) return unchecked(unjudged);
      const looked = `${pods} pods that were looked at`;
      if (outdated.length === 0) return ok(`${looked}: all are as new ones would be`);
      const seen = `${looked}: ${outdated.length} of ${workloads} workloads would come out differently: ${some(outdated)}`;
      return warning(seen, `outrigger restart${flags.cluster}, or look first: outrigger pods${flags.cluster}`);
    }),
  },

  sampled: {
    isEarly: false,
    doc: "Samples take every branch of the templates that the pods take. Not tried: an edit of some branches is tried with no pod before it is published: [write samples of those pods](testing-templates.md#samples-of-the-pods-that-you-run).",
    judge: ofCluster("running", ({ pods, unjudged, unsampled }, _cluster, { flags }) => {
      if (unjudged !== undefined) return unchecked(unjudged);
      const { branches, workloads } = unsampled;
      if (branches.length === 0)
        return ok(`samples take every branch of the templates that ${count(pods, "pod")} take`);
      const seen = `${count(unsampled.pods, "pod")} in ${count(workloads, "workload")} ${plural(unsampled.pods, "takes", "take")} branches that no sample takes: ${some(branches)}`;
      return untried(`${seen}; outrigger samples${flags.cluster} writes samples`);
    }),
  },
} satisfies Checks;

function count(number: number, what: string): string {
  return `${number} ${plural(number, what)}`;
}
