import { describe, expect, it } from "vitest";
import { refused } from "./judge-injection.ts";
import type { GuardrailKind } from "./kinds.ts";
import { parseGuardrails } from "./parse-guardrails.ts";
import { remedyOf } from "./power.ts";

describe("remedyOf()", () => {
  it.each<[GuardrailKind, string, string]>([
    ["secret", "*-oauth2", "secret:*-oauth2"],
    ["secret", "web-oauth2", "secret:web-oauth2"],
    ["configMap", "*", "configMap:*"],
    ["claim", "data-*", "claim:data-*"],
    ["serviceAccountName", "*", "serviceAccountName:*"],
    ["audience", "vault", "audience:vault"],
    ["audience", "", "audience:*"],
    ["image", "registry.example:5000/a/b:1.2", "image:registry.example:5000/a/b:*"],
    ["image", `a/b@sha256:${"0".repeat(64)}`, "image:a/b@sha256:*"],
    ["field", "spec.containers[*].env[A]", "field:spec.containers[*].env[A]"],
    ["field", "metadata.annotations[a, b]", "field:metadata.annotations[a*b]"],
    ["hostPath", "/run/web", "hostPath:/run/web"],
    ["deletion", "container web", "deletion:container*web"],
    ["root", "a user that may be root", "root"],
    ["escalation", "allowPrivilegeEscalation", "escalation"],
    ["privileged", "", "privileged"],
    ["seLinux", "spc_t", "seLinux:spc_t"],
    ["capability", "SYS_ADMIN", "capability:SYS_ADMIN"],
    ["sysctl", "kernel.msgmax", "sysctl:kernel.msgmax"],
  ])("advises for %s %j an entry that admits it: %s", (kind, value, entry) => {
    expect(remedyOf({ kind, value })).toContain(` add ${entry} to `);
    const guardrails = parseGuardrails(`restricted,${entry}`);
    expect(refused(guardrails, { kind, value, at: [] })).toEqual([]);
  });

  it("advises nothing that the setting does not have", () => {
    expect(remedyOf({ kind: "imageWithoutDigest", value: "a/b:1" })).toBe("change it");
    expect(remedyOf({ kind: "imageReference", value: "a b" })).toBe("change it");
  });
});
