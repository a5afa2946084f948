// A cluster to try commands on: an API server on loopback, a few workloads whose pods istiod injects, and controllers that act each
// second. It pulls no images and runs nothing.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { admitPod, webhookCaller } from "./api/admission.ts";
import { type FakeApiServer, startFakeApiServer } from "./api/api-server.ts";
import { defaultedPod } from "./api/pod-defaults.ts";
import { judgeByPolicies } from "./api/policies.ts";
import type { Fate } from "./controllers/pod-status.ts";
import { workloadControllers } from "./controllers/workload-controllers.ts";
import { limitOf, podRefusal } from "./limits.ts";

const VERSION = "1.33";
const SECOND = 1000;

/** The injector of istiod in a cluster. */
export interface FakeIstiod {
  /** The values that its templates read. */
  readonly values: JsonObject;
  /** Templates of its own, by name: Go's. Left out, Istio's. */
  readonly templates?: Readonly<Record<string, string>>;
}

/**
 * Starts a cluster.
 *
 * @param certificate PEM, for localhost and 127.0.0.1: of the API server, and whom it trusts besides a webhook's own `caBundle`
 * @param cluster its name and ARN
 * @param token the bearer token of its kubeconfig; tokens of EKS are let in too
 * @param istiod and what happens to a pod that is sent to it; undefined for a cluster without a mesh
 * @param asking the labels by which namespaces ask for sidecars, where they are not Istio's; with an istiod, they have Istio's as well
 */
export async function startFakeCluster(
  certificate: { readonly key: string; readonly cert: string },
  cluster: { readonly name: string; readonly arn: string },
  token: string,
  istiod: (FakeIstiod & { readonly inject: (pod: JsonObject, namespace: string) => JsonObject }) | undefined,
  asking: Labels = ISTIOS,
) {
  const api = await startFakeApiServer(certificate);
  api.accepts = (given) => given === token || given.startsWith("k8s-aws-v1.");
  api.around = async (request, next) => limitOf(request) ?? next();
  api.judge = (asked) => {
    const refused = podRefusal(asked.pod);
    return refused === undefined ? judgeByPolicies(api, asked) : { refused };
  };
  const call = webhookCaller(api, certificate.cert);
  api.callWebhook = async (request) => {
    const { service } = request.clientConfig as { readonly service?: { readonly name: string } };
    return istiod !== undefined && service?.name === "istiod"
      ? istiod.inject(request.pod, request.namespace)
      : call(request);
  };
  const isThere = (name: string) => istiod !== undefined || !name.startsWith("istio-system");
  putWorkloads(api, { ...(istiod && ISTIOS), ...asking }, isThere);
  if (istiod !== undefined) putIstiod(api, istiod);
  const admit = async (pod: JsonObject) => {
    const namespace = String(objectOf(pod["metadata"])["namespace"]);
    putReplicaSet(api, namespace, pod);
    const admitted = defaultedPod(await admitPod(api, namespace, defaultedPod(pod), false));
    const { refused } = judgeByPolicies(api, { pod: admitted, namespace, isDryRun: false });
    if (refused !== undefined) throw new Error(String(refused.body["message"]));
    return admitted;
  };
  const { tick } = workloadControllers({ api, now: Date.now, admit, fateOf });
  let isTicking = false;
  const timer = setInterval(async () => {
    if (isTicking) return;
    isTicking = true;
    await tick();
    isTicking = false;
  }, SECOND);
  const data = Buffer.from(certificate.cert).toString("base64");
  const access: FakeAccess = { name: cluster.name, server: api.url, data, token };
  return {
    api,
    /** The cluster in DescribeCluster. */
    described: { ...cluster, endpoint: api.url, version: VERSION, status: "ACTIVE", certificateAuthority: { data } },
    /** Its entry in a kubeconfig. */
    access,
    kubeconfig: kubeconfigOf([access]),
    close: () => {
      clearInterval(timer);
      return api.close();
    },
  };
}

/** How a kubeconfig reaches a cluster: its API server, whose certificate is `data` in base64, with a bearer token. */
export interface FakeAccess {
  readonly name: string;
  readonly server: string;
  readonly data: string;
  readonly token: string;
}

