import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { violationsInSpec } from "../../../../test/support/violations-in.ts";

const LABEL = 'must be a DNS label: at most 63 lowercase letters, digits and "-", with a letter or digit at both ends';
const SUBDOMAIN =
  'must be a DNS name: at most 253 lowercase letters, digits, "-" and ".", with a letter or digit at both ends of each part';
const QUALIFIED =
  'must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"';
const LABEL_VALUE = 'must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
const IP = "must be an IP address, like 10.9.8.7 or 2001:db8::ffff";

type Row = readonly [part: JsonObject, expected: readonly string[]];
const inSpec = (part: object) => violationsInSpec(part as JsonObject);

describe("a pod's spec", () => {
  it.each<Row>([
    [{ restartPolicy: "x" }, ["restartPolicy not-supported: must be one of Always, OnFailure, Never"]],
    [{ preemptionPolicy: "x" }, ["preemptionPolicy not-supported: must be one of PreemptLowerPriority, Never"]],
    [{ preemptionPolicy: null }, []],
    [{ activeDeadlineSeconds: 1 }, []],
    [{ activeDeadlineSeconds: 0 }, ["activeDeadlineSeconds invalid: must be between 1 and 2147483647"]],
    [{ activeDeadlineSeconds: 2 ** 31 }, ["activeDeadlineSeconds invalid: must be between 1 and 2147483647"]],
    [{ activeDeadlineSeconds: 2 ** 31 - 1 }, []],
    [{ serviceAccountName: "A" }, [`serviceAccountName invalid: ${SUBDOMAIN}`]],
    [{ serviceAccountName: "a", serviceAccount: "A" }, []],
    [{ serviceAccount: "A" }, [`serviceAccount invalid: ${SUBDOMAIN}`]],
    [{ nodeName: "A" }, [`nodeName invalid: ${SUBDOMAIN}`]],
    [{ priorityClassName: "A" }, [`priorityClassName invalid: ${SUBDOMAIN}`]],
    [{ hostname: "a.b" }, [`hostname invalid: ${LABEL}`]],
    [{ subdomain: "a.b" }, [`subdomain invalid: ${LABEL}`]],
    [{ serviceAccountName: "a.b", nodeName: "a.b", priorityClassName: "a.b", hostname: "a", subdomain: "b" }, []],
    [{ serviceAccountName: "", nodeName: null, priorityClassName: "", hostname: "", subdomain: null }, []],
    [{ runtimeClassName: "" }, [`runtimeClassName invalid: ${SUBDOMAIN}`]],
    [{ runtimeClassName: "a.b" }, []],
    [{ hostnameOverride: "a.b" }, []],
    [{ hostnameOverride: `${"a".repeat(62)}.b` }, []],
    [{ hostnameOverride: `${"a".repeat(63)}.b` }, ["hostnameOverride too-long: must be at most 64 characters"]],
    [{ hostnameOverride: "" }, [`hostnameOverride invalid: ${SUBDOMAIN}`]],
    [
      { hostnameOverride: "a", setHostnameAsFQDN: true, hostNetwork: true },
      [
        "hostnameOverride forbidden: must not be set when setHostnameAsFQDN is true",
        "hostnameOverride forbidden: must not be set when hostNetwork is true",
      ],
    ],
    [
      { nodeSelector: { "-": "a", b: "-" } },
      [`nodeSelector.- invalid: its key ${QUALIFIED}`, `nodeSelector.b invalid: ${LABEL_VALUE}`],
    ],
    [{ containers: [] }, ["containers required: must have at least one container"]],
    [
      { ephemeralContainers: [{ name: "a", image: "b" }] },
      ["ephemeralContainers forbidden: must not be set when a pod is created"],
    ],
    [
      { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
      ["hostNetwork", "hostPID", "hostIPC"].map((key) => `${key} forbidden: must not be true when hostUsers is false`),
    ],
    [{ hostUsers: true, hostNetwork: true, hostPID: true, hostIPC: true }, []],
    [{ readinessGates: [{ conditionType: "a/b" }, {}] }, [`readinessGates[1].conditionType invalid: ${QUALIFIED}`]],
    [{ schedulingGates: [{ name: "a/b" }, {}] }, [`schedulingGates[1].name invalid: ${QUALIFIED}`]],
    [{ schedulingGates: [{ name: "a" }, { name: "a" }] }, ['schedulingGates[1].name duplicate: "a" is listed twice']],
    [
      { schedulingGates: [{ name: "a" }], nodeName: "n" },
      ["nodeName forbidden: must not be set while there are schedulingGates"],
    ],
    [{ nodeName: "n", schedulingGates: [] }, []],
  ])("with %j is refused for %j", (part, expected) => {
    expect(inSpec(part)).toEqual(expected);
  });

  it.each<Row>([
    [{ name: "a", resourceClaimName: "b.c" }, []],
    [{ name: "a", resourceClaimTemplateName: "b.c" }, []],
    [{ name: "A", resourceClaimName: "b" }, [`resourceClaims[0].name invalid: ${LABEL}`]],
    [{ resourceClaimName: "b" }, ["resourceClaims[0].name required: is required"]],
    [{ name: "a" }, ["resourceClaims[0] invalid: must have either a resourceClaimName or a resourceClaimTemplateName"]],
    [
      { name: "a", resourceClaimName: "b", resourceClaimTemplateName: "c" },
      ["resourceClaims[0] invalid: must have either a resourceClaimName or a resourceClaimTemplateName"],
    ],
    [{ name: "a", resourceClaimName: "" }, [`resourceClaims[0].resourceClaimName invalid: ${SUBDOMAIN}`]],
    [
      { name: "a", resourceClaimTemplateName: "B" },
      [`resourceClaims[0].resourceClaimTemplateName invalid: ${SUBDOMAIN}`],
    ],
  ])("with the resource claim %j is refused for %j", (claim, expected) => {
    expect(inSpec({ resourceClaims: [claim] })).toEqual(expected);
  });

  it("has resource claims of different names", () => {
    const claim = { name: "a", resourceClaimName: "b" };
    expect(inSpec({ resourceClaims: [claim, { ...claim }] })).toEqual([
      'resourceClaims[1].name duplicate: must be unique: another claim is named "a"',
    ]);
  });
});

describe("the DNS settings of a pod", () => {
  const searches = (count: number, length: number) => Array.from({ length: count }, () => "a".repeat(length));
  it.each<Row>([
    [{ dnsPolicy: "ClusterFirstWithHostNet" }, []],
    [{ dnsPolicy: "ClusterFirst" }, []],
    [{ dnsPolicy: "Default" }, []],
    [
      { dnsPolicy: "x" },
      ["dnsPolicy not-supported: must be one of ClusterFirstWithHostNet, ClusterFirst, Default, None"],
    ],
    [{ dnsPolicy: "None" }, ["dnsConfig.nameservers required: must have at least one nameserver with dnsPolicy: None"]],
    [{ dnsPolicy: "None", dnsConfig: { nameservers: ["10.0.0.1"] } }, []],
    [{ dnsConfig: { nameservers: ["1.1.1.1", "::1", "1.1.1.2"] } }, []],
    [
      { dnsConfig: { nameservers: ["1.1.1.1", "::1", "1.1.1.2", "1.1.1.3"] } },
      ["dnsConfig.nameservers invalid: must be at most 3"],
    ],
    [{ dnsConfig: { nameservers: ["x"] } }, [`dnsConfig.nameservers[0] invalid: ${IP}`]],
    [{ dnsConfig: { searches: searches(32, 63) } }, []],
    [{ dnsConfig: { searches: searches(33, 1) } }, ["dnsConfig.searches invalid: must be at most 32"]],
    [
      { dnsConfig: { searches: [...searches(31, 63), "a".repeat(65)] } },
      ["dnsConfig.searches invalid: must be at most 2048 characters, together and with a blank between them"],
    ],
    [{ dnsConfig: { searches: [...searches(31, 63), "a".repeat(64)] } }, []],
    [{ dnsConfig: { searches: [".", "a.", "_tcp.a"] } }, []],
    [
      { dnsConfig: { searches: [".."] } },
      [`dnsConfig.searches[0] invalid: ${SUBDOMAIN}; each part may start with or contain "_"`],
    ],
    [
      { dnsConfig: { options: [{ name: "ndots", value: "2" }, {}] } },
      ["dnsConfig.options[1].name required: is required"],
    ],
    [
      { hostAliases: [{ ip: "10.0.0.1", hostnames: ["a.b", "A"] }, { hostnames: ["a"] }] },
      [`hostAliases[0].hostnames[1] invalid: ${SUBDOMAIN}`, `hostAliases[1].ip invalid: ${IP}`],
    ],
  ])("with %j are refused for %j", (part, expected) => {
    expect(inSpec(part)).toEqual(expected);
  });

  it.each([
    "0.0.0.0",
    "255.255.255.255",
    "010.0.0.1",
    "::",
    "::1",
    "1::",
    "1::2",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::2:3:4:5:6:7:8",
    "ABCD:ef01::",
    "::1.2.3.4",
    "1:2:3:4:5:6:1.2.3.4",
    "::ffff:1.2.3.4",
  ])("take the address %s", (ip) => {
    expect(inSpec({ hostAliases: [{ ip }] })).toEqual([]);
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.",
    "1.2.3.a",
    `${"0".repeat(100)}1.2.3.4`,
    ":",
    ":::",
    "1::2::3",
    "1:2:3::4:5:6::7:8",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "::12345",
    "::g",
    "1.2.3.4::",
    "::1.2.3.4:1",
    "::1.2.3",
    "1:2:3:4:5:6:7:1.2.3.4",
    `::${"0".repeat(100)}`,
    "fe80::1%eth0",
  ])("refuse the address %j", (ip) => {
    expect(inSpec({ hostAliases: [{ ip }] })).toEqual([`hostAliases[0].ip invalid: ${IP}`]);
  });
});

describe("a toleration", () => {
  const toleration = (part: object) =>
    inSpec({ tolerations: [part] }).map((text) => text.replace("tolerations[0].", ""));
  it.each<Row>([
    [{ operator: "Exists" }, []],
    [{ key: "a/b", operator: "Exists", effect: "NoSchedule" }, []],
    [{ key: "a", operator: "Equal", value: "b", effect: "PreferNoSchedule" }, []],
    [{ key: "a", value: "", effect: "NoExecute", tolerationSeconds: 0 }, []],
    [{ key: "-", operator: "Exists" }, [`key invalid: ${QUALIFIED}`]],
    [{}, ["operator invalid: must be Exists where there is no key"]],
    [{ key: "a", tolerationSeconds: 1 }, ["effect invalid: must be NoExecute when tolerationSeconds is set"]],
    [{ key: "a", value: "-" }, [`value invalid: ${LABEL_VALUE}`]],
    [{ key: "a", operator: "Equal", value: "-" }, [`value invalid: ${LABEL_VALUE}`]],
    [{ key: "a", operator: "Lt", value: "-" }, ["operator not-supported: must be Equal or Exists"]],
    [{ key: "a", operator: "Exists", value: "b" }, ["value invalid: must not be set with operator Exists"]],
    [
      { key: "a", operator: "Exists", effect: "x" },
      ["effect not-supported: must be one of NoSchedule, PreferNoSchedule, NoExecute"],
    ],
  ])("%j is refused for %j", (part, expected) => {
    expect(toleration(part)).toEqual(expected);
  });
});

describe("a spread over a topology", () => {
  const least = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
  const spread = (part: object) =>
    inSpec({ topologySpreadConstraints: [{ ...least, ...part }] }).map((text) =>
      text.replace("topologySpreadConstraints[0].", ""),
    );
  it.each<Row>([
    [{}, []],
    [{ whenUnsatisfiable: "ScheduleAnyway", nodeAffinityPolicy: "Ignore", nodeTaintsPolicy: "Honor" }, []],
    [{ maxSkew: 0 }, ["maxSkew invalid: must be more than 0"]],
    [{ topologyKey: "" }, ["topologyKey required: is required"]],
    [{ whenUnsatisfiable: null }, ["whenUnsatisfiable not-supported: must be one of DoNotSchedule, ScheduleAnyway"]],
    [{ minDomains: 1 }, []],
    [{ minDomains: 0 }, ["minDomains invalid: must be more than 0"]],
    [
      { minDomains: 1, whenUnsatisfiable: "ScheduleAnyway" },
      ["minDomains invalid: needs whenUnsatisfiable: DoNotSchedule"],
    ],
    [{ nodeAffinityPolicy: "x" }, ["nodeAffinityPolicy not-supported: must be one of Ignore, Honor"]],
    [{ nodeTaintsPolicy: "x" }, ["nodeTaintsPolicy not-supported: must be one of Ignore, Honor"]],
    [{ matchLabelKeys: ["a"] }, ["matchLabelKeys forbidden: must not be set without a labelSelector"]],
    [{ matchLabelKeys: [] }, []],
    [{ matchLabelKeys: ["a", "-"], labelSelector: {} }, [`matchLabelKeys[1] invalid: ${QUALIFIED}`]],
    [
      {
        matchLabelKeys: ["b", "a"],
        labelSelector: { matchLabels: { a: "x" }, matchExpressions: [{ key: "a", operator: "Exists" }] },
      },
      ["matchLabelKeys[1] invalid: must not be in the labelSelector too"],
    ],
    [{ labelSelector: { matchLabels: { a: "-" } } }, [`labelSelector.matchLabels.a invalid: ${LABEL_VALUE}`]],
  ])("with %j is refused for %j", (part, expected) => {
    expect(spread(part)).toEqual(expected);
  });

  it("is said once for each key and what to do without", () => {
    const constraints = [least, { ...least, topologyKey: "node" }, { ...least, maxSkew: 2 }];
    expect(inSpec({ topologySpreadConstraints: constraints })).toEqual([
      'topologySpreadConstraints[2] duplicate: must be unique: another constraint has the same topologyKey and whenUnsatisfiable: "zone, DoNotSchedule"',
    ]);
  });
});

describe("the affinity of a pod", () => {
  const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
  const affinity = (part: object) => inSpec({ affinity: part }).map((text) => text.replace("affinity.", ""));
  const nodes = (term: object) =>
    affinity({ nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [term] } } }).map((text) =>
      text.replace(`nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].`, ""),
    );
  const OPERATORS = "must be one of In, NotIn, Exists, DoesNotExist";

  it("to nodes needs a term, and a weight where it only prefers", () => {
    expect(affinity({ nodeAffinity: { [REQUIRED]: {} } })).toEqual([
      `nodeAffinity.${REQUIRED}.nodeSelectorTerms required: must have at least one term`,
    ]);
    const preference = { matchExpressions: [{ key: "a", operator: "In", values: ["any form: -"] }] };
    const weights = (weight: number) => affinity({ nodeAffinity: { [PREFERRED]: [{ weight, preference }] } });
    const message = `nodeAffinity.${PREFERRED}[0].weight invalid: must be between 1 and 100`;
    expect([0, 1, 100, 101].map(weights)).toEqual([[message], [], [], [message]]);
    const wrong = { matchExpressions: [{ key: "-", operator: "x" }] };
    expect(affinity({ nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: wrong }] } })).toEqual([
      `nodeAffinity.${PREFERRED}[0].preference.matchExpressions[0].operator invalid: ${OPERATORS}, Gt, Lt`,
      `nodeAffinity.${PREFERRED}[0].preference.matchExpressions[0].key invalid: ${QUALIFIED}`,
    ]);
  });

  it.each<Row>([
    [{ key: "a", operator: "In", values: ["b"] }, []],
    [{ key: "a", operator: "NotIn", values: ["b", "c"] }, []],
    [{ key: "a", operator: "Exists" }, []],
    [{ key: "a", operator: "DoesNotExist", values: [] }, []],
    [{ key: "a", operator: "Gt", values: ["1"] }, []],
    [{ key: "a", operator: "Lt", values: ["1"] }, []],
    [{ key: "-", operator: "Exists" }, [`key invalid: ${QUALIFIED}`]],
    [{ key: "a", operator: "In" }, ["values required: is required with operator In"]],
    [{ key: "a", operator: "NotIn" }, ["values required: is required with operator NotIn"]],
    [{ key: "a", operator: "Exists", values: ["b"] }, ["values forbidden: must not be set with operator Exists"]],
    [
      { key: "a", operator: "DoesNotExist", values: ["b"] },
      ["values forbidden: must not be set with operator DoesNotExist"],
    ],
    [{ key: "a", operator: "Gt" }, ["values required: must be one value with operator Gt"]],
    [{ key: "a", operator: "Lt", values: ["1", "2"] }, ["values required: must be one value with operator Lt"]],
    [{ key: "a", operator: "" }, [`operator invalid: ${OPERATORS}, Gt, Lt`]],
    [{ key: "a", operator: "In", values: ["b", "-"] }, [`values[1] invalid: ${LABEL_VALUE}`]],
  ])("to nodes by labels %j is refused for %j", (requirement, expected) => {
    expect(nodes({ matchExpressions: [requirement] })).toEqual(expected.map((text) => `matchExpressions[0].${text}`));
  });

  it.each<Row>([
    [{ key: "metadata.name", operator: "In", values: ["a.b"] }, []],
    [{ key: "metadata.name", operator: "NotIn", values: ["a"] }, []],
    [{ key: "metadata.name", operator: "Exists" }, ["operator invalid: must be In or NotIn"]],
    [{ key: "metadata.name", operator: "In" }, ["values required: must be one value"]],
    [{ key: "metadata.name", operator: "In", values: ["a", "b"] }, ["values required: must be one value"]],
    [{ key: "metadata.uid", operator: "In", values: ["A"] }, ["key invalid: must be metadata.name"]],
    [{ key: "metadata.name", operator: "In", values: ["A"] }, [`values invalid: ${SUBDOMAIN}`]],
  ])("to nodes by fields %j is refused for %j", (requirement, expected) => {
    expect(nodes({ matchFields: [requirement] })).toEqual(expected.map((text) => `matchFields[0].${text}`));
  });

  describe.each(["podAffinity", "podAntiAffinity"])("as %s", (kind) => {
    const term = (part: object) =>
      affinity({ [kind]: { [REQUIRED]: [{ topologyKey: "zone", ...part }] } }).map((text) =>
        text.replace(`${kind}.${REQUIRED}[0].`, ""),
      );
    it.each<Row>([
      [{}, []],
      [{ topologyKey: "" }, [`topologyKey required: is required and ${QUALIFIED}`]],
      [{ namespaces: ["a", "A"] }, [`namespaces[1] invalid: ${LABEL}`]],
      [{ labelSelector: { matchLabels: { "-": "a" } } }, [`labelSelector.matchLabels.- invalid: its key ${QUALIFIED}`]],
      [
        { labelSelector: { matchExpressions: [{ key: "a", operator: "Gt", values: ["-"] }] } },
        [
          `labelSelector.matchExpressions[0].operator invalid: ${OPERATORS}`,
          `labelSelector.matchExpressions[0].values[0] invalid: ${LABEL_VALUE}`,
        ],
      ],
      [{ namespaceSelector: { matchLabels: { a: "-" } } }, [`namespaceSelector.matchLabels.a invalid: ${LABEL_VALUE}`]],
      [{ matchLabelKeys: ["a"] }, ["matchLabelKeys forbidden: must not be set without a labelSelector"]],
      [{ mismatchLabelKeys: ["a"] }, ["mismatchLabelKeys forbidden: must not be set without a labelSelector"]],
      [{ labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["b"] }, []],
      [
        { labelSelector: {}, matchLabelKeys: ["b", "a"], mismatchLabelKeys: ["a"] },
        ["matchLabelKeys[1] invalid: must not be in mismatchLabelKeys too"],
      ],
      [
        {
          labelSelector: { matchLabels: { c: "x" }, matchExpressions: [{ key: "c", operator: "Exists" }] },
          matchLabelKeys: ["b", "c"],
        },
        ["matchLabelKeys[1] invalid: must not be in the labelSelector too"],
      ],
    ])("%j is refused for %j", (part, expected) => {
      expect(term(part)).toEqual(expected);
    });

    it("needs a weight where it only prefers", () => {
      const podAffinityTerm = { topologyKey: "zone" };
      const weights = (weight: number) => affinity({ [kind]: { [PREFERRED]: [{ weight, podAffinityTerm }] } });
      const message = `${kind}.${PREFERRED}[0].weight invalid: must be between 1 and 100`;
      expect([0, 1, 100, 101].map(weights)).toEqual([[message], [], [], [message]]);
      expect(affinity({ [kind]: { [PREFERRED]: [{ weight: 1 }] } })).toEqual([
        `${kind}.${PREFERRED}[0].podAffinityTerm.topologyKey required: is required and ${QUALIFIED}`,
      ]);
    });
  });
});

