// The questions that are asked of an API server about its caller: may it do what the roles of `outrigger print rbac` allow? Pure.
import { isObject, listOf, objectsOf } from "@outrigger/base";
import { buildRbac, PROBE_NAMESPACE, rbacFeatures } from "@outrigger/webhook";

/** The attributes of an access review. */
export type Permission = {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Missing for a list, and for what is asked of every name. */
  readonly name?: string;
  /** Missing for the whole cluster. */
  readonly namespace?: string;
};

/** @param place where istiod is, and the revisions and tags that are registered or will be */
export function requiredPermissions(place: {
  readonly revisions: readonly string[];
  readonly tags: readonly string[];
  readonly istioNamespace: string;
}): readonly Permission[] {
  const roles = buildRbac({
    ...place,
    features: rbacFeatures,
    probeNamespaces: [PROBE_NAMESPACE],
    group: "",
    name: "",
  });
  return roles.flatMap(({ metadata, rules }) => {
    const namespace = isObject(metadata) ? metadata["namespace"] : undefined;
    return objectsOf(rules).flatMap((rule) => {
      const [[group = ""], [resource = ""], names, verbs] = ["apiGroups", "resources", "resourceNames", "verbs"].map(
        (key) => listOf(rule[key]).map(String),
      ) as [string[], string[], string[], string[]];
      // A role has one rule for all its names: the first is asked about in place of the others.
      const [name] = names;
      return verbs.map((verb) => ({
        group,
        resource,
        verb,
        ...(name === undefined ? {} : { name }),
        ...(typeof namespace === "string" ? { namespace } : {}),
      }));
    });
  });
}
