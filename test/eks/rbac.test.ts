// The roles that `outrigger print rbac` prints, enforced by the API server's stand-in: every command works with them, and with any
// one verb, name or role taken away a command is refused or says what it could not do.

import { type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { studioCluster } from "@outrigger/cli";
import {
  clusterStatus,
  findInstalled,
  kubeClient,
  losesInjection,
  readNamespaces,
  registerCluster,
  rotateToken,
  runningPods,
  switchOff,
  unregisterCluster,
} from "@outrigger/cluster";
import { defaultMeshConfig } from "@outrigger/mesh";
import { buildRbac, PROBE_NAMESPACE, rbacFeatures, safetyNetBindingNames } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab } from "./cluster-lab.ts";
import { REVIEWED } from "./fake-api-server.ts";
import { type BoundRule, boundRules, rbacAuthorizer, weakerRules } from "./rbac-authorizer.ts";

type RbacOptions = Parameters<typeof buildRbac>[0];
type RbacFeature = RbacOptions["features"][number];

const GROUP = "outrigger-registrars";
const GROUP_PATH = "/apis/admissionregistration.k8s.io/v1";
const OPTIONS: RbacOptions = {
  features: rbacFeatures,
  revisions: ["default"],
  tags: ["prod"],
  probeNamespaces: [PROBE_NAMESPACE],
  istioNamespace: "istio-system",
  group: GROUP,
  name: "outrigger-registrar",
};

let lab: ClusterLab;
beforeAll(async () => {
  lab = await openClusterLab();
  lab.api.webhook = (_url, pod) => withStatus(pod);
});
afterAll(() => lab.close());

function withStatus(pod: JsonObject): JsonObject {
  const metadata = objectOf(pod["metadata"]);
  return { ...pod, metadata: { ...metadata, annotations: { "sidecar.istio.io/status": "{}" } } };
}

/** A field that others have added, which only an update drops. */
function spoil(path: string): void {
  const object = lab.api.objects.get(path);
  if (object !== undefined) lab.api.put(path, { ...object, strange: true });
}

interface World {
  readonly ports: ClusterLab["ports"];
  /** Does something with all permissions. */
  readonly asAdministrator: (steps: () => Promise<unknown>) => Promise<void>;
}

type Steps = (world: World) => Promise<unknown>;

const ASKED = { phase: "cluster", tags: ["prod"], safetyNet: "deny" } as const;
const requested = (asked: Partial<Parameters<ClusterLab["request"]>[0]> = ASKED) => ({
  ...lab.request(asked),
  withSelfTest: false,
});

/**
 * The features that the tests of the commands show: cli/commands/clusters/check.test.ts, explain.test.ts and
 * restart.test.ts.
 */
type OtherFeature = "check" | "explain" | "restart";
type Feature = Exclude<RbacFeature, OtherFeature>;

/** The commands of a principal with a feature. What has to be there first is made with all permissions. */
const COMMANDS: Readonly<Record<Feature, Steps>> = {
  register: async ({ ports, asAdministrator }) => {
    await asAdministrator(() => switchOff(ports.kube, { remove: false, at: "2026-11-20T00:00:00Z" }));
    // What was written is read again where it is undone.
    let reads = 0;
    const readRecord: typeof ports.readRecord = async (cluster) => {
      if (++reads === 3) throw new OutriggerError("store-unavailable", "no answer");
      return ports.readRecord(cluster);
    };
    await registerCluster(requested(), { ...ports, readRecord }).catch(() => undefined);
    await registerCluster(requested(), ports);
    for (const [kind, names] of [
      ["mutatingwebhookconfigurations", ["outrigger-sidecar-injector", "outrigger-revision-tag-prod"]],
      ["validatingadmissionpolicies", ["outrigger-sidecar-injector"]],
      ["validatingadmissionpolicybindings", safetyNetBindingNames("default", ["prod"])],
    ] as const)
      for (const name of names) spoil(`${GROUP_PATH}/${kind}/${name}`);
    await registerCluster(requested(), ports);
    await rotateToken({ ...requested(), patience: 0, countCalls: async () => 0 }, ports);
    await unregisterCluster(requested(), ports, ports.kube);
  },
  registration: async ({ ports, asAdministrator }) => {
    await asAdministrator(() => registerCluster(requested(), ports));
    return clusterStatus(
      ports.kube,
      lab.question({
        releaseOf: () => ({ meshConfig: defaultMeshConfig }),
        proxyImageOf: () => "istio/proxyv2:1.31.0",
      }),
    );
  },
  pods: async ({ ports }) => {
    await findInstalled(ports.kube);
    await readNamespaces(ports.kube);
    for await (const _ of runningPods(ports.kube)) break;
  },
  studio: async ({ ports }) => studioCluster(ports.kube).workloads(),
  off: async ({ ports, asAdministrator }) => {
    const at = "2026-11-21T00:00:00Z";
    await switchOff(ports.kube, { remove: false, at });
    await asAdministrator(() => registerCluster(requested(), ports));
    const lowered = await switchOff(ports.kube, { remove: false, at, tags: ["prod"] });
    await losesInjection(ports.kube, {});
    const removed = await switchOff(ports.kube, { remove: true, at, tags: ["prod"] });
    return [...lowered.left, ...removed.left].map(({ what }) => what);
  },
};

