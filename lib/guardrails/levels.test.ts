import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { GuardrailKind } from "./kinds.ts";
import { effectOf, isForbidden, leftOpen } from "./levels.ts";
import type { Power } from "./power.ts";

const power = (of: Pick<Power, "kind"> & Partial<Power>): Power => ({ value: "", at: ["spec"], ...of });

describe("effectOf()", () => {
  it.each<[what: string, power: Power, effect: string | undefined]>([
    ["its kind's, for a power without one", power({ kind: "privileged" }), "privileges-widened"],
    ["the power's own before its kind's", power({ kind: "field", effect: "pod-may-not-run" }), "pod-may-not-run"],
    ["undefined for what baseline does not forbid", power({ kind: "root" }), undefined],
    ["undefined there, whatever the power's own", power({ kind: "root", effect: "author-changed" }), undefined],
    ["identity-used, which no level forbids", power({ kind: "secret", effect: "identity-used" }), "identity-used"],
    ["undefined for a kind that never waits", power({ kind: "image", effect: "identity-used" }), undefined],
    [
      "undefined for what the mesh's own container needs",
      power({ kind: "capability", value: "NET_RAW", container: "istio-init", isNeeded: true }),
      undefined,
    ],
    [
      "its kind's for the same where it is not needed, whatever the container's name",
      power({ kind: "capability", value: "NET_RAW", container: "istio-init" }),
      "privileges-widened",
    ],
  ])("is %s", (_what, given, effect) => {
    expect(effectOf(given)).toBe(effect);
  });
});

it.each([
  [{ runAsUser: 0, runAsNonRoot: true }, ["root"]],
  [{ runAsUser: 0 }, ["root"]],
  [{ runAsNonRoot: true }, []],
  [{ runAsUser: 1337 }, []],
  [{}, ["root"]],
])("leftOpen() finds of %j whether its user is kept from being root", (securityContext, kinds) => {
  const kept = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
  expect(leftOpen({ securityContext: { ...kept, ...securityContext } }, {}).map(({ kind }) => kind)).toEqual(kinds);
});

describe("isForbidden()", () => {
  it.each<[GuardrailKind, string, baseline: boolean, restricted: boolean]>([
    ["capability", "NET_BIND_SERVICE", false, false],
    ["capability", "CHOWN", false, true],
    ["capability", "SYS_CHROOT", false, true],
    ["capability", "NET_ADMIN", true, true],
    ["hostPath", "/run", true, true],
    ["hostPort", "80", true, true],
    ["sysctl", "net.ipv4.tcp_syncookies", false, false],
    ["sysctl", "kernel.shm_rmid_forced", false, false],
    ["sysctl", "kernel.msgmax", true, true],
    ["serviceAccountName", "admin", true, true],
    ["claim", "data", true, true],
    ["annotation", "note", false, false],
    ["annotation", "vault.example/inject", true, true],
    ["label", "team", false, false],
    ["label", "vault.example/inject", true, true],
    ["identity", "istio-token", true, true],
    ["field", "spec.nodeName", true, true],
    ["privileged", "", true, true],
    ["root", "a user that may be root", false, true],
    ["escalation", "allowPrivilegeEscalation", false, true],
    ["writable", "a root filesystem that can be written", false, false],
    ["image", "a", false, false],
    ["secret", "db", false, false],
    ["csi", "csi.example", false, false],
    ["audience", "vault", false, false],
    ["audience", "", true, true],
    ["audience", "kubernetes", true, true],
    ["audience", "kubernetes.default.svc", true, true],
    ["audience", "https://kubernetes.default.svc.cluster.local", true, true],
    ["audience", "kubernetes.other", false, false],
    ["audience", "https://my-kubernetes", false, false],
    ["audience", "sts.amazonaws.com", true, true],
    ["audience", "sts.amazonaws.com.cn", true, true],
    ["audience", "amazonaws.com", true, true],
    ["audience", "evilamazonaws.com", false, false],
    ["audience", "amazonaws.com.evil", false, false],
  ])("%s %s: at baseline %s, at restricted %s, at no other level", (kind, value, baseline, restricted) => {
    const given = power({ kind, value });
    expect([isForbidden("baseline", given), isForbidden("restricted", given)]).toEqual([baseline, restricted]);
    expect([isForbidden("off", given), isForbidden("privileged", given)]).toEqual([false, false]);
    expect(isForbidden("restricted", { ...given, isNeeded: true })).toBe(false);
  });
});

it.each<[GuardrailKind, string, Power["at"], string | undefined]>([
  ["secret", "db", ["spec", "volumes"], "identity-used"],
  ["secret", "db", ["spec", "imagePullSecrets"], undefined],
  ["secret", "istio.default", ["spec", "volumes"], undefined],
  ["secret", "lightstep.cacert", ["spec", "volumes"], undefined],
  ["secret", "my-istio.default", ["spec", "volumes"], "identity-used"],
  ["csi", "csi.example", ["spec", "volumes"], "identity-used"],
  ["csi", "csi.spiffe.io", ["spec", "volumes"], undefined],
  ["csi", "workloadcertificates.security.cloud.google.com", ["spec", "volumes"], undefined],
  ["configMap", "any", ["spec", "volumes"], undefined],
  ["audience", "sts.amazonaws.com", ["spec", "volumes"], "identity-used"],
  ["audience", "vault", ["spec", "volumes"], undefined],
  ["claim", "data", ["spec", "volumes"], "identity-used"],
  ["hostPath", "/run", ["spec", "volumes"], "privileges-widened"],
  ["image", "a", ["spec", "containers"], undefined],
])("effectOf() of %s %s in %j is %s", (kind, value, at, effect) => {
  expect(effectOf({ kind, value, at })).toBe(effect);
});

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  [
    "nothing",
    {},
    {},
    [
      "capabilities that are not dropped",
      "allowPrivilegeEscalation",
      "a root filesystem that can be written",
      "a user that may be root",
    ],
  ],
  [
    "all",
    {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
    },
    {},
    [],
  ],
  [
    "all but one",
    {
      allowPrivilegeEscalation: true,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["A", "ALL"] },
    },
    {},
    ["allowPrivilegeEscalation"],
  ],
  [
    "a user of the pod",
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    { runAsUser: 7 },
    [],
  ],
  [
    "a user of its own before the pod's",
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] }, runAsUser: 0 },
    { runAsUser: 7 },
    ["a user that may be root"],
  ],
  [
    "other capabilities alone",
    {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: false,
      runAsUser: 1,
      capabilities: { drop: ["NET_RAW"] },
    },
    {},
    ["capabilities that are not dropped", "a root filesystem that can be written"],
  ],
  [
    "a user that is no number",
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsUser: "1", capabilities: { drop: ["ALL"] } },
    {},
    ["a user that may be root"],
  ],
  [
    "no user below 0",
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsUser: -1, capabilities: { drop: ["ALL"] } },
    {},
    ["a user that may be root"],
  ],
])("leftOpen() says of a container that is kept from %s what it is not kept from", (_what, own, pod, values) => {
  const found = leftOpen({ securityContext: own }, { securityContext: pod });
  expect(found.map(({ value }) => value)).toEqual(values);
  for (const { at } of found) expect(at).toEqual(["securityContext"]);
});
