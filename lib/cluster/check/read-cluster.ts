// What a cluster's API server is asked for the checks: versions, other injectors, permissions, the safety net, istiod, and
// dry runs of samples. Reads only: a dry run makes nothing.
import { isObject, type JsonObject, listOf, OutriggerError, objectOf, objectsOf } from "@outrigger/base";
import { annotationKeys } from "@outrigger/injector";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import { DEFAULT_REVISION, selectorsOf } from "@outrigger/webhook";
import { isNotServed, type KubeClient } from "../kube/kube-client.ts";
import { findOwn, type InstalledWebhook, pathOf } from "../objects/installed-webhooks.ts";
import { deploymentOf } from "../objects/object-owner.ts";
import { nameOf } from "../objects/own-objects.ts";
import { findProbes, isChosen, NO_NAMESPACE, type Probe } from "../register/probe-injection.ts";
import type { DryRun, Istiod, NetFacts, PermissionFacts, Rival } from "./facts.ts";
import { requiredPermissions } from "./required-permissions.ts";

type Labels = Readonly<Record<string, string>>;

/** `v1.33.4-eks-99d6cc0` */
export async function readVersion(kube: KubeClient): Promise<string> {
  const version = await kube.get("/version");
  return String(version?.["gitVersion"] ?? "of unknown version").replace(/^v/, "");
}

/** Injectors whose pods are ours too. Other webhooks that add containers are no rivals. */
const INJECTORS = [
  /sidecar-injector\.istio\.io$/,
  /\.sidecar-injector\.outrigger$/,
  /linkerd-proxy-injector/,
  /consul.*connect-injector/,
];

export async function readRivals(
  kube: KubeClient,
  deployment: string,
  installed: readonly InstalledWebhook[],
  namespaces: ReadonlyMap<string, Labels>,
): Promise<readonly Rival[]> {
  const rivals: Rival[] = [];
  const own = installed.length > 0 ? installed.map(selectorsOfInstalled) : [selectorsOf(DEFAULT_REVISION, [])];
  const revisions = installed.length > 0 ? installed.map(({ tag, revision }) => tag ?? revision) : [DEFAULT_REVISION];
  const candidates: Labels[] = [
    {},
    { "sidecar.istio.io/inject": "true" },
    ...revisions.map((name) => ({ "istio.io/rev": name })),
  ];
  for await (const object of kube.list(pathOf("MutatingWebhookConfiguration"))) {
    if (deploymentOf(object) === deployment) continue;
    const webhooks = objectsOf(object["webhooks"]).filter(({ name }) =>
      INJECTORS.some((pattern) => pattern.test(String(name))),
    );
    const shared = [...namespaces].filter(([, labels]) =>
      candidates.some(
        (pod) =>
          own.flat().some((selectors) => isChosen(selectors, labels, pod)) &&
          webhooks.some((webhook) => isSelected(webhook, labels, pod)),
      ),
    );
    if (shared.length > 0) rivals.push({ name: nameOf(object), namespaces: shared.map(([name]) => name) });
  }
  return rivals;
}

function selectorsOfInstalled({ tag, revision, settings }: InstalledWebhook) {
  return selectorsOf(tag ?? revision, settings?.namespaces ?? [], settings?.enableNamespacesByDefault);
}

/** Whether any webhook's selectors choose a pod. What cannot be parsed is for the API server to judge. */
function isSelected(webhook: JsonObject, namespace: Labels, pod: Labels): boolean {
  try {
    return (
      matchesLabelSelector(parseLabelSelector(webhook["namespaceSelector"], "namespaceSelector"), namespace) &&
      matchesLabelSelector(parseLabelSelector(webhook["objectSelector"], "objectSelector"), pod)
    );
  } catch {
    return false;
  }
}