/** Runs a command of a feature under rules, in a cluster without anything of Outrigger's. What was forbidden. */
async function forbiddenIn(feature: Feature, rules: readonly BoundRule[]): Promise<readonly string[]> {
  const { api } = lab;
  for (const map of [api.objects, api.owners, lab.publisher.records]) map.clear();
  for (const name of ["default", PROBE_NAMESPACE]) {
    const labels = { "kubernetes.io/metadata.name": name };
    api.put(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  }
  const forbidden: string[] = [];
  const authorize = rbacAuthorizer(rules, (path) => api.objects.has(path));
  const enforced: typeof api.authorize = (method, path, type) => {
    const message = authorize(method, path, type);
    if (message !== undefined && type !== REVIEWED) forbidden.push(message);
    return message;
  };
  api.authorize = enforced;
  const kube = kubeClient({ name: CLUSTER.name, exchange: api.direct, sleep: async () => {} });
  const world: World = {
    ports: { ...lab.ports, kube },
    asAdministrator: async (steps) => {
      api.authorize = undefined;
      await steps();
      api.authorize = enforced;
    },
  };
  await COMMANDS[feature](world).catch((error: unknown) => {
    if (!(error instanceof OutriggerError)) throw error;
  });
  api.authorize = undefined;
  return forbidden;
}

function rulesFor(features: readonly RbacFeature[]): readonly BoundRule[] {
  return boundRules(buildRbac({ ...OPTIONS, features }), GROUP);
}

/** Names of objects, and namespaces, that exist only with settings which the commands above do not use: the probe's has no Deployment. */
const RESERVED = /-auto$|^list deployments in outrigger-probe$/;

describe.each(Object.keys(COMMANDS) as readonly Feature[])("the roles for %s", (feature) => {
  it("allow everything that the commands ask", async () => {
    expect(await forbiddenIn(feature, rulesFor([feature]))).toEqual([]);
  });

  it("allow nothing that the commands do not need", async () => {
    const cases = weakerRules(rulesFor([feature])).filter(([what]) => !RESERVED.test(what));
    expect(cases.length).toBeGreaterThan(2);
    const needless: string[] = [];
    for (const [what, rules] of cases) {
      const forbidden = await forbiddenIn(feature, rules);
      if (forbidden.length === 0) needless.push(what);
    }
    expect(needless).toEqual([]);
  });

  it("are of no use without their bindings", async () => {
    const roles = buildRbac({ ...OPTIONS, features: [feature] }).filter(
      ({ kind }) => !String(kind).endsWith("Binding"),
    );
    expect((await forbiddenIn(feature, boundRules(roles, GROUP))).length).toBeGreaterThan(0);
  });
});

describe("buildRbac()", () => {
  const rules = () => rulesFor(rbacFeatures);

  it("creates pods in the probe namespace only, and reads config maps in Istio's only", () => {
    const placeOf = (resource: string, verb: string) =>
      rules()
        .filter((rule) => rule.resources.includes(resource) && rule.verbs.includes(verb))
        .map(({ namespace }) => namespace);
    expect(placeOf("pods", "create")).toEqual([PROBE_NAMESPACE]);
    expect(placeOf("configmaps", "get")).toEqual(["istio-system"]);
    expect(placeOf("deployments", "list")).toEqual([PROBE_NAMESPACE, "istio-system"]);
  });

  it("changes objects of its own names only", () => {
    const changing = rules().filter(
      ({ verbs, resources }) => verbs.some((verb) => !["get", "list"].includes(verb)) && !resources.includes("pods"),
    );
    expect(changing.length).toBeGreaterThan(2);
    for (const { resourceNames = [] } of changing) {
      expect(resourceNames.length).toBeGreaterThan(0);
      for (const name of resourceNames) expect(name).toMatch(/^outrigger-/);
    }
  });

  it("names no wildcard and no other resource", () => {
    expect(JSON.stringify(rules())).not.toContain("*");
    const resources = [...new Set(rules().flatMap((rule) => rule.resources))].sort();
    expect(resources).toEqual([
      "configmaps",
      "cronjobs",
      "daemonsets",
      "deployments",
      "events",
      "jobs",
      "mutatingwebhookconfigurations",
      "namespaces",
      "pods",
      "replicasets",
      "replicationcontrollers",
      "rollouts",
      "services",
      "statefulsets",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
      "validatingwebhookconfigurations",
    ]);
  });
});
