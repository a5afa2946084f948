// The checks of a cluster: what is there, what this principal may do, what its API server and other webhooks do with pods; what is
// registered; its mesh; and its pods. Pure.
import { DEFAULT_REVISION, listOf, objectOf } from "@outrigger/base";
import { describeSkew, type Skew } from "@outrigger/mesh";
import { imageTag } from "../istio/read-istiods.ts";
import { describeAddress } from "../names/verify-names.ts";
import type { ClusterStatus } from "../status/cluster-status.ts";
import { failing, judged, ok, some, unchecked, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

export const clusterChecks = {
  access: ofCluster("access", ({ version, arn }) => ok(`Kubernetes ${version}${arn === undefined ? "" : `, ${arn}`}`)),

  "other-injectors": ofCluster("conflictingWebhooks", (found) => {
    const [first] = found;
    if (first === undefined) return ok("no other injector selects the same pods");
    const seen = found.map(({ name, namespaces }) => `${name} also selects pods of ${some(namespaces)}`);
    return warning(some(seen), `kubectl delete mutatingwebhookconfiguration ${first.name}`);
  }),

  permissions: ofCluster("permissions", (needed) => {
    const denied = needed.filter(({ isAllowed }) => !isAllowed).map(({ what }) => what);
    if (denied.length === 0) return ok(`${needed.length} permissions, all granted`);
    return failing(`not allowed: ${some(denied)}`, "outrigger print rbac | kubectl apply -f -");
  }),

  "safety-net": ofCluster("net", ({ isServed, bindings, policies, warnings }, { installed }, { flags }) => {
    if (!isServed) return ok("the cluster does not serve policies: no safety net is possible");
    const register = `outrigger register${flags.cluster}`;
    const specs = bindings.map(({ spec }) => objectOf(spec));
    const lost = specs.map(({ policyName }) => String(policyName)).filter((one) => !policies.includes(one));
    if (lost.length > 0) {
      const seen = `the policy ${[...new Set(lost)].join(", ")} is missing: its ${lost.length} bindings reject nothing`;
      return failing(seen, register);
    }
    if (warnings.length > 0) return warning(some(warnings), register);
    const wanted = (installed.known ? installed.value : []).flatMap(({ settings }) => settings?.safetyNet ?? []);
    const actions = new Set(specs.flatMap(({ validationActions }) => listOf(validationActions)));
    if (wanted.includes("deny") && !actions.has("Deny")) {
      return failing("it should reject pods without a sidecar and does not", register);
    }
    if (bindings.length === 0) return ok("none: a pod whose call fails is admitted as failurePolicy says");
    return ok(`${bindings.length} bindings, ${[...actions].join(" and ")}`);
  }),

  "dry-run": ofCluster("dryRuns", (runs, _cluster, { flags }) => {
    const rejected = runs.filter(({ problem }) => problem !== undefined);
    if (rejected.length > 0) {
      const seen = rejected.map(({ sample, problem }) => `${sample} is rejected: ${problem}`);
      return failing(some(seen, 2), "see docs/register.md#when-it-does-not-work");
    }
    const wrong = runs.filter(({ isInjected, isExpected }) => isInjected !== isExpected);
    if (wrong.length > 0) {
      const seen = wrong.map(({ sample, isInjected }) => `${sample} was ${isInjected ? "" : "not "}injected`);
      return failing(`${some(seen)}; the release decides otherwise`, `outrigger register${flags.cluster}`);
    }
    const [first] = runs;
    if (first === undefined) return ok("there are no samples");
    const times = runs.map(({ milliseconds }) => milliseconds);
    const injected = runs.filter(({ isInjected }) => isInjected).length;
    return ok(
      `${injected} of ${runs.length} samples injected, as the release decides, in ${Math.min(...times)} to ${Math.max(...times)} ms (namespace ${first.namespace})`,
    );
  }),

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
};

/** What is registered, next to what is there. */
export const registrationChecks = {
  record: ofCluster("record", (record, { name }, { flags }) => {
    if (record === undefined) return failing(`${name} has no record`, `outrigger register${flags.cluster}`);
    const revisions = Object.entries(record.revisions).map(([revision, channel]) => `${revision} from ${channel}`);
    return ok(`${name} is registered: ${revisions.join(", ")}`);
  }),

  webhooks: ofCluster("status", ({ revisions }, _cluster, { flags }) => {
    const register = `outrigger register${flags.cluster}`;
    if (revisions.length === 0) return failing("no webhook is registered", register);
    const off = revisions.filter((one) => one.off !== undefined);
    if (off.length > 0) {
      return failing(some(off.map((one) => `revision ${one.revision} is off since ${one.off}`)), register);
    }
    const missing = revisions.filter(({ phase }) => phase === "");
    if (missing.length > 0) {
      return failing(`no webhook of revision ${missing.map(({ revision }) => revision).join(", ")}`, register);
    }
    const tagged = (tags: readonly string[]) => tags.map((tag) => `, tag ${tag}`).join("");
    return ok(revisions.map(({ revision, phase, tags }) => `revision ${revision}: ${phase}${tagged(tags)}`).join("; "));
  }),

  drift: ofCluster("status", ({ drift }, _cluster, { flags }) => {
    const own = drift.filter((one) => !isOfMesh(one));
    if (own.length === 0) return ok("everything is as it was registered");
    return failing(some(own.map(inWords)), `outrigger register${flags.cluster}`);
  }),
};

function inWords({ place, expected, actual }: ClusterStatus["drift"][number]): string {
  if (actual === "missing") return `${place} is missing`;
  return expected === "nothing"
    ? `${place} is ${actual} and should not be there`
    : `${place} is ${actual} and not ${expected}`;
}

/** Of the comparison of a cluster with its registration, what is about the mesh config. */
function isOfMesh({ place }: ClusterStatus["drift"][number]): boolean {
  return place.startsWith("mesh config");
}

const NO_ISTIOD = ok("there is no istiod in this cluster");
const UPGRADE = "move the revision's channel to a release with istiod's version: docs/istio-releases.md";

export const meshChecks = {
  istiod: ofCluster("istiods", (found, { proxyImages }) =>
    judged(proxyImages, (images) => {
      if (found.length === 0) return NO_ISTIOD;
      const skews = found.flatMap(({ image, revision }) => {
        const proxy = images[revision] ?? images[DEFAULT_REVISION];
        return proxy === undefined ? [] : [{ revision, ...describeSkew(imageTag(proxy), imageTag(image)) }];
      });
      const seen = (kinds: readonly Skew["kind"][]) => {
        const own = skews.filter(({ kind }) => kinds.includes(kind));
        return some(own.map(({ revision, message }) => `revision ${revision}: ${message}`));
      };
      const unsupported = seen(["proxies-ahead", "proxies-behind"]);
      if (unsupported !== "") return failing(unsupported, UPGRADE);
      const behind = seen(["supported"]);
      if (behind !== "") return warning(behind, UPGRADE);
      return ok(skews.length === 0 ? "no proxy image is known" : seen(["none", "unknown"]));
    }),
  ),

  /** Proxies connect to the istiod of their revision. */
  revision: ofCluster("istiods", (found, { installed }) =>
    judged(installed, (webhooks) => {
      if (found.length === 0) return NO_ISTIOD;
      const there = new Set(found.map(({ revision }) => revision));
      const alone = [...new Set(webhooks.map(({ revision }) => revision))].filter((revision) => !there.has(revision));
      if (alone.length === 0) return ok(`istiod of revision ${[...there].join(", ")}`);
      const seen = `no istiod has revision ${alone.join(", ")}; there is ${[...there].join(", ")}`;
      return warning(seen, `istioctl install --revision ${alone[0]}, or register another --revision`);
    }),
  ),

  "mesh-config": ofCluster("status", ({ drift }) => {
    const own = drift.filter(isOfMesh);
    if (own.length === 0) return ok("sidecars and istiod have the same mesh config");
    const places = own.map(({ place, expected, actual }) => `${place} is ${actual}, and ${expected} in istiod`);
    return warning(some(places), "edit source/mesh: docs/configuration.md");
  }),

  discovery: ofCluster("addresses", (verified) => {
    const wrong = verified.filter(({ problem }) => problem !== undefined);
    if (wrong.length > 0) return failing(some(wrong.map(describeAddress)), "fix discoveryAddress, then outrigger push");
    return ok(some(verified.map(({ name }) => name)));
  }),
};

/** A controller tries again after a quarter of an hour at the latest: what is older has passed. */
const RECENT = 20 * 60_000;

export const podChecks = {
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
