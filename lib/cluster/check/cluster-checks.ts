// The checks of a cluster: what is there, what this principal may do, what its API server and other webhooks do with pods, and what is
// registered. Pure.
import { listOf, objectOf } from "@outrigger/base";
import type { ClusterStatus } from "../status/cluster-status.ts";
import { failing, ofCluster, ok, some, warning } from "./finding.ts";
import { isOfMesh } from "./mesh-checks.ts";

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