/** A kubeconfig, as JSON, with a context for each cluster by its name; the first one is the current one, and has `prod` too. */
export function kubeconfigOf(clusters: readonly [FakeAccess, ...(readonly FakeAccess[])]): string {
  const [{ name: first }] = clusters;
  const context = (name: string, cluster: string) => ({ name, context: { cluster, user: cluster } });
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": first,
    contexts: [...clusters.map(({ name }) => context(name, name)), context("prod", first)],
    clusters: clusters.map(({ name, server, data }) => ({
      name,
      cluster: { server, "certificate-authority-data": data },
    })),
    users: clusters.map(({ name, token }) => ({ name, user: { token } })),
  });
}

/** Pods are ready after three seconds. Those with an image of a registry or a tag that says `crash` never are. */
function fateOf({ spec }: JsonObject): Fate {
  const { containers, initContainers } = objectOf(spec);
  const crashing = [...objectsOf(containers), ...objectsOf(initContainers)].find(({ image }) =>
    String(image).includes("crash"),
  );
  return crashing === undefined
    ? { readyAfter: 3 * SECOND }
    : { crashes: { container: String(crashing["name"]), exitCode: 1 } };
}

type Labels = Readonly<Record<string, string>>;

const ISTIOS: Labels = { "istio-injection": "enabled" };

const NAMESPACES = ["default", "kube-system", "istio-system", "shop", "staging", "checkout"];
/** The namespaces that ask for sidecars. */
const ASKING = ["shop", "staging"];
const WORKLOADS = ["shop/web", "shop/cart", "staging/cart", "checkout/pay", "istio-system/istiod"];

function putWorkloads(api: Pick<FakeApiServer, "put">, asking: Labels, isThere: (name: string) => boolean): void {
  for (const name of NAMESPACES.filter(isThere)) {
    const labels = { "kubernetes.io/metadata.name": name, ...(ASKING.includes(name) && asking) };
    api.put(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  }
  for (const [namespace = "", name = ""] of WORKLOADS.filter(isThere).map((one) => one.split("/")))
    putWorkload(api, namespace, name);
}

/** A Deployment of two replicas, labelled `app`. */
export function putWorkload({ put }: Pick<FakeApiServer, "put">, namespace: string, name: string): void {
  put(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "app", image: `registry.example/${name}:1` }] },
      },
    },
  });
}

/** The owner of a pod that is made, which says what its author wrote. */
function putReplicaSet({ objects, put }: Pick<FakeApiServer, "objects" | "put">, namespace: string, pod: JsonObject) {
  const [owner = {}] = objectsOf(objectOf(pod["metadata"])["ownerReferences"]);
  const { name, uid } = owner;
  const { labels } = objectOf(pod["metadata"]);
  const path = `/apis/apps/v1/namespaces/${namespace}/replicasets/${String(name)}`;
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: String(name).replace(/-[0-9a-f]{8}$/, "") };
  if (objects.has(path)) return;
  put(path, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace, uid, ownerReferences: [{ ...deployment, controller: true }] } as JsonObject,
    spec: { template: { metadata: { labels }, spec: pod["spec"] } } as JsonObject,
  });
}

/**
 * Puts the configuration and webhooks into a cluster that an istiod of revision `default`, with a tag `prod`, has
 * there.
 */
function putIstiod(api: Pick<FakeApiServer, "put">, { values, templates = {} }: FakeIstiod): void {
  const config = JSON.stringify({ policy: "enabled", defaultTemplates: ["sidecar"], templates });
  const map = (name: string, data: Readonly<Record<string, string>>) =>
    api.put(`/api/v1/namespaces/istio-system/configmaps/${name}`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "istio-system" },
      data,
    });
  map("istio-sidecar-injector", { config, values: JSON.stringify(values) });
  map("istio", { mesh: "{}" });
  const webhook = (name: string, labels: JsonObject, namespaceSelector: JsonObject) =>
    api.put(`/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name, labels: { app: "sidecar-injector", "istio.io/rev": "default", ...labels } },
      webhooks: [
        {
          name: "namespace.sidecar-injector.istio.io",
          clientConfig: { service: { namespace: "istio-system", name: "istiod", path: "/inject", port: 443 } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
          namespaceSelector,
          objectSelector: {
            matchExpressions: [{ key: "sidecar.istio.io/inject", operator: "NotIn", values: ["false"] }],
          },
          failurePolicy: "Fail",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
  webhook("istio-sidecar-injector", {}, { matchLabels: { "istio-injection": "enabled" } });
  webhook("istio-revision-tag-prod", { "istio.io/tag": "prod" }, { matchLabels: { "istio.io/rev": "prod" } });
}
