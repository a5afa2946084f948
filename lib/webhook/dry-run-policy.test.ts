import { describe, expect, it } from "vitest";
import { buildDryRunPolicy } from "./dry-run-policy.ts";
import { buildRbac, rbacChoices } from "./rbac.ts";

const place = { revisions: ["default"], tags: [], probeNamespaces: [], istioNamespace: "istio-system" };
const CREATES_ANYWHERE = (object: ReturnType<typeof buildRbac>[number]) =>
  object["kind"] === "ClusterRole" &&
  (object["rules"] as readonly Readonly<Record<string, readonly string[]>>[]).some(
    ({ resources = [], verbs = [] }) => resources.includes("pods") && verbs.includes("create"),
  );

describe("buildDryRunPolicy()", () => {
  it("quotes a group in CEL, whatever is in it", () => {
    const [policy] = buildDryRunPolicy({ group: 'a"b\\c', name: "n" });
    expect(policy).toMatchObject({
      spec: { matchConditions: [{ expression: '"a\\"b\\\\c" in request.userInfo.groups' }] },
    });
  });

  it.each(rbacChoices)("comes with every role that creates pods in the whole cluster: %s", (feature) => {
    const objects = buildRbac({ ...place, features: [feature], group: "g", name: "n" });
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds.includes("ValidatingAdmissionPolicy")).toBe(objects.some(CREATES_ANYWHERE));
    expect(kinds.includes("ValidatingAdmissionPolicyBinding")).toBe(objects.some(CREATES_ANYWHERE));
  });
});
