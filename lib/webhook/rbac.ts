// What a principal must be allowed in a cluster for each of Outrigger's commands, as RBAC objects: the least that the
// commands ask for. Pure. test/eks/rbac.test.ts, check.test.ts and explain.test.ts take each permission away and see a command
// fail.
import type { JsonObject } from "@outrigger/base";
import { workloadKinds } from "@outrigger/pod";
import { configurationName } from "./build-webhook-configuration.ts";
import { buildDryRunPolicy } from "./dry-run-policy.ts";
import { safetyNetBindingNames } from "./safety-net.ts";
import { ownNames } from "./webhook-configuration.ts";

/** The commands that need permissions in a cluster; `register` includes rotating tokens and unregistering, and `registration` is that section of `check`. */
export const rbacFeatures = ["register", "check", "registration", "pods", "explain", "off"] as const;

/**
 * The features that a principal can be allowed. In addition to the commands, `studio` sees the pods of every namespace
 * and `restart` replaces them.
 */
export const rbacChoices = [...rbacFeatures, "studio", "restart"] as const;

/** A feature that a principal can be allowed. `register` includes rotating tokens and unregistering. */
export type RbacFeature = (typeof rbacChoices)[number];

export interface RbacOptions {
  readonly features: readonly RbacFeature[];
  /** Revisions and tags that are registered: objects are named after them. */
  readonly revisions: readonly string[];
  readonly tags: readonly string[];
  /** The namespaces in which registering creates a pod as a dry run. */
  readonly probeNamespaces: readonly string[];
  /** The namespace of istiod; undefined where no release has a part in a mesh, and nothing of Istio is read. */
  readonly istioNamespace: string | undefined;
  /** The Kubernetes group of the principal's access entry. */
  readonly group: string;
  /** The name of the roles. */
  readonly name: string;
}

/** The namespace that registering prefers for its dry run. */
export const PROBE_NAMESPACE = "outrigger-probe";

interface RbacPermission {
  readonly feature: RbacFeature;
  readonly scope: "cluster" | "probe" | "istio" | "journal";
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  /** The names of the objects that the permission is limited to. The verb `list` cannot be limited to names. */
  readonly names?: readonly string[];
}

/** The objects, in the order in which they have to be applied. */
export function buildRbac(options: RbacOptions): readonly JsonObject[] {
  const { probeNamespaces, istioNamespace } = options;
  const permissions = [...rbacPermissions(options), ...STUDIO, ...RESTART, JOURNAL].filter(({ feature }) =>
    options.features.includes(feature),
  );
  const inScope = (scope: RbacPermission["scope"]) =>
    rulesOf(permissions.filter((permission) => permission.scope === scope));
  const within = (scope: RbacPermission["scope"], ...namespaces: readonly string[]) => {
    const rules = inScope(scope);
    return rules.length === 0 ? [] : namespaces.flatMap((namespace) => rolesFor(options, rules, namespace));
  };
  const isProbed = inScope("probe").length > 0 && probeNamespaces.includes(PROBE_NAMESPACE);
  return [
    ...(isProbed ? [{ apiVersion: "v1", kind: "Namespace", metadata: { name: PROBE_NAMESPACE } }] : []),
    ...rolesFor(options, inScope("cluster")),
    ...within("probe", ...probeNamespaces),
    ...(istioNamespace === undefined ? [] : within("istio", istioNamespace)),
    ...within("journal", ownNames.restartJournal.namespace),
    ...(options.features.includes("restart") ? buildDryRunPolicy(options) : []),
  ];
}

const ADMISSION = "admissionregistration.k8s.io";

/**
 * The permissions of `outrigger studio --context`: it previews the workloads of the whole cluster, and changes nothing.
 */
const STUDIO: readonly RbacPermission[] = [
  { group: ADMISSION, resource: "mutatingwebhookconfigurations" },
  { group: "", resource: "namespaces" },
  ...workloadKinds.map(({ group, plural }) => ({ group, resource: plural })),
].map((kind) => ({ ...kind, feature: "studio", scope: "cluster", verbs: ["list"] }));

