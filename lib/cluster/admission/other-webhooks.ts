// The webhooks of others that get a pod before it is made, and whether the services of those that may reject it exist. Reads only.
import { defined, isObject, type JsonObject, listOf, objectOf, objectsOf } from "@outrigger/base";
import { selectionOf } from "@outrigger/webhook";
import { unlessDenied } from "../kube/kube-answer.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { deploymentOf, GROUP_PATH, nameOf, pathOf } from "../objects/own-objects.ts";

type Labels = Readonly<Record<string, string>>;

export type OtherWebhook = Awaited<ReturnType<typeof describe>>;

const KINDS = [
  ["mutating", pathOf("MutatingWebhookConfiguration")],
  ["validating", `${GROUP_PATH}/validatingwebhookconfigurations`],
] as const;

/** Reads all webhooks for pods once, and says of any pod which ones get it. */
export async function readOtherWebhooks(
  kube: KubeClient,
): Promise<(namespace: Labels, pod: Labels) => readonly OtherWebhook[]> {
  const all: (readonly [selects: ReturnType<typeof selectionOf>, webhook: OtherWebhook])[] = [];
  const problems = new Map<string, Promise<string | undefined>>();
  const problemOf = (service: JsonObject) => {
    const place = `${String(service["namespace"])}/${String(service["name"])}`;
    const found = problems.get(place) ?? serviceProblem(kube, service);
    problems.set(place, found);
    return found;
  };
  for (const [kind, path] of KINDS) {
    for await (const object of kube.list(path)) {
      if (deploymentOf(object) !== undefined) continue;
      for (const webhook of objectsOf(object["webhooks"]).filter(isForPods)) {
        all.push([selectionOf([webhook]), await describe(kind, nameOf(object), webhook, problemOf)]);
      }
    }
  }
  return (namespace, pod) => all.filter(([selects]) => selects(namespace, pod)).map(([, one]) => one);
}

function isForPods({ rules }: JsonObject): boolean {
  const has = (list: unknown, ...wanted: readonly string[]) => listOf(list).some((one) => wanted.includes(String(one)));
  return objectsOf(rules).some(
    ({ apiGroups, resources, operations }) =>
      has(apiGroups, "", "*") && has(resources, "pods", "*", "*/*") && has(operations, "CREATE", "*"),
  );
}

async function describe(
  kind: (typeof KINDS)[number][0],
  configuration: string,
  { name, failurePolicy = "Fail", clientConfig, matchConditions }: JsonObject,
  problemOf: (service: JsonObject) => Promise<string | undefined>,
) {
  const { service } = objectOf(clientConfig);
  const problem = failurePolicy === "Fail" && isObject(service) ? await problemOf(service) : undefined;
  const remediation = `start the service, or kubectl delete ${kind}webhookconfiguration ${configuration}`;
  return {
    configuration,
    name: String(name),
    kind,
    /** The API server rejects a pod whose call fails with `Fail`. */
    failurePolicy: String(failurePolicy),
    /** Whether it has match conditions: they are not evaluated here. */
    isConditional: listOf(matchConditions).length > 0,
    /** The reason why no call of it can succeed, and what to do. */
    ...defined({ problem, remediation: problem && remediation }),
  };
}

/** The reason why a service cannot be called; undefined where nothing is wrong, or the principal may not look. */
async function serviceProblem(kube: KubeClient, { namespace, name }: JsonObject): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${encodeURIComponent(String(namespace))}/services/${encodeURIComponent(String(name))}`;
  const there = await kube.get(path).catch(unlessDenied);
  return there === undefined ? `its service ${String(namespace)}/${String(name)} does not exist` : undefined;
}
