// A policy for a principal that may create pods in order to try them: it admits dry runs only, which make none. RBAC cannot say that.
import type { JsonObject } from "@outrigger/base";

const API = "admissionregistration.k8s.io";

/** What the policy binds. */
interface DryRunPolicyOptions {
  /** The Kubernetes group of the principal: its members create pods as dry runs only, whatever other roles they have. */
  readonly group: string;
  /** The name of the role that the policy belongs to. */
  readonly name: string;
}

/** The policy with its binding. Kubernetes has served their version since 1.30. */
export function buildDryRunPolicy({ group, name }: DryRunPolicyOptions): readonly JsonObject[] {
  const metadata = { name: `dry-runs-of-${name}` };
  const pods = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
  const policy = {
    apiVersion: `${API}/v1`,
    kind: "ValidatingAdmissionPolicy",
    metadata,
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [pods] },
      // JSON's quotes and escapes are CEL's, too.
      matchConditions: [{ name: "group", expression: `${JSON.stringify(group)} in request.userInfo.groups` }],
      validations: [
        {
          expression: "has(request.dryRun) && request.dryRun",
          message: `members of the group ${group} create pods as dry runs only`,
        },
      ],
    },
  };
  const binding = {
    apiVersion: `${API}/v1`,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata,
    spec: { policyName: metadata.name, validationActions: ["Deny"] },
  };
  return [policy, binding];
}