/** The permissions of `outrigger restart`: it reads pods, restarts what owns them, and keeps its journal. */
const RESTART: readonly RbacPermission[] = [
  { group: ADMISSION, resource: "mutatingwebhookconfigurations", verbs: ["list"] },
  { group: "", resource: "namespaces", verbs: ["list"] },
  // The next pod of a workload is tried as a dry run; the policy that comes with the role admits no other.
  { group: "", resource: "pods", verbs: ["list", "create", "patch", "delete"] },
  // A dry run of one pod does not say whether a quota has a place for all of them.
  { group: "", resource: "resourcequotas", verbs: ["list"] },
  { group: "", resource: "pods/resize", verbs: ["patch"] },
  { group: "", resource: "pods/log", verbs: ["get"] },
  { group: "", resource: "nodes", verbs: ["get"] },
  { group: "", resource: "events", verbs: ["list", "create"] },
  { group: "policy", resource: "poddisruptionbudgets", verbs: ["list"] },
  { group: "apps", resource: "deployments", verbs: ["get", "patch"] },
  { group: "apps", resource: "statefulsets", verbs: ["get", "patch"] },
  { group: "apps", resource: "daemonsets", verbs: ["get", "patch"] },
  { group: "argoproj.io", resource: "rollouts", verbs: ["get", "patch"] },
].map((permission): RbacPermission => ({ ...permission, feature: "restart", scope: "cluster" }));

/**
 * The permission to write the restart journal. Server-side apply of an object that does not exist is a creation of that
 * name.
 */
const JOURNAL: RbacPermission = {
  feature: "restart",
  scope: "journal",
  group: "",
  resource: "configmaps",
  verbs: ["get", "create", "patch", "update"],
  names: [ownNames.restartJournal.name],
};

/**
 * Returns the permissions that each command needs. The Helm chart is made from them too (scripts/generate/chart.ts).
 */