describe("what the operating system of a pod rules out", () => {
  const container = (name: string, securityContext: object) => ({ name, image: "i", securityContext });

  it("is another name than linux and windows", () => {
    expect(inSpec({ os: { name: "linux" } })).toEqual([]);
    expect(inSpec({ os: { name: "windows" } })).toEqual([]);
    expect(inSpec({ os: {} })).toEqual(["os required: is required"]);
    expect(inSpec({ os: { name: "bsd" } })).toEqual(["os.name not-supported: must be linux or windows"]);
  });

  it("is windowsOptions on Linux", () => {
    const securityContext = { windowsOptions: { runAsUserName: "u" } };
    const spec = {
      securityContext,
      containers: [container("a", {}), container("b", securityContext)],
      initContainers: [container("c", securityContext)],
    };
    const message = "securityContext.windowsOptions forbidden: must not be set for a Linux pod";
    expect(inSpec({ os: { name: "linux" }, ...spec })).toEqual([
      message,
      `initContainers[0].${message}`,
      `containers[1].${message}`,
    ]);
    expect(inSpec({ os: { name: "windows" }, ...spec })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["appArmorProfile", { type: "Unconfined" }],
    ["seLinuxOptions", { level: "a" }],
    ["seccompProfile", { type: "Unconfined" }],
    ["fsGroup", 0],
    ["fsGroupChangePolicy", "Always"],
    ["runAsUser", 0],
    ["runAsGroup", 0],
    ["supplementalGroups", []],
    ["supplementalGroupsPolicy", "Merge"],
    ["seLinuxChangePolicy", "Recursive"],
    ["sysctls", [{ name: "a.b", value: "c" }]],
  ])("is the pod's securityContext.%s on Windows", (key, value) => {
    const spec = { securityContext: { [key]: value } };
    expect(inSpec({ os: { name: "windows" }, ...spec })).toEqual([
      `securityContext.${key} forbidden: must not be set for a Windows pod`,
    ]);
    expect(inSpec({ os: { name: "linux" }, ...spec })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["appArmorProfile", { type: "Unconfined" }],
    ["seLinuxOptions", { level: "a" }],
    ["seccompProfile", { type: "Unconfined" }],
    ["capabilities", { add: ["A"] }],
    ["readOnlyRootFilesystem", false],
    ["privileged", false],
    ["allowPrivilegeEscalation", false],
    ["procMount", "Default"],
    ["runAsUser", 0],
    ["runAsGroup", 0],
  ])("is a container's securityContext.%s on Windows", (key, value) => {
    const spec = { containers: [container("a", {}), container("b", { [key]: value })] };
    expect(inSpec({ os: { name: "windows" }, ...spec })).toEqual([
      `containers[1].securityContext.${key} forbidden: must not be set for a Windows pod`,
    ]);
    expect(inSpec({ os: { name: "linux" }, ...spec })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["hostUsers", true],
    ["shareProcessNamespace", false],
    ["hostPID", true],
    ["hostIPC", true],
    ["resources", {}],
  ])("is %s on Windows", (key, value) => {
    expect(inSpec({ os: { name: "windows" }, [key]: value })).toEqual([
      `${key} forbidden: must not be set for a Windows pod`,
    ]);
    expect(inSpec({ os: { name: "linux" }, [key]: value })).toEqual([]);
  });

  it("is nothing where a switch is off", () => {
    expect(
      inSpec({ os: { name: "windows" }, hostPID: false, hostIPC: false, securityContext: { sysctls: [] } }),
    ).toEqual([]);
  });

  const hostProcess = (value: boolean | null) => ({ windowsOptions: { hostProcess: value } });
  const MIXED = "invalid: must have hostProcess for all containers, as some have it";
  const NETWORK = "hostNetwork invalid: must be true, as containers have hostProcess";
  it.each<[string, object, readonly string[]]>([
    ["all of it", { hostNetwork: true, containers: [container("a", hostProcess(true))] }, []],
    ["none of it", { containers: [container("a", hostProcess(false))] }, []],
    ["the pod's", { hostNetwork: true, securityContext: hostProcess(true) }, []],
    ["no network of the host", { containers: [container("a", hostProcess(true))] }, [NETWORK]],
    [
      "some of it",
      { hostNetwork: true, containers: [container("a", hostProcess(true)), container("b", hostProcess(null))] },
      [MIXED],
    ],
    [
      "another than the pod's",
      {
        hostNetwork: true,
        securityContext: hostProcess(true),
        containers: [container("a", hostProcess(false)), container("b", {})],
      },
      [
        "containers[0].securityContext.windowsOptions.hostProcess invalid: must be as in the pod's securityContext",
        MIXED,
      ],
    ],
    ["an init container's", { hostNetwork: true, initContainers: [container("a", hostProcess(true))] }, [MIXED]],
  ])("is processes of the host with %s", (_, spec, expected) => {
    expect(inSpec(spec)).toEqual(expected);
  });
});

describe("the resources of a pod as a whole", () => {
  const withResources = (resources: object, containers: readonly object[], initContainers: readonly object[] = []) =>
    inSpec({
      resources,
      containers: containers.map((each, at) => ({ name: `c${at}`, image: "i", ...each })),
      initContainers: initContainers.map((each, at) => ({ name: `i${at}`, image: "i", ...each })),
    }).map((text) => text.replace(/^resources\./, ""));
  const asks = (cpu: string) => ({ resources: { requests: { cpu } } });
  const SUM = "requests.cpu invalid: must be at least the sum of the containers' requests";

  it.each<[string, object, readonly object[], readonly object[], readonly string[]]>([
    ["as much as all containers", { requests: { cpu: "3" } }, [asks("1"), asks("2")], [], []],
    ["less than all containers", { requests: { cpu: "2999m" } }, [asks("1"), asks("2")], [], [SUM]],
    ["as much as an init container", { requests: { cpu: "3" } }, [asks("1")], [asks("3")], []],
    ["less than an init container", { requests: { cpu: "2" } }, [asks("1")], [asks("3"), asks("1")], [SUM]],
    [
      "sidecars with containers",
      { requests: { cpu: "3" } },
      [asks("1")],
      [{ restartPolicy: "Always", ...asks("2") }],
      [],
    ],
    [
      "less than sidecars with containers",
      { requests: { cpu: "2" } },
      [asks("1")],
      [{ restartPolicy: "Always", ...asks("2") }],
      [SUM],
    ],
    [
      "an init container with the sidecars before it",
      { requests: { cpu: "4" } },
      [asks("1")],
      [{ restartPolicy: "Always", ...asks("2") }, asks("2")],
      [],
    ],
    [
      "less than an init container with the sidecars before it",
      { requests: { cpu: "3" } },
      [asks("1")],
      [{ restartPolicy: "Always", ...asks("2") }, asks("2")],
      [SUM],
    ],
    [
      "an init container without the sidecars after it",
      { requests: { cpu: "3" } },
      [asks("1")],
      [asks("3"), { restartPolicy: "Always", ...asks("2") }],
      [],
    ],
    ["limits as requests of containers", { requests: { cpu: "1" } }, [{ resources: { limits: { cpu: "1" } } }], [], []],
    ["less than limits as requests", { requests: { cpu: "1" } }, [{ resources: { limits: { cpu: "2" } } }], [], [SUM]],
    ["claims", { claims: [] }, [{}], [], ["claims forbidden: must not be set for a pod as a whole"]],
    [
      "another resource",
      { limits: { "ephemeral-storage": "1" } },
      [{}],
      [],
      ["limits.ephemeral-storage invalid: of a pod as a whole, only cpu, memory and hugepages-SIZE can be set"],
    ],
    [
      "limits under the sum of requests",
      { limits: { cpu: "1" } },
      [asks("2")],
      [],
      ["requests.cpu invalid: must not be more than its limit"],
    ],
    [
      "huge pages of a container",
      { limits: { memory: "1Gi" } },
      [{ resources: { limits: { "hugepages-2Mi": "2Mi", memory: "1Mi" } } }],
      [],
      [],
    ],
    [
      "fewer huge pages than containers",
      { limits: { memory: "1Gi", "hugepages-2Mi": "2Mi" } },
      [{ resources: { limits: { "hugepages-2Mi": "4Mi", memory: "1Mi" } } }],
      [],
      [
        "requests.hugepages-2Mi invalid: must be at least the sum of the containers' requests",
        "limits.hugepages-2Mi invalid: must be at least the sum of the containers' limits",
        "containers[0].resources.limits.hugepages-2Mi invalid: must not be more than the pod's limit",
      ],
    ],
    [
      "less than a container's limit",
      { limits: { cpu: "1" } },
      [{ resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }],
      [],
      ["containers[0].resources.limits.cpu invalid: must not be more than the pod's limit"],
    ],
    [
      "a container's limit",
      { limits: { cpu: "2" } },
      [{ resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }],
      [],
      [],
    ],
  ])("may not be less than the containers': %s", (_, resources, containers, initContainers, expected) => {
    expect(withResources(resources, containers, initContainers)).toEqual(expected);
  });
});
