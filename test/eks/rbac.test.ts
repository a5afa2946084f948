// The role of docs/register.md allows what the commands ask of an API server, and nothing that they do not ask.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clusterStatus } from "../../lib/cluster/cluster-status.ts";
import { findUninjected } from "../../lib/cluster/find-uninjected.ts";
import { registerCluster } from "../../lib/cluster/register-cluster.ts";
import { switchOff } from "../../lib/cluster/switch-off.ts";
import { unregisterCluster } from "../../lib/cluster/unregister-cluster.ts";
import type { JsonObject } from "../../lib/json.ts";
import { parseYamlDocuments } from "../../lib/kube/yaml.ts";
import { defaultMeshConfig } from "../../lib/mesh/mesh-config.ts";
import { openClusterLab } from "./cluster-lab.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function documentedRules(): ReadonlySet<string> {
  const [, yaml = ""] = /```yaml\n(# registrars.yaml\n[^`]*)```/.exec(readFileSync("docs/register.md", "utf8")) ?? [];
  const [role] = parseYamlDocuments(yaml, "docs/register.md").map(({ value }) => value as JsonObject);
  const rules = (role?.["rules"] ?? []) as unknown as readonly Rule[];
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
      ),
    ),
  );
}

/** As an API server's authorizer reads a call: `group/resource verb`. */
function permissionOf(call: string): readonly string[] {
  const [method = "", url = "", type = ""] = call.split(" ");
  const [path = ""] = url.split("?");
  const parts = path.split("/").filter((part) => part !== "");
  const group = parts[0] === "apis" ? parts[1] : "";
  const rest = parts.slice(parts[0] === "apis" ? 3 : 2);
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
  const [resource, name] = isNamespaced ? rest.slice(2) : rest;
  const verbs: Readonly<Record<string, string>> = {
    GET: "get",
    PATCH: "patch",
    POST: "create",
    PUT: "update",
    DELETE: "delete",
  };
  const verb = method === "GET" && name === undefined ? "list" : verbs[method];
  // Server-side apply of an object that is not there yet is a creation too.
  const isApply = type === "application/apply-patch+yaml";
  return [`${group}/${resource} ${verb}`, ...(isApply ? [`${group}/${resource} create`] : [])];
}

describe("the ClusterRole of docs/register.md", { timeout: 30_000 }, () => {
  it("allows what the commands ask, and nothing else", async () => {
    const lab = await openClusterLab();
    const { kube } = lab.ports;
    await registerCluster(lab.request({ phase: "cluster", tags: ["a"], safetyNet: "deny" }), lab.ports);
    await clusterStatus(kube, lab.question({ meshConfigOf: () => defaultMeshConfig }));
    await findUninjected(kube, () => undefined);
    for (const kind of ["mutatingwebhookconfigurations", "validatingadmissionpolicies"]) {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}/outrigger-sidecar-injector`;
      lab.api.put(path, { ...lab.api.objects.get(path), strange: true });
    }
    const binding = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/outrigger-sidecar-injector-object`;
    lab.api.put(binding, { ...lab.api.objects.get(binding), strange: true });
    await registerCluster(lab.request(), lab.ports);
    await switchOff(kube, { remove: false, at: "2026-11-21T00:00:00Z" });
    await unregisterCluster(lab.request(), lab.ports, kube);
    await lab.close();
    const asked = new Set(lab.api.calls.flatMap(permissionOf));
    expect([...asked].sort()).toEqual([...documentedRules()].sort());
  });
});
