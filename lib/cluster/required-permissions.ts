// What registering, looking and switching off ask of an API server: the ClusterRole of docs/register.md as data.

export interface Permission {
  /** "" is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

const OWN_KINDS = ["mutatingwebhookconfigurations", "validatingadmissionpolicies", "validatingadmissionpolicybindings"];
const WRITE = ["get", "list", "create", "patch", "update", "delete"];

export const requiredPermissions: readonly Permission[] = [
  ...OWN_KINDS.flatMap((resource) => WRITE.map((verb) => ({ group: "admissionregistration.k8s.io", resource, verb }))),
  { group: "apps", resource: "deployments", verb: "list" },
  { group: "", resource: "configmaps", verb: "get" },
  { group: "", resource: "namespaces", verb: "list" },
  { group: "", resource: "pods", verb: "list" },
  { group: "", resource: "pods", verb: "create" },
];
