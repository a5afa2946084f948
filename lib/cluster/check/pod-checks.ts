// The checks of running pods: those without a sidecar that should have one, and those whose sidecar is of an older release. Pure.
import { ofCluster } from "./cluster-checks.ts";
import { failing, judged, ok, some, warning } from "./finding.ts";

export const checkInjected = ofCluster(({ running }, { flags }) =>
  judged(running, ({ pods, injected, uninjected, unlabelled }) => {
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
);

export const checkCurrent = ofCluster(({ running }, { flags }) =>
  judged(running, ({ pods, unjudged, workloads, outdated }) => {
    if (unjudged !== undefined) return { level: "unknown", seen: `could not be checked: ${unjudged}` };
    const looked = `${pods} pods that were looked at`;
    if (outdated.length === 0) return ok(`${looked}: all are as new ones would be`);
    const seen = `${looked}: ${outdated.length} of ${workloads} workloads would come out differently: ${some(outdated)}`;
    return warning(seen, `outrigger restart${flags.cluster}, or look first: outrigger pods${flags.cluster}`);
  }),
);