export function rbacPermissions(
  place: Pick<RbacOptions, "revisions" | "tags" | "istioNamespace">,
): readonly RbacPermission[] {
  const { revisions, tags, istioNamespace } = place;
  const policies = revisions.map((revision) => configurationName(revision));
  const configurations = [...policies, ...tags.map((tag) => configurationName("", tag))];
  const bindings = revisions.flatMap((revision) => safetyNetBindingNames(revision, tags));
  const webhooks = { scope: "cluster", group: ADMISSION, resource: "mutatingwebhookconfigurations" } as const;
  const nets = { scope: "cluster", group: ADMISSION, resource: "validatingadmissionpolicies" } as const;
  const netBindings = { scope: "cluster", group: ADMISSION, resource: "validatingadmissionpolicybindings" } as const;
  const owned = [
    [webhooks, configurations],
    [nets, policies],
    [netBindings, bindings],
  ] as const;
  const lists = (feature: RbacFeature) => owned.map(([kind]) => ({ ...kind, feature, verbs: ["list"] }));
  const named = (feature: RbacFeature, ...verbs: readonly string[]) =>
    owned.map(([kind, names]) => ({ ...kind, feature, verbs, names }));
  const core = { scope: "cluster", group: "" } as const;
  const meshConfigs = revisions.map((revision) => (revision === "default" ? "istio" : `istio-${revision}`));
  const readsMesh = (feature: RbacFeature) =>
    ({ feature, scope: "istio", group: "", resource: "configmaps", verbs: ["get"], names: meshConfigs }) as const;
  // Who else is asked about pods, and what controllers could not make.
  const admission = (feature: RbacFeature): readonly RbacPermission[] => [
    { ...webhooks, resource: "validatingwebhookconfigurations", feature, verbs: ["list"] },
    { ...core, feature, resource: "services", verbs: ["get"] },
    { ...core, feature, resource: "events", verbs: ["list"] },
  ];
  // istiod is looked for in every namespace where that is allowed, and else in its own.
  const isElsewhere = istioNamespace !== undefined && istioNamespace !== "istio-system";
  const istiods = { scope: "istio", group: "apps", resource: "deployments", verbs: ["list"] } as const;
  const permissions: readonly RbacPermission[] = [
    ...lists("register"),
    // Server-side apply of an object that does not exist is a creation of that name.
    ...named("register", "get", "create", "patch", "update", "delete"),
    { ...webhooks, feature: "register", verbs: ["delete"], names: [ownNames.offMark] },
    { ...core, feature: "register", resource: "namespaces", verbs: ["list"] },
    { feature: "register", scope: "probe", group: "", resource: "pods", verbs: ["create"] },
    // One Deployment of each namespace is tried before a wider phase.
    { feature: "register", scope: "probe", group: "apps", resource: "deployments", verbs: ["list"] },
    // Registering knows the usual namespace of istiod only.
    { ...istiods, feature: "register", scope: isElsewhere ? "cluster" : "istio" },
    ...lists("check"),
    ...named("check", "get"),
    readsMesh("check"),
    { ...core, feature: "check", resource: "namespaces", verbs: ["list"] },
    { ...core, feature: "check", resource: "pods", verbs: ["list"] },
    ...admission("check"),
    { feature: "check", scope: "probe", group: "", resource: "pods", verbs: ["create"] },
    // One Deployment of each namespace is tried.
    { feature: "check", scope: "probe", group: "apps", resource: "deployments", verbs: ["list"] },
    { ...istiods, feature: "check" },
    { ...webhooks, feature: "registration", verbs: ["list"] },
    ...named("registration", "get"),
    readsMesh("registration"),
    { ...istiods, feature: "registration" },
    { ...webhooks, feature: "pods", verbs: ["list"] },
    { ...core, feature: "pods", resource: "namespaces", verbs: ["list"] },
    { ...core, feature: "pods", resource: "pods", verbs: ["list"] },
    { ...webhooks, feature: "explain", verbs: ["list"] },
    { ...core, feature: "explain", resource: "namespaces", verbs: ["get"] },
    ...admission("explain"),
    ...workloadKinds.map(({ group, plural }) => {
      const verbs = plural === "pods" ? ["get", "list"] : ["get"];
      return { scope: "cluster", feature: "explain", group, resource: plural, verbs } as const;
    }),
    ...lists("off"),
    // Before webhooks are removed, it says which namespaces lose injection.
    { ...core, feature: "off", resource: "namespaces", verbs: ["list"] },
    { ...webhooks, feature: "off", verbs: ["get", "patch", "delete"], names: configurations },
    { ...webhooks, feature: "off", verbs: ["create", "patch"], names: [ownNames.offMark] },
    { ...nets, feature: "off", verbs: ["delete"], names: policies },
    { ...netBindings, feature: "off", verbs: ["patch", "delete"], names: bindings },
  ];
  return permissions.filter(({ scope }) => scope !== "istio" || istioNamespace !== undefined);
}

/** Permissions as rules: one for each resource and set of names, its verbs joined. */
function rulesOf(permissions: readonly RbacPermission[]): readonly JsonObject[] {
  const keyOf = ({ group, resource, names }: RbacPermission) => JSON.stringify([group, resource, names]);
  const keys = [...new Set(permissions.map(keyOf))];
  return keys.map((key) => {
    const same = permissions.filter((permission) => keyOf(permission) === key);
    const [{ group, resource, names } = { group: "", resource: "" }] = same;
    const verbs = VERBS.filter((verb) => same.some((permission) => permission.verbs.includes(verb)));
    return { apiGroups: [group], resources: [resource], ...(names && { resourceNames: names }), verbs };
  });
}

const VERBS = ["get", "list", "create", "patch", "update", "delete"];

const API = "rbac.authorization.k8s.io";

/** A role with its binding: for the whole cluster, or in a namespace. */
function rolesFor({ name, group }: RbacOptions, rules: readonly JsonObject[], namespace?: string) {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const apiVersion = `${API}/v1`;
  const subjects = [{ apiGroup: API, kind: "Group", name: group }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef: { apiGroup: API, kind, name }, subjects },
  ];
}
