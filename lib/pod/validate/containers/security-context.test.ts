import { describe, expect, it } from "vitest";
import { violationsInContainer, violationsInSpec } from "../../../../test/support/violations-in.ts";

const RELATIVE = 'must be a relative path without ".." as a part';
const PROFILE_TYPES = "must be one of Localhost, RuntimeDefault, Unconfined";
const ID = "must be between 0 and 2147483647";

const ofContainer = (securityContext: object) =>
  violationsInContainer({ securityContext: securityContext as never }).map((text) =>
    text.replace("securityContext.", ""),
  );
const ofPod = (securityContext: object, spec: object = {}) =>
  violationsInSpec({ ...spec, securityContext: securityContext as never }, "spec.securityContext");

describe("the security context of a container", () => {
  it.each<[object, readonly string[]]>([
    [{ runAsUser: 0, runAsGroup: 2147483647 }, []],
    [{ runAsUser: -1 }, [`runAsUser invalid: ${ID}`]],
    [{ runAsGroup: 2147483648 }, [`runAsGroup invalid: ${ID}`]],
    [{ procMount: "Default" }, []],
    [{ procMount: "Masked" }, ["procMount not-supported: must be one of Default, Unmasked"]],
    [{ procMount: "Unmasked" }, ["procMount invalid: must not be Unmasked unless spec.hostUsers is false"]],
    [{ allowPrivilegeEscalation: false, capabilities: { add: ["SYS_ADMIN"] } }, []],
    [{ allowPrivilegeEscalation: true, privileged: true, capabilities: { add: ["CAP_SYS_ADMIN"] } }, []],
    [
      { allowPrivilegeEscalation: false, privileged: true, capabilities: { add: ["A", "CAP_SYS_ADMIN"] } },
      [
        "allowPrivilegeEscalation invalid: must not be false when privileged is true",
        "allowPrivilegeEscalation invalid: must not be false with the capability CAP_SYS_ADMIN",
      ],
    ],
  ])("%j is refused for %j", (context, expected) => {
    expect(ofContainer(context)).toEqual(expected);
  });

  it("may be unmasked where the pod has users of its own", () => {
    expect(violationsInContainer({ securityContext: { procMount: "Unmasked" } }, { hostUsers: false })).toEqual([]);
  });
});

describe.each(["seccompProfile", "appArmorProfile"])("%s of a pod and of a container", (field) => {
  it.each<[object, readonly string[]]>([
    [{ type: "RuntimeDefault" }, []],
    [{ type: "Unconfined" }, []],
    [{ type: "Localhost", localhostProfile: "a/b..c" }, []],
    [{ type: "" }, ["type required: is required"]],
    [{ type: "Other" }, [`type not-supported: ${PROFILE_TYPES}`]],
    [{ type: "Localhost" }, ["localhostProfile required: is required with type: Localhost"]],
    [
      { type: "RuntimeDefault", localhostProfile: "a" },
      ["localhostProfile invalid: must not be set unless type is Localhost"],
    ],
    [
      { type: "Unconfined", localhostProfile: "a" },
      ["localhostProfile invalid: must not be set unless type is Localhost"],
    ],
  ])("%j is refused for %j", (profile, expected) => {
    const prefixed = expected.map((text) => `${field}.${text}`);
    expect(ofContainer({ [field]: profile })).toEqual(prefixed);
    expect(ofPod({ [field]: profile })).toEqual(prefixed);
  });
});

describe("a profile of the node", () => {
  it.each(["/a", "..", "a/../b", "../a"])("of seccomp is not at %s", (localhostProfile) => {
    expect(ofContainer({ seccompProfile: { type: "Localhost", localhostProfile } })).toEqual([
      `seccompProfile.localhostProfile invalid: ${RELATIVE}`,
    ]);
  });

  it.each<[string, readonly string[]]>([
    ["/any/path", []],
    [" a", ["invalid: must not start or end with a blank"]],
    ["a\t", ["invalid: must not start or end with a blank"]],
    ["", ["required: is required with type: Localhost"]],
    ["a".repeat(4095), []],
    ["a".repeat(4096), ["too-long: must be at most 4095 bytes"]],
    ["€".repeat(1365), []],
    [`${"€".repeat(1365)}a`, ["too-long: must be at most 4095 bytes"]],
  ])("of AppArmor has a name: %j", (localhostProfile, expected) => {
    expect(ofContainer({ appArmorProfile: { type: "Localhost", localhostProfile } })).toEqual(
      expected.map((text) => `appArmorProfile.localhostProfile ${text}`),
    );
  });
});

