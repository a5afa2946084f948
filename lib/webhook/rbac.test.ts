import { describe, expect, it } from "vitest";
import { buildRbac, PROBE_NAMESPACE, type RbacFeature } from "./rbac.ts";

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
  });

  it("makes no namespace of its own where the dry run is elsewhere", () => {
    expect(kindsOf(["register"], ["shop"])).not.toContain("Namespace");
    expect(kindsOf(["register"], ["shop"])).toContain("Role in shop");
  });
});
