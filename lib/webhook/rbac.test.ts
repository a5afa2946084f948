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
    expect(kindsOf(["registration"]).slice(0, 2)).toEqual(["ClusterRole", "ClusterRoleBinding"]);
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

describe("the roles of buildRbac()", () => {
  const options = { features: ["pods", "register"], revisions: [], tags: [], probeNamespaces: ["shop"] } as const;
  const objects = buildRbac({ ...options, istioNamespace: "istio-system", group: "readers", name: "outrigger" });

  it.each([
    ["for the whole cluster", 0, "Cluster", { name: "outrigger" }],
    ["in the namespace of the dry run", 2, "", { name: "outrigger", namespace: "shop" }],
    ["in the namespace of istiod", 4, "", { name: "outrigger", namespace: "istio-system" }],
  ])("are bound to the group %s", (_, at, prefix, metadata) => {
    const [role, binding] = objects.slice(at);
    const apiGroup = "rbac.authorization.k8s.io";
    expect(role).toMatchObject({ apiVersion: `${apiGroup}/v1`, kind: `${prefix}Role`, metadata });
    expect(binding).toStrictEqual({
      apiVersion: `${apiGroup}/v1`,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup, kind: `${prefix}Role`, name: "outrigger" },
      subjects: [{ apiGroup, kind: "Group", name: "readers" }],
    });
  });
});