/** Asks the API server what this principal may do of what the commands need. */
export async function readPermissions(
  kube: KubeClient,
  installed: readonly InstalledWebhook[],
  istioNamespace: string,
): Promise<readonly PermissionFacts[]> {
  const revisions = installed.length > 0 ? [...new Set(installed.map(({ revision }) => revision))] : [DEFAULT_REVISION];
  const tags = installed.flatMap(({ tag }) => tag ?? []);
  return Promise.all(
    requiredPermissions({ revisions, tags, istioNamespace }).map(async (resourceAttributes) => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
      };
      const { status } = await kube.review("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
      const isAllowed = isObject(status) && status["allowed"] === true;
      const { group, resource, verb, name, namespace } = resourceAttributes;
      const what = `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
      const place = namespace === undefined ? "" : ` in ${namespace}`;
      return { what: `${what}${name === undefined ? "" : ` ${name}`}${place}`, isAllowed };
    }),
  );
}

export async function readNet(kube: KubeClient, deployment: string): Promise<NetFacts> {
  try {
    for await (const _ of kube.list(pathOf("ValidatingAdmissionPolicyBinding"), { limit: "1" })) break;
  } catch (error) {
    if (isNotServed(error)) return { isServed: false, bindings: [], warnings: [] };
    throw error;
  }
  const policies = await findOwn(kube, "ValidatingAdmissionPolicy", deployment);
  return {
    isServed: true,
    bindings: await findOwn(kube, "ValidatingAdmissionPolicyBinding", deployment),
    warnings: policies.flatMap(warningsOf),
  };
}

function warningsOf({ status }: JsonObject): readonly string[] {
  const checked = isObject(status) ? status["typeChecking"] : undefined;
  const found = listOf(objectOf(checked)["expressionWarnings"]);
  return found.filter(isObject).map((one) => `${String(one["fieldRef"])}: ${String(one["warning"])}`);
}

const DEPLOYMENTS = "/apis/apps/v1";

/** Control planes of Istio: in the cluster, or in Istio's namespace where listing is not allowed beyond it. */
export async function readIstiods(kube: KubeClient, istioNamespace: string): Promise<readonly Istiod[]> {
  return istiodsAt(kube, `${DEPLOYMENTS}/deployments`).catch((error: unknown) => {
    if (!(error instanceof OutriggerError) || error.code !== "cluster-denied") throw error;
    return istiodsAt(kube, `${DEPLOYMENTS}/namespaces/${encodeURIComponent(istioNamespace)}/deployments`);
  });
}

async function istiodsAt(kube: KubeClient, path: string): Promise<readonly Istiod[]> {
  const found: Istiod[] = [];
  for await (const { metadata, spec } of kube.list(path, { labelSelector: "app=istiod" })) {
    const { namespace, labels } = objectOf(metadata);
    const template = isObject(spec) && isObject(spec["template"]) ? spec["template"]["spec"] : undefined;
    const containers = listOf(objectOf(template)["containers"]);
    const [container] = containers.filter(isObject);
    found.push({
      namespace: String(namespace),
      revision: isObject(labels) ? String(labels["istio.io/rev"] ?? DEFAULT_REVISION) : DEFAULT_REVISION,
      image: String(container?.["image"] ?? ""),
    });
  }
  return found;
}

/** A sample, and what the served release decides about it. */
export interface SampleToTry {
  readonly name: string;
  readonly pod: JsonObject;
  readonly isInjected: (namespace: string, labels: Labels) => boolean;
}

/** Creates every sample as a dry run, in a namespace that the webhooks choose. */
export async function readDryRuns(
  kube: KubeClient,
  webhook: InstalledWebhook,
  samples: readonly SampleToTry[],
): Promise<readonly DryRun[]> {
  const { settings, revision } = webhook;
  const probes = await findProbes(kube, { revision, namespaces: settings?.namespaces ?? [], ...settings });
  let denied = new OutriggerError("cluster-denied", NO_NAMESPACE);
  // Roles may allow it in one of them only.
  for (const probe of probes) {
    try {
      return await dryRunsIn(kube, webhook, probe, samples);
    } catch (error) {
      if (!(error instanceof OutriggerError) || error.code !== "cluster-denied") throw error;
      denied = error;
    }
  }
  throw denied;
}

async function dryRunsIn(
  kube: KubeClient,
  webhook: InstalledWebhook,
  probe: Probe,
  samples: readonly SampleToTry[],
): Promise<readonly DryRun[]> {
  const { namespace } = probe;
  const runs: DryRun[] = [];
  for (const { name, pod, isInjected } of samples) {
    const { name: _, namespace: _namespace, labels: own, ...metadata } = (pod["metadata"] ?? {}) as JsonObject;
    const labels = { ...probe.labels, ...(own as Labels | undefined) };
    const tried = {
      ...pod,
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, generateName: "outrigger-check-", namespace, labels },
    };
    const isSent = selectorsOfInstalled(webhook).some((one) => isChosen(one, probe.namespaceLabels, labels));
    const started = performance.now();
    const answer = await kube
      .createDryRun(`/api/v1/namespaces/${namespace}/pods`, tried)
      .catch((error: unknown) => rejectionOf(error));
    const { annotations } = objectOf(typeof answer === "string" ? undefined : answer["metadata"]);
    runs.push({
      sample: name,
      namespace,
      milliseconds: Math.round(performance.now() - started),
      isInjected: isObject(annotations) && annotations[annotationKeys.status] !== undefined,
      isExpected: isSent && isInjected(namespace, labels),
      ...(typeof answer === "string" ? { problem: answer } : {}),
    });
  }
  return runs;
}

/** A principal that may not create pods cannot try any; whatever else is said is about the sample. */
function rejectionOf(error: unknown): string {
  const isRefusal = error instanceof OutriggerError && error.code !== "cluster-denied";
  if (isRefusal) return error.message;
  throw error;
}
