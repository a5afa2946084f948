// What a cluster's API server is asked for the checks: its version, permissions, and the safety net. Reads only.
import { DEFAULT_REVISION, isObject, type JsonObject, listOf, objectOf } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { isAbsentKind } from "../objects/absent-kind.ts";
import { findOwn, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { pathOf } from "../objects/own-kinds.ts";
import { nameOf } from "../objects/own-objects.ts";
import type { NetFacts, PermissionFacts } from "./facts.ts";
import { requiredPermissions } from "./required-permissions.ts";

/** `v1.33.4-eks-99d6cc0` */
export async function readVersion(kube: KubeClient): Promise<string> {
  const version = await kube.get("/version");
  return String(version?.["gitVersion"] ?? "of unknown version").replace(/^v/, "");
}

/** Asks the API server what this principal may do of what the commands need. */
export async function readPermissions(
  kube: KubeClient,
  installed: readonly InstalledWebhook[],
  istioNamespace: string,
): Promise<readonly PermissionFacts[]> {
  const revisions = installed.length > 0 ? [...new Set(installed.map(({ revision }) => revision))] : [DEFAULT_REVISION];
  const tags = installed.flatMap(({ tag }) => tag ?? []);
  return Promise.all(
    requiredPermissions({ revisions, tags, istioNamespace }).map(async (resourceAttributes) => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
      };
      const { status } = await kube.review("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
      const isAllowed = isObject(status) && status["allowed"] === true;
      const { group, resource, verb, name, namespace } = resourceAttributes;
      const what = `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
      const place = namespace === undefined ? "" : ` in ${namespace}`;
      return { what: `${what}${name === undefined ? "" : ` ${name}`}${place}`, isAllowed };
    }),
  );
}

export async function readNet(kube: KubeClient, deployment: string): Promise<NetFacts> {
  try {
    for await (const _ of kube.list(pathOf("ValidatingAdmissionPolicyBinding"), { limit: "1" })) break;
  } catch (error) {
    if (await isAbsentKind(kube, "ValidatingAdmissionPolicyBinding", error))
      return { isServed: false, bindings: [], policies: [], warnings: [] };
    throw error;
  }
  const policies = await findOwn(kube, "ValidatingAdmissionPolicy", deployment);
  return {
    isServed: true,
    bindings: await findOwn(kube, "ValidatingAdmissionPolicyBinding", deployment),
    policies: policies.map(nameOf),
    warnings: policies.flatMap(warningsOf),
  };
}

function warningsOf({ status }: JsonObject): readonly string[] {
  const checked = isObject(status) ? status["typeChecking"] : undefined;
  const found = listOf(objectOf(checked)["expressionWarnings"]);
  return found.filter(isObject).map((one) => `${String(one["fieldRef"])}: ${String(one["warning"])}`);
}
