// The checks of pods: other webhooks on their way into the cluster, workloads that were tried, pods that controllers could not make, and
// running ones that have no sidecar, or one of an older release. Pure.
import { failing, ok, some, unchecked, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

/** A controller tries again after a quarter of an hour at the latest: what is older has passed. */
const RECENT = 20 * 60_000;

export const admissionChecks = {
  "other-webhooks": ofCluster("otherWebhooks", (found) => {
    const broken = found.filter(({ problem }) => problem !== undefined);
    const [first] = broken;
    if (first !== undefined) {
      const seen = broken.map(({ name, problem, isConditional }) => {
        const which = isConditional ? "pods that its conditions choose are rejected" : "pods are rejected";
        return `${which}, because ${problem} (${name}, failurePolicy Fail)`;
      });
      return failing(some(seen), first.remediation ?? "");
    }
    const strict = found.filter(({ failurePolicy }) => failurePolicy === "Fail").length;
    return ok(`${found.length} other webhooks get pods of the selected namespaces, ${strict} of them may reject them`);
  }),

  workloads: ofCluster("workloads", ({ tried, selected, left }, _cluster, { flags }) => {
    const rejected = tried.flatMap(({ workload, answer }) =>
      answer.kind === "rejected" ? [{ workload, answer }] : [],
    );
    const [first] = rejected;
    if (first !== undefined) {
      const seen = rejected.map(({ workload, answer }) => `${workload} is rejected: ${answer.message}`);
      return failing(some(seen, 2), first.answer.remediation);
    }
    const admitted = tried.flatMap(({ answer, ...one }) => (answer.kind === "admitted" ? [{ ...one, answer }] : []));
    const without = admitted.filter(({ answer, isExpected }) => isExpected && !answer.isInjected);
    if (without.length > 0) {
      const seen = `admitted without a sidecar: ${some(without.map(({ workload }) => workload))}; the call fails and is ignored, or another webhook takes the sidecar away`;
      return failing(seen, `outrigger explain deploy/NAME, and outrigger check${flags.cluster} above`);
    }
    const blocked = admitted.flatMap(({ workload, answer }) =>
      answer.obstacles.map(({ problem, remediation }) => ({ seen: `${workload}: ${problem}`, remediation })),
    );
    const [obstacle] = blocked;
    if (obstacle !== undefined) return warning(some(blocked.map(({ seen }) => seen)), obstacle.remediation);
    const untried = tried.length - admitted.length;
    const reasons = new Set(tried.flatMap(({ answer }) => (answer.kind === "untried" ? [answer.why] : [])));
    return ok(
      `${admitted.length} workloads tried in their own namespaces, of ${selected} namespaces that are selected` +
        `${untried > 0 ? `; ${untried} not: ${some([...reasons], 1)}` : ""}` +
        `${left > 0 ? `; ${left} namespaces are more than one run tries` : ""}`,
    );
  }),

  created: ofCluster("creationFailures", (all, _cluster, { now }) => {
    const found = all.filter(({ at }) => now - at < RECENT);
    const [first] = found;
    if (first === undefined) return ok("no controller failed to make its pods");
    const seen = found.map(({ namespace, owner, message }) => `${namespace}/${owner} cannot make its pods: ${message}`);
    return failing(some(seen, 2), first.remediation);
  }),

  injected: ofCluster("running", ({ pods, injected, uninjected, unlabelled }, _cluster, { flags }) => {
    const count = `${injected} of ${pods} pods have a sidecar`;
    const silent = `; namespaces without a label istio-injection, whose pods ask for nothing: ${some(unlabelled)} (kubectl label namespace NAME istio-injection=enabled, if they should have one)`;
    if (uninjected.length === 0) {
      return ok(`${count}, and no other should have one${unlabelled.length === 0 ? "" : silent}`);
    }
    const seen = some(uninjected.map(({ namespace, name, reason }) => `${namespace}/${name}: ${reason}`));
    const fix = `outrigger pods --state missing${flags.cluster}`;
    // As it was asked for: one looks at this before the next phase.
    const isWaiting = uninjected.every(({ reason }) => reason.startsWith("the rollout"));
    return isWaiting
      ? ok(`${count}; ${uninjected.length} wait for the rollout: ${seen}`)
      : failing(`${count}; ${uninjected.length} should have one: ${seen}`, fix);
  }),

  current: ofCluster("running", ({ pods, unjudged, workloads, outdated }, _cluster, { flags }) => {
    if (unjudged !== undefined) return unchecked(unjudged);
    const looked = `${pods} pods that were looked at`;
    if (outdated.length === 0) return ok(`${looked}: all are as new ones would be`);
    const seen = `${looked}: ${outdated.length} of ${workloads} workloads would come out differently: ${some(outdated)}`;
    return warning(seen, `outrigger restart${flags.cluster}, or look first: outrigger pods${flags.cluster}`);
  }),
};
