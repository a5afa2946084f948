// The checks of a cluster: what is registered, what else is there, what this principal may do, and what its API server does
// with pods. Pure.
import { listOf, objectOf } from "@outrigger/base";
import type { ClusterStatus } from "../status/cluster-status.ts";
import { failing, ok, some, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

const OF_THE_MESH = "mesh config";

export const clusterChecks = {
  access: ofCluster("access", ({ version, arn }) => ok(`Kubernetes ${version}${arn === undefined ? "" : `, ${arn}`}`)),

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
    const own = drift.filter(({ place }) => !place.startsWith(OF_THE_MESH));
    if (own.length === 0) return ok("everything is as it was registered");
    return failing(some(own.map(inWords)), `outrigger register${flags.cluster}`);
  }),

  "mesh-config": ofCluster("status", ({ drift }) => {
    const own = drift.filter(({ place }) => place.startsWith(OF_THE_MESH));
    if (own.length === 0) return ok("sidecars and istiod have the same mesh config");
    const places = own.map(({ place, expected, actual }) => `${place} is ${actual}, and ${expected} in istiod`);
    return warning(some(places), "edit source/mesh: docs/configuration.md");
  }),

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
};

function inWords({ place, expected, actual }: ClusterStatus["drift"][number]): string {
  if (actual === "missing") return `${place} is missing`;
  return expected === "nothing"
    ? `${place} is ${actual} and should not be there`
    : `${place} is ${actual} and not ${expected}`;
}