describe("what a command may do", () => {
  interface RbacObject {
    readonly kind: string;
    readonly metadata: { readonly namespace?: string };
    readonly rules?: readonly Rule[];
  }

  interface Rule {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }

  const built = (feature: RbacFeature, istioNamespace = "istio-system"): readonly RbacObject[] =>
    buildRbac({
      features: [feature],
      revisions: ["default"],
      tags: ["prod"],
      probeNamespaces: [PROBE_NAMESPACE],
      istioNamespace,
      group: "outrigger",
      name: "outrigger",
    }) as unknown as readonly RbacObject[];

  const rulesOf = (feature: RbacFeature) => built(feature).flatMap(({ rules = [] }) => rules);

  /** Returns rights as text: `get,list pods of shop: a b` is the right to read the pods a and b of a namespace. */
  const rights = (feature: RbacFeature, istioNamespace?: string): readonly string[] =>
    built(feature, istioNamespace).flatMap(({ metadata, rules = [] }) =>
      rules.map(({ apiGroups, resources, resourceNames, verbs }) => {
        const kind = [...resources, ...apiGroups].filter((part) => part !== "").join(".");
        const place = metadata.namespace === undefined ? "" : ` of ${metadata.namespace}`;
        return `${verbs.join(",")} ${kind}${place}${resourceNames === undefined ? "" : `: ${resourceNames.join(" ")}`}`;
      }),
    );

  const [WEBHOOKS, NETS, BINDINGS] = [
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
  ].map((resource) => `${resource}.admissionregistration.k8s.io`);
  const WORKLOADS = [
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "replicasets.apps",
    "replicationcontrollers",
    "jobs.batch",
    "cronjobs.batch",
    "rollouts.argoproj.io",
  ];
  const OWN = "outrigger-sidecar-injector";
  const ownWebhooks = `${OWN} outrigger-revision-tag-prod`;
  const ownBindings = [
    "rev-namespace",
    "rev-object",
    "namespace",
    "object",
    "auto",
    "prod-rev-namespace",
    "prod-rev-object",
  ]
    .map((ending) => `${OWN}-${ending}`)
    .join(" ");
  const lists = [`list ${WEBHOOKS}`, `list ${NETS}`, `list ${BINDINGS}`];
  const reads = [`get ${WEBHOOKS}: ${ownWebhooks}`, `get ${NETS}: ${OWN}`, `get ${BINDINGS}: ${ownBindings}`];
  const mesh = ["get configmaps of istio-system: istio", "list deployments.apps of istio-system"];
  const admission = [
    "list validatingwebhookconfigurations.admissionregistration.k8s.io",
    "get services",
    "list events",
  ];
  const deploymentsTried = "list deployments.apps of outrigger-probe";
  const probe = `create pods of ${PROBE_NAMESPACE}`;
  const all = "get,create,patch,update,delete";

  it.each<[RbacFeature, readonly string[]]>([
    [
      "register",
      [
        ...lists,
        `${all} ${WEBHOOKS}: ${ownWebhooks}`,
        `${all} ${NETS}: ${OWN}`,
        `${all} ${BINDINGS}: ${ownBindings}`,
        `delete ${WEBHOOKS}: outrigger-off`,
        "list namespaces",
        probe,
        deploymentsTried,
        "list deployments.apps of istio-system",
      ],
    ],
    ["check", [...lists, ...reads, "list namespaces", "list pods", ...admission, probe, deploymentsTried, ...mesh]],
    ["registration", [`list ${WEBHOOKS}`, ...reads, ...mesh]],
    ["pods", [`list ${WEBHOOKS}`, "list namespaces", "list pods"]],
    [
      "explain",
      [`list ${WEBHOOKS}`, "get namespaces", ...admission, "get,list pods", ...WORKLOADS.map((kind) => `get ${kind}`)],
    ],
    [
      "off",
      [
        ...lists,
        "list namespaces",
        `get,patch,delete ${WEBHOOKS}: ${ownWebhooks}`,
        `create,patch ${WEBHOOKS}: outrigger-off`,
        `delete ${NETS}: ${OWN}`,
        `patch,delete ${BINDINGS}: ${ownBindings}`,
      ],
    ],
    [
      "restart",
      [
        `list ${WEBHOOKS}`,
        "list namespaces",
        "list,create,patch,delete pods",
        "list resourcequotas",
        "patch pods/resize",
        "get pods/log",
        "get nodes",
        "list,create events",
        "list poddisruptionbudgets.policy",
        ...["deployments.apps", "statefulsets.apps", "daemonsets.apps", "rollouts.argoproj.io"].map(
          (kind) => `get,patch ${kind}`,
        ),
        "get,create,patch,update configmaps of default: outrigger-restart",
      ],
    ],
    ["studio", [`list ${WEBHOOKS}`, "list namespaces", "list pods", ...WORKLOADS.map((kind) => `list ${kind}`)]],
  ])("%s may do this and no more", (feature, expected) => {
    expect(rights(feature)).toEqual(expected);
  });

  it("looks for istiod in the whole cluster where it is not in its usual namespace, which registering does not know", () => {
    expect(rights("register", "mesh")).toContain("list deployments.apps");
    expect(rights("check", "mesh")).toContain("list deployments.apps of mesh");
  });

  it("allows nothing in a namespace of Istio's where no release has a part in a mesh", () => {
    for (const feature of rbacChoices) {
      const options = {
        features: [feature],
        revisions: ["default"],
        tags: ["prod"],
        probeNamespaces: [PROBE_NAMESPACE],
      };
      const [without, withIstio] = [undefined, "istio-system"].map((istioNamespace) =>
        buildRbac({ ...options, istioNamespace, group: "outrigger", name: "outrigger" }),
      );
      const isOfIstio = (object: object) => JSON.stringify(object).includes("istio-system");
      expect(without).toEqual(withIstio?.filter((object) => !isOfIstio(object)));
    }
  });

  it("names the mesh config of every revision", () => {
    const options = {
      features: ["registration"],
      revisions: ["default", "1-30"],
      tags: [],
      probeNamespaces: [],
    } as const;
    expect(JSON.stringify(buildRbac({ ...options, istioNamespace: "i", group: "g", name: "n" }))).toContain(
      '"resourceNames":["istio","istio-1-30"]',
    );
  });

  it("never names an empty resource or verb, whatever it is for", () => {
    expect(rbacChoices).toEqual(["register", "check", "registration", "pods", "explain", "off", "studio", "restart"]);
    for (const feature of rbacChoices) {
      const rules = rulesOf(feature);
      expect(rules.length, feature).toBeGreaterThan(0);
      expect(rules.flatMap(({ resources, verbs }) => [...resources, ...verbs])).not.toContain("");
    }
  });
});