describe("windowsOptions of a pod and of a container", () => {
  const USER = 'must not have any of "/\\:;|=,+*?<>@[] in the user name';
  const NETBIOS = "must have a NetBIOS or DNS name before the backslash";
  it.each<[string, string | undefined]>([
    ["ContainerAdministrator", undefined],
    ["a b.c", undefined],
    ["u".repeat(104), undefined],
    ["DOMAIN\\user", undefined],
    ["a b\\user", undefined],
    ["sub.example-1.com\\user", undefined],
    [`${"d".repeat(15)}\\u`, undefined],
    [`${"d".repeat(63)}.com\\u`, undefined],
    ["", "must not be empty"],
    ["a\u0000b", "must not contain control characters"],
    ["a\u001f", "must not contain control characters"],
    ["\u007fa", "must not contain control characters"],
    ["a\\b\\c", "must contain at most one backslash"],
    ["\\user", NETBIOS],
    [".a\\user", NETBIOS],
    [`${"d".repeat(64)}\\u`, NETBIOS],
    [`${"d.".repeat(127)}dd\\u`, NETBIOS],
    [`-${"a".repeat(15)}.com\\u`, NETBIOS],
    [`${"a".repeat(15)}-.com\\u`, NETBIOS],
    ["a?b\\u", NETBIOS],
    ["DOMAIN\\", "must have a user name of 1 to 104 characters"],
    ["u".repeat(105), "must have a user name of 1 to 104 characters"],
    [". .", "must not have a user name of periods and blanks only"],
    ...[...'"/:;|=,+*?<>@[]'].map((sign): [string, string] => [`a${sign}b`, USER]),
  ])("runAsUserName %j: %s", (runAsUserName, message) => {
    const expected = message === undefined ? [] : [`windowsOptions.runAsUserName invalid: ${message}`];
    expect(ofContainer({ windowsOptions: { runAsUserName } })).toEqual(expected);
    expect(ofPod({ windowsOptions: { runAsUserName } })).toEqual(expected);
  });

  it.each<[object, readonly string[]]>([
    [{ gmsaCredentialSpecName: "a.b", gmsaCredentialSpec: "{}" }, []],
    [{ gmsaCredentialSpecName: "A" }, [expect.stringContaining("gmsaCredentialSpecName invalid: must be a DNS name")]],
    [{ gmsaCredentialSpec: "" }, ["gmsaCredentialSpec invalid: must be between 1 byte and 64 KiB"]],
    [{ gmsaCredentialSpec: "x".repeat(65536) }, []],
    [{ gmsaCredentialSpec: "x".repeat(65537) }, ["gmsaCredentialSpec invalid: must be between 1 byte and 64 KiB"]],
    [{ gmsaCredentialSpec: "€".repeat(21845) }, []],
    [{ gmsaCredentialSpec: "€".repeat(21846) }, ["gmsaCredentialSpec invalid: must be between 1 byte and 64 KiB"]],
  ])("of group-managed service accounts (case %#)", (windowsOptions, expected) => {
    expect(ofContainer({ windowsOptions }).map((text) => text.replace("windowsOptions.", ""))).toEqual(expected);
  });
});

describe("the security context of a pod", () => {
  it.each<[object, readonly string[]]>([
    [{ fsGroup: -1 }, [`fsGroup invalid: ${ID}`]],
    [{ runAsUser: -1 }, [`runAsUser invalid: ${ID}`]],
    [{ runAsGroup: 2147483648 }, [`runAsGroup invalid: ${ID}`]],
    [{ fsGroup: 0, runAsUser: 2147483647, supplementalGroups: [0, 2147483647] }, []],
    [
      { supplementalGroups: [1, -1, 2147483648] },
      [`supplementalGroups[1] invalid: ${ID}`, `supplementalGroups[2] invalid: ${ID}`],
    ],
    [
      { fsGroupChangePolicy: "OnRootMismatch", supplementalGroupsPolicy: "Strict", seLinuxChangePolicy: "Recursive" },
      [],
    ],
    [{ fsGroupChangePolicy: "Always", supplementalGroupsPolicy: "Merge" }, []],
    [{ fsGroupChangePolicy: "x" }, ["fsGroupChangePolicy not-supported: must be one of OnRootMismatch, Always"]],
    [{ supplementalGroupsPolicy: "x" }, ["supplementalGroupsPolicy not-supported: must be one of Merge, Strict"]],
    [{ seLinuxChangePolicy: "x" }, ["seLinuxChangePolicy not-supported: must be one of Recursive"]],
    [{ sysctls: [{ name: "" }] }, ["sysctls[0].name required: is required"]],
    [{ sysctls: [{ name: "A" }] }, ["sysctls[0].name invalid: must be a sysctl name, like net.core.somaxconn"]],
    [{ sysctls: [{ name: "a.b" }, { name: "a.b" }] }, ['sysctls[1].name duplicate: "a.b" is listed twice']],
  ])("%j is refused for %j", (context, expected) => {
    expect(ofPod(context)).toEqual(expected);
  });

  it.each(["net.core.somaxconn", "net/core/somaxconn", "net/a.b"])(
    "sets no sysctl %s of its node's network",
    (name) => {
      expect(ofPod({ sysctls: [{ name }] })).toEqual([]);
      expect(ofPod({ sysctls: [{ name }] }, { hostIPC: true })).toEqual([]);
      expect(ofPod({ sysctls: [{ name }] }, { hostNetwork: true })).toEqual([
        "sysctls[0].name invalid: must not be set when hostNetwork is true",
      ]);
    },
  );

  const ipc = "sem shmall shmmax shmmni shm_rmid_forced shm msgmax msgmnb msgmni msg".split(" ");
  it.each([...ipc.map((name) => `kernel.${name}`), "kernel/sem", "fs.mqueue.x", "fs/mqueue/x"])(
    "sets no sysctl %s of its node's IPC",
    (name) => {
      expect(ofPod({ sysctls: [{ name }] }, { hostNetwork: true })).toEqual([]);
      expect(ofPod({ sysctls: [{ name }] }, { hostIPC: true })).toEqual([
        "sysctls[0].name invalid: must not be set when hostIPC is true",
      ]);
    },
  );

  it.each(["vm.a", "kernel.other", "a.net.b", "fs.other"])("sets the sysctl %s anywhere", (name) => {
    expect(ofPod({ sysctls: [{ name }] }, { hostNetwork: true, hostIPC: true })).toEqual([]);
  });

  it("does not share processes and have those of the host", () => {
    expect(violationsInSpec({ shareProcessNamespace: true, hostPID: true })).toEqual([
      "shareProcessNamespace invalid: must not be true when hostPID is",
    ]);
    expect(violationsInSpec({ shareProcessNamespace: true })).toEqual([]);
    expect(violationsInSpec({ hostPID: true })).toEqual([]);
  });
});
