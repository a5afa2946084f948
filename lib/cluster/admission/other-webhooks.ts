// The webhooks of others that get a pod before it is made, and whether the services of those that may reject it exist. Reads only.
import { isObject, type JsonObject, listOf, objectOf, objectsOf } from "@outrigger/base";
import { selectionOf } from "@outrigger/webhook";
import { unlessDenied } from "../kube/kube-answer.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { deploymentOf, GROUP_PATH, nameOf, pathOf } from "../objects/own-objects.ts";

type Labels = Readonly<Record<string, string>>;

/** A webhook of another program that is called for a pod. */
export interface OtherWebhook {
  readonly configuration: string;
  readonly name: string;
  readonly kind: "mutating" | "validating";
  /** With `Fail`, a pod is rejected where the call fails. */
  readonly failurePolicy: string;
  /** Its match conditions decide further, and are not evaluated here. */
  readonly isConditional: boolean;
  /** Why no call of it can succeed, and what to do. */
  readonly problem?: string;
  readonly remediation?: string;
}

const KINDS = [
  ["mutating", pathOf("MutatingWebhookConfiguration")],
  ["validating", `${GROUP_PATH}/validatingwebhookconfigurations`],
] as const;

/** Reads all webhooks for pods once, and says of any pod which ones get it. */
export async function readOtherWebhooks(
  kube: KubeClient,
): Promise<(namespace: Labels, pod: Labels) => readonly OtherWebhook[]> {
  const all: (readonly [selects: ReturnType<typeof selectionOf>, described: OtherWebhook])[] = [];
  const problems = new Map<string, Promise<string | undefined>>();
  for (const [kind, path] of KINDS) {
    for await (const object of kube.list(path)) {
      if (deploymentOf(object) !== undefined) continue;
      for (const webhook of objectsOf(object["webhooks"]).filter(isForPods)) {
        all.push([selectionOf([webhook]), await described(kube, kind, nameOf(object), webhook, problems)]);
      }
    }
  }
  return (namespace, pod) => all.filter(([selects]) => selects(namespace, pod)).map(([, one]) => one);
}

/** Whether it is asked about new pods. */
function isForPods({ rules }: JsonObject): boolean {
  const has = (list: unknown, ...wanted: readonly string[]) => listOf(list).some((one) => wanted.includes(String(one)));
  return objectsOf(rules).some(
    ({ apiGroups, resources, operations }) =>
      has(apiGroups, "", "*") && has(resources, "pods", "*", "*/*") && has(operations, "CREATE", "*"),
  );
}

async function described(
  kube: KubeClient,
  kind: OtherWebhook["kind"],
  configuration: string,
  { name, failurePolicy = "Fail", clientConfig, matchConditions }: JsonObject,
  problems: Map<string, Promise<string | undefined>>,
): Promise<OtherWebhook> {
  const about = {
    configuration,
    name: String(name),
    kind,
    failurePolicy: String(failurePolicy),
    isConditional: listOf(matchConditions).length > 0,
  };
  const { service } = objectOf(clientConfig);
  if (about.failurePolicy !== "Fail" || !isObject(service)) return about;
  const place = `${String(service["namespace"])}/${String(service["name"])}`;
  const problem = problems.get(place) ?? serviceProblem(kube, service);
  problems.set(place, problem);
  const found = await problem;
  if (found === undefined) return about;
  const remediation = `start the service, or kubectl delete ${kind}webhookconfiguration ${configuration}`;
  return { ...about, problem: found, remediation };
}

/** Why a service cannot be called; undefined where nothing is wrong, or nobody may look. */
async function serviceProblem(kube: KubeClient, { namespace, name }: JsonObject): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${encodeURIComponent(String(namespace))}/services/${encodeURIComponent(String(name))}`;
  const there = await kube.get(path).catch(unlessDenied);
  return there === undefined ? `its service ${String(namespace)}/${String(name)} does not exist` : undefined;
}
