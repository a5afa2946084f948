// A laboratory of the command line with a real API server: the deployment, AWS and the inject function are on loopback, and EKS's tokens
// are those of a principal that has the printed roles and nothing else.
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, memoizeJson } from "@outrigger/base";
import { openKube } from "@outrigger/cluster";
import { compileRelease } from "@outrigger/injector";
import { metadataOf } from "@outrigger/pod";
import { buildRbac, rbacFeatures } from "@outrigger/webhook";
import { openCommandLab } from "../../eks/cli-lab.ts";
import { labCertificate } from "../../eks/lab-certificate.ts";
import { shippedTree } from "../../support/shipped-tree.ts";
import { startRealApiServer } from "./real-api-server.ts";
import { startSmallKubelet } from "./small-kubelet.ts";

export type RealLab = Awaited<ReturnType<typeof openRealLab>>;

const GROUP = "outrigger-registrars";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

const PATHS: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ClusterRole: `${RBAC}/clusterroles`,
  ClusterRoleBinding: `${RBAC}/clusterrolebindings`,
  MutatingWebhookConfiguration: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  ValidatingWebhookConfiguration: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  ValidatingAdmissionPolicy: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
};
const NAMESPACED: Readonly<Record<string, readonly [api: string, plural: string]>> = {
  Role: [RBAC, "roles"],
  RoleBinding: [RBAC, "rolebindings"],
  Deployment: ["/apis/apps/v1", "deployments"],
  StatefulSet: ["/apis/apps/v1", "statefulsets"],
  DaemonSet: ["/apis/apps/v1", "daemonsets"],
  ResourceQuota: ["/api/v1", "resourcequotas"],
  LimitRange: ["/api/v1", "limitranges"],
  Pod: ["/api/v1", "pods"],
};

/** The folder of the programs; tests on a real API server are asked for by name, so a missing one fails. */
export function assetsFolder(): string {
  const folder = process.env["KUBEBUILDER_ASSETS"];
  if (folder !== undefined) return folder;
  throw new Error("KUBEBUILDER_ASSETS does not say where etcd, kube-apiserver and kube-controller-manager are");
}

/** A real API server with a kubelet, and what a test does in it. */
async function startCluster() {
  const api = await startRealApiServer(assetsFolder(), await labCertificate());
  const kubelet = startSmallKubelet(api);
  /** Applies an object as the administrator, as `kubectl apply --server-side` does. */
  const apply = (object: JsonObject) => {
    const { kind, metadata } = object as { kind: string; metadata: { name: string; namespace?: string } };
    const [group, plural] = NAMESPACED[kind] ?? [];
    const place = plural === undefined ? PATHS[kind] : `${group}/namespaces/${metadata.namespace}/${plural}`;
    return api.admin.apply(`${place}/${metadata.name}`, object, { force: true });
  };
  /** Gives EKS's principal the roles that `outrigger print rbac` prints for these features, with changes. */
  const allow = async (
    features: Parameters<typeof buildRbac>[0]["features"] = rbacFeatures,
    changes: Partial<Parameters<typeof buildRbac>[0]> = {},
  ) => {
    const place = { revisions: ["default"], tags: [], probeNamespaces: ["outrigger-probe"] };
    const options = { ...place, features, istioNamespace: "istio-system", group: GROUP, name: "outrigger", ...changes };
    for (const object of [namespaceOf("istio-system"), ...buildRbac(options)]) await apply(object);
  };
  /** Takes away what it had, and gives it these roles alone. */
  const onlyAllow = async (...roles: Parameters<typeof allow>) => {
    const bindings = [`${RBAC}/clusterrolebindings`, `${RBAC}/rolebindings`];
    for (const path of bindings) {
      for await (const binding of api.admin.list(path, { fieldSelector: "metadata.name=outrigger" })) {
        const { name, namespace } = metadataOf(binding);
        const [kind] = path.split("/").slice(-1);
        await api.admin.remove(`${RBAC}/${namespace === "" ? "" : `namespaces/${namespace}/`}${kind}/${name}`);
      }
    }
    await allow(...roles);
  };
  const listed = async (path: string) => {
    const pods: JsonObject[] = [];
    for await (const pod of api.admin.list(path)) pods.push(pod);
    return pods;
  };
  return {
    api,
    kubelet,
    apply,
    allow,
    onlyAllow,
    /** Makes a node that is ready, and stays so: one that never was is tainted after a minute, and takes no DaemonSet's pod. */
    node: async (name: string) => {
      await api.admin.create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name } });
      const now = new Date().toISOString();
      const ready = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now };
      await api.setStatus(`/api/v1/nodes/${name}`, { conditions: [ready] });
    },
    namespace: (name: string, labels: Readonly<Record<string, string>> = {}) => apply(namespaceOf(name, labels)),
    pods: (namespace: string) => listed(`/api/v1/namespaces/${namespace}/pods`),
    allPods: () => listed("/api/v1/pods"),
    close: async () => {
      await kubelet.stop();
      await api.close();
    },
  };
}

/** The longest wait of a command for an API server that acts by what was written, in milliseconds. */
export const WAITED_FOR = 8000;

/** Waits as a command does for an API server, so that a slow one is waited for, and a moment for what takes longer in AWS. */
export function waitsForApiServer(milliseconds: number): Promise<void> {
  return pause(milliseconds <= WAITED_FOR ? milliseconds : 200);
}

/** Each laboratory publishes the shipped tree: files of tests that share their process compile it once. */
const compileOnce = memoizeJson(compileRelease, { longest: 10_000_000 });

export async function openRealLab() {
  const cluster = await startCluster();
  const { api } = cluster;
  const lab = await openCommandLab(api, await shippedTree(), compileOnce);
  const others: Awaited<ReturnType<typeof startCluster>>[] = [];
  lab.sleep = (milliseconds) => pause(milliseconds);
  /** Waits until it is so. */
  const until = async (what: string, isSo: () => Promise<boolean>) => {
    const end = Date.now() + 120_000;
    while (Date.now() < end) {
      if (await isSo()) return;
      await pause(250);
    }
    throw new Error(`Not so within two minutes: ${what}`);
  };
  return Object.assign(lab, cluster, {
    /** A client with the token of EKS's principal. */
    kubeAs: openKube(
      { name: "shop", url: api.url, ca: api.ca, token: async () => "k8s-aws-v1.test", remediation: "look" },
      (milliseconds) => pause(milliseconds),
    ),
    /** A kubeconfig with the token of EKS's principal. */
    kubeconfigText: () => api.kubeconfigText("k8s-aws-v1.test"),
    until,
    /** Another cluster of EKS, with a control plane of its own, which is closed with the laboratory. */
    addCluster: async (name: string) => {
      const other = await startCluster();
      others.push(other);
      lab.services.clusters.set(name, {
        ...lab.services.clusters.get("shop"),
        name,
        arn: `arn:aws:eks:eu-west-1:111122223333:cluster/${name}`,
        endpoint: other.api.url,
      });
      return other;
    },
    close: ((close) => async () => {
      await close();
      for (const each of [cluster, ...others]) await each.close();
    })(lab.close),
  });
}

function namespaceOf(name: string, labels: Readonly<Record<string, string>> = {}): JsonObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}
