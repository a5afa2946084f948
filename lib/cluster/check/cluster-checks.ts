// The checks of a cluster: its API server, your rights, other webhooks, and what happens to pods that are created. Pure.
import { DEFAULT_REVISION, listOf, objectOf, plural } from "@outrigger/base";
import { rbacFeatures } from "@outrigger/webhook";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import type { Checks } from "./check.ts";
import { failing, ok, some, untried, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

/** The options that name what is registered, where that is more than the default. */
function rbacFlags(installed: readonly InstalledWebhook[]): string {
  const revisions = [...new Set(installed.map(({ revision }) => revision))];
  const isDefault = revisions.every((revision) => revision === DEFAULT_REVISION);
  const tags = installed.flatMap(({ tag }) => tag ?? []);
  const named = isDefault ? [] : revisions.map((revision) => ` --revision ${revision}`);
  return [...named, ...tags.map((tag) => ` --tag ${tag}`)].join("");
}

export const clusterChecks = {
  access: {
    isEarly: true,
    doc: "The cluster's API server answers you.",
    judge: ofCluster("access", ({ version, arn }) => ok(`Kubernetes ${version}${arn === undefined ? "" : `, ${arn}`}`)),
  },

  "other-injectors": {
    isEarly: true,
    doc: "No other injector claims the same pods by the same labels: istiod's, or another deployment's. With an [`injectionLabel`](configuration.md#a-label-of-your-own), istiod's is no conflict, and Linkerd's and Consul's never are: each keeps what the other adds. Warning: two injectors compete: delete one of the webhooks. Where your release adds no `istio-proxy`, istiod's is taken out of new pods: give the config an `injectionLabel`, or serve other namespaces. Where it adds one beside another mesh, a pod that asks both gets two proxies: let each namespace ask one of them.",
    judge: ofCluster("conflictingWebhooks", ({ found, addsProxy }, _, { flags }) => {
      if (found.length === 0) return ok("no other injector selects the same pods");
      const seen = (of: typeof found) =>
        some(of.map(({ name, namespaces }) => `${name} also selects pods of ${some(namespaces)}`));
      const conflicting = found.filter(({ isBeside }) => !isBeside);
      const [first] = conflicting;
      if (first === undefined) {
        const meshes = addsProxy ? found.filter(({ isMesh }) => isMesh) : [];
        if (meshes.length === 0) return ok(`${seen(found)}: pods keep what each adds`);
        return warning(`${seen(meshes)}: a pod that asks both gets two proxies`, "let each namespace ask one of them");
      }
      const istios = addsProxy ? [] : conflicting.filter(({ isIstios }) => isIstios);
      if (istios.length === 0) {
        return warning(seen(conflicting), `kubectl delete mutatingwebhookconfiguration ${first.name}`);
      }
      const lost = `${seen(istios)}, and the release adds no istio-proxy: new pods lose the one that istiod injects`;
      return warning(lost, `give the config an injectionLabel, or outrigger register${flags.cluster} --revision NAME`);
    }),
  },

  permissions: {
    isEarly: true,
    doc: "You have the roles of `outrigger print rbac` for what you do: for the checks, and in `--section prerequisites` for registering. What other roles you have is said. Error: a permission is missing: apply the role.",
    judge: ofCluster("permissions", ({ needed, asked }, { installed, isWithoutMesh }) => {
      const denied = asked.filter(({ isAllowed }) => !isAllowed);
      const missing = denied.filter(({ features }) => features.includes(needed)).map(({ what }) => what);
      if (missing.length > 0) {
        const named = installed.known ? rbacFlags(installed.value) : "";
        const flags = `${named}${isWithoutMesh ? " --without-istio" : ""}`;
        return failing(`not allowed: ${some(missing)}`, `outrigger print rbac ${needed}${flags} | kubectl apply -f -`);
      }
      if (denied.length === 0) return ok(`${asked.length} permissions, all granted`);
      const without = rbacFeatures.filter((feature) => denied.some(({ features }) => features.includes(feature)));
      return ok(`those to ${needed} are granted; not those of ${without.join(", ")} (outrigger print rbac)`);
    }),
  },

  "safety-net": {
    isEarly: false,
    doc: "With `--safety-net deny`, the bindings deny, and the API server reports no warnings about the policy. Warning: the policy has warnings. Error: pods without a sidecar are not rejected. Register again for both.",
    judge: ofCluster("net", ({ isServed, bindings, policies, warnings }, { installed }, { flags }) => {
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
  },

  "dry-run": {
    isEarly: false,
    doc: "The API server accepts every sample in a dry run, and injects those that the served release injects. Error: a sample is rejected, or the API server does not get the sidecars that the release adds.",
    judge: ofCluster("dryRuns", (runs, _cluster, { flags }) => {
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
  },

  "other-webhooks": {
    isEarly: false,
    doc: "The service of every other webhook with `failurePolicy: Fail` exists. Error: every pod that the webhook selects is rejected: restore its service, or delete the webhook.",
    judge: ofCluster("otherWebhooks", (found) => {
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
      return ok(
        `${found.length} other webhooks get pods of the selected namespaces, ${strict} of them may reject them`,
      );
    }),
  },

  workloads: {
    isEarly: false,
    doc: "In each selected namespace, of 20 at most, a dry run can create a pod of one Deployment. Name the namespaces in `outrigger print rbac --namespace`: what you may not try is left out. Warning: the pod would be created, but could not start or run its sidecar. Error: the pod is rejected, or gets no sidecar.",
    judge: ofCluster("workloads", ({ tried, selected, left }, _cluster, { flags }) => {
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
      const others = tried.length - admitted.length;
      const reasons = new Set(tried.flatMap(({ answer }) => (answer.kind === "untried" ? [answer.why] : [])));
      const seen =
        `${admitted.length} ${plural(admitted.length, "workload")} tried in their own namespaces, of ${selected} ${plural(selected, "namespace that is", "namespaces that are")} selected` +
        `${others > 0 ? `; ${others} not: ${some([...reasons], 1)}` : ""}` +
        `${left > 0 ? `; ${left} namespaces are more than one run tries` : ""}`;
      return admitted.length === 0 && others > 0 ? untried(seen) : ok(seen);
    }),
  },
} satisfies Checks;
