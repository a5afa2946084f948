import { describe, expect, it } from "vitest";
import { buildRbac, PROBE_NAMESPACE, type RbacFeature, rbacChoices } from "./rbac.ts";

const kindsOf = (features: readonly RbacFeature[], probeNamespaces: readonly string[] = [PROBE_NAMESPACE]) =>
  buildRbac({
    features,
    revisions: ["default"],
    tags: [],
    probeNamespaces,
    istioNamespace: "istio-system",
    group: "outrigger",
    name: "outrigger",
  }).map(({ kind, metadata }) => {
    const { namespace } = metadata as { readonly namespace?: string };
    return namespace === undefined ? kind : `${kind} in ${namespace}`;
  });

describe("buildRbac()", () => {
  it("makes the namespace of the dry run only for a command that makes one", () => {
    expect(kindsOf(["status"]).slice(0, 2)).toEqual(["ClusterRole", "ClusterRoleBinding"]);
    expect(kindsOf(["register"]).slice(0, 3)).toEqual(["Namespace", "ClusterRole", "ClusterRoleBinding"]);
    expect(kindsOf(["register"])).toContain(`Role in ${PROBE_NAMESPACE}`);
    const options = {
      features: ["register"],
      revisions: ["default"],
      tags: [],
      probeNamespaces: [PROBE_NAMESPACE],
    } as const;
    const [namespace] = buildRbac({ ...options, istioNamespace: "istio-system", group: "g", name: "n" });
    expect(namespace).toEqual({ apiVersion: "v1", kind: "Namespace", metadata: { name: PROBE_NAMESPACE } });
  });

  it("makes no namespace of its own where the dry run is elsewhere", () => {
    expect(kindsOf(["register"], ["shop"])).not.toContain("Namespace");
    expect(kindsOf(["register"], ["shop"])).toContain("Role in shop");
  });
});

describe("what a command may do", () => {
  const rulesOf = (feature: RbacFeature) =>
    buildRbac({
      features: [feature],
      revisions: ["default"],
      tags: ["prod"],
      probeNamespaces: [PROBE_NAMESPACE],
      istioNamespace: "istio-system",
      group: "outrigger",
      name: "outrigger",
    }).flatMap(({ rules }) => (rules ?? []) as unknown as readonly Rule[]);

  interface Rule {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }

  const mayDo = (feature: RbacFeature, group: string, resource: string, verb: string) =>
    rulesOf(feature).some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
    );

  it.each<[RbacFeature, string, string, string]>([
    ["register", "", "namespaces", "list"],
    ["register", "", "pods", "create"],
    ["check", "", "namespaces", "list"],
    ["check", "", "pods", "list"],
    ["check", "", "pods", "create"],
    ["check", "apps", "deployments", "list"],
    ["status", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "list"],
    ["audit", "", "pods", "list"],
    ["audit", "", "namespaces", "list"],
    ["explain", "", "namespaces", "get"],
  ])("%s may use %s %s: %s", (feature, group, resource, verb) => {
    expect(mayDo(feature, group, resource, verb)).toBe(true);
  });

  it("never names an empty resource or verb, whatever it is for", () => {
    expect(rbacChoices).toEqual(["register", "check", "status", "audit", "explain", "off", "studio"]);
    for (const feature of rbacChoices) {
      const rules = rulesOf(feature);
      expect(rules.length, feature).toBeGreaterThan(0);
      expect(rules.flatMap(({ resources, verbs }) => [...resources, ...verbs])).not.toContain("");
    }
  });
});
