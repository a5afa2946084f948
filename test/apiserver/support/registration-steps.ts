// What a registration leaves on a real API server, step by step: each command with what a cluster is after it, what becomes of a new pod
// meanwhile, and why a cluster is not as a command leaves it.
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, listOf, objectOf, objectsOf, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import type { RealLab } from "./real-lab.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const KINDS = ["mutatingwebhookconfigurations", "validatingadmissionpolicies", "validatingadmissionpolicybindings"];

/** A command, and what a cluster is after it. */
export interface Step {
  readonly argv: readonly string[];
  readonly leaves: "serving" | "off" | "nothing";
}

const REGISTER = ["register", "--cluster", "shop", "--ca-file", "ca.pem"];

/** The commands reach the API server where `reachAt` has said. */
export const registrationSteps = {
  cluster: { argv: [...REGISTER, "--phase", "cluster"], leaves: "serving" },
  noNet: { argv: [...REGISTER, "--phase", "cluster", "--safety-net", "off"], leaves: "serving" },
  deny: { argv: [...REGISTER, "--phase", "enforce", "--safety-net", "deny"], leaves: "serving" },
  warn: { argv: [...REGISTER, "--phase", "enforce", "--safety-net", "warn"], leaves: "serving" },
  off: { argv: ["off", "--kubeconfig", "reached.kubeconfig"], leaves: "off" },
  remove: { argv: ["off", "--remove", "--yes", "--kubeconfig", "reached.kubeconfig"], leaves: "nothing" },
  unregister: { argv: ["unregister", "--cluster", "shop", "--yes"], leaves: "nothing" },
} as const satisfies Readonly<Record<string, Step>>;

/** Publishes, and makes a namespace that asks for sidecars, for a principal with the roles of these commands. They reach the API server itself. */
export async function prepareRegistration(lab: RealLab): Promise<void> {
  reachAt(lab, lab.api.url);
  await lab.allow(["register", "check", "registration", "off"]);
  const { code, err } = await lab.run("publish");
  if (code !== 0) throw new Error(err);
  await lab.namespace("shop", { "istio-injection": "enabled" });
  await lab.until("the namespace has its service account", async () => {
    const path = "/api/v1/namespaces/shop/serviceaccounts/default";
    return (await lab.api.admin.get(path)) !== undefined;
  });
}

/** Lets commands reach the API server at a URL: its own, or that of a proxy. */
export function reachAt(lab: RealLab, url: string): void {
  const described = lab.services.clusters.get("shop");
  lab.services.clusters.set("shop", { ...described, endpoint: url });
  lab.write("reached.kubeconfig", lab.kubeconfigText().replace(lab.api.url, url));
}

/** What becomes of a new pod: it is injected, it is admitted as it is, or why it is not admitted. */
async function nextPod({ api }: RealLab): Promise<string> {
  const containers = [{ name: "app", image: "app:1" }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } };
  try {
    const made = await api.admin.createDryRun("/api/v1/namespaces/shop/pods", pod);
    return isInjected(made as never) ? "injected" : "admitted";
  } catch (error) {
    return ownError(error).message;
  }
}

/** Milliseconds between two pods: the command has to get on as well. */
const BETWEEN = 10;

/** Tries the next pod again and again; the function that is returned tries a last one, and returns what became of them. */
export function watchPods(lab: RealLab): () => Promise<readonly string[]> {
  const watch = { isOver: false, pods: [] as string[] };
  const watching = (async () => {
    for (; !watch.isOver; await pause(BETWEEN)) watch.pods.push(await nextPod(lab));
  })();
  return async () => {
    watch.isOver = true;
    await watching;
    return [...watch.pods, await nextPod(lab)];
  };
}

/** How many pods became what they must not, and the first of them; undefined where none did. @param isKept whether all have to be injected */
export function wrongPods(pods: readonly string[], isKept: boolean): string | undefined {
  const wrong = pods.filter((pod) => (isKept ? pod !== "injected" : !["injected", "admitted"].includes(pod)));
  return wrong.length === 0 ? undefined : `${wrong.length} of ${pods.length} pods: ${wrong[0]}`;
}

/** Runs a command, and says why the cluster is not as it leaves it; undefined where it is. */
export async function whyWrong(lab: RealLab, { argv, leaves }: Step): Promise<string | undefined> {
  const { code, out, err } = await lab.run(...argv);
  if (code !== 0) return `it ends with ${code}: ${err}`;
  const there = await objects(lab);
  const left = there.map((one) => metadataOf(one).name).join(", ");
  if (leaves === "nothing") return left === "" ? undefined : `it leaves ${left}`;
  const strict = there.filter(canReject).map((one) => metadataOf(one).name);
  if (leaves === "off") return strict.length > 0 ? `${strict.join(", ")} may still reject: ${out}` : undefined;
  const checked = await lab.run("check", "--cluster", "shop", "--section", "registration");
  if (checked.code !== 0) return `check finds ${checked.out}`;
  return (await nextPod(lab)) === "injected" ? undefined : "the next pod is not injected";
}

async function objects({ api }: RealLab): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (const kind of KINDS)
    for await (const one of api.admin.list(`${ADMISSION}/${kind}`, { labelSelector: "outrigger/revision" }))
      if (!JSON.stringify(one).includes('"name":"outrigger-off"')) found.push(one);
  return found;
}

function canReject({ webhooks, spec }: JsonObject): boolean {
  const isStrict = objectsOf(webhooks).some(({ failurePolicy }) => failurePolicy === "Fail");
  return isStrict || listOf(objectOf(spec)["validationActions"]).includes("Deny");
}
