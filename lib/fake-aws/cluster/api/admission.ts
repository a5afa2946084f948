// What happens to a pod that is created before it is judged: the mutating webhooks whose selectors and match conditions choose it.
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { httpCall } from "@outrigger/aws";
import { type JsonObject, objectOf, objectsOf, parseJson } from "@outrigger/base";
import { applyPatch, type PatchOperation } from "@outrigger/pod";
import { meetsAll, type NewPod, variablesOf } from "./expressions.ts";
import type { ObjectStore } from "./objects.ts";
import { isProtobuf, readProtobuf } from "./read-protobuf.ts";
import { isSelected } from "./selected.ts";

export interface WebhookCall {
  /** The webhook's address: `url` or `service`, and `caBundle`. */
  readonly clientConfig: JsonObject;
  readonly pod: JsonObject;
  readonly namespace: string;
  readonly isDryRun: boolean;
  readonly timeoutSeconds: number;
}

/** The pod as a webhook makes it; rejects where the call fails, and with a Denial where the webhook lets no such pod in. */
export type CallWebhook = (call: WebhookCall) => Promise<JsonObject>;

export interface Admission extends Pick<ObjectStore, "objects"> {
  callWebhook: CallWebhook;
}

/** A webhook's answer, which its failure policy does not change. */
export class Denial extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** @throws Error with the API server's message, where a webhook fails that must not; Denial where one denies the pod */
export async function admitPod(
  { objects, callWebhook }: Admission,
  namespace: string,
  sent: JsonObject,
  isDryRun: boolean,
): Promise<JsonObject> {
  let pod = sent;
  for (const webhook of webhooksFor(objects, { pod, namespace, isDryRun })) {
    const { name, failurePolicy, timeoutSeconds } = webhook;
    const clientConfig = webhook["clientConfig"] as JsonObject;
    try {
      pod = await callWebhook({ clientConfig, pod, namespace, isDryRun, timeoutSeconds: Number(timeoutSeconds ?? 10) });
    } catch (error) {
      if (error instanceof Denial)
        throw new Denial(`admission webhook "${String(name)}" denied the request: ${error.message}`, error.status);
      if (failurePolicy !== "Fail") continue;
      const { url = "https://service" } = clientConfig as { readonly url?: string };
      const why = `failed calling webhook "${String(name)}": Post "${url}": ${String(error)}`;
      throw new Error(`Internal error occurred: ${why}`);
    }
  }
  return pod;
}

/** @throws Error where a condition of a webhook that must not fail cannot be evaluated */
function webhooksFor(objects: ObjectStore["objects"], asked: NewPod): readonly JsonObject[] {
  const namespace = objects.get(`/api/v1/namespaces/${asked.namespace}`);
  const variables = variablesOf(objects, asked);
  const isMet = ({ matchConditions, failurePolicy }: JsonObject) => {
    const outcome = meetsAll(matchConditions, variables);
    if (typeof outcome === "object" && failurePolicy === "Fail") throw new Error(outcome.message);
    return outcome === true;
  };
  return [...objects.values()]
    .filter(({ kind }) => kind === "MutatingWebhookConfiguration")
    .flatMap(({ webhooks }) => objectsOf(webhooks))
    .filter((webhook) => isSelected(webhook, namespace, asked.pod) && isMet(webhook));
}

/** Calls a webhook as an API server does. Without a `caBundle`, `authority` (PEM) is trusted, or whom Node trusts. */
export function webhookCaller({ objects }: Pick<ObjectStore, "objects">, authority?: string): CallWebhook {
  return async ({ clientConfig, pod, namespace, isDryRun, timeoutSeconds }) => {
    const { service } = clientConfig as { readonly service?: { readonly namespace: string; readonly name: string } };
    // A service of the cluster has no address here: it is there or not.
    if (service !== undefined) {
      const isThere = objects.has(`/api/v1/namespaces/${service.namespace}/services/${service.name}`);
      const quoted = `service "${service.name}"`;
      throw new Error(isThere ? `no endpoints available for ${quoted}` : `${quoted} not found`);
    }
    const { url, caBundle } = clientConfig as { readonly url: string; readonly caBundle?: string };
    const request = { uid: randomUUID(), namespace, operation: "CREATE", dryRun: isDryRun, object: pod };
    const ca = caBundle === undefined ? authority : Buffer.from(caBundle, "base64");
    const { status, bytes } = await httpCall(new URL(`${url}?timeout=${timeoutSeconds}s`), {
      method: "POST",
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
      headers: { "content-type": "application/json" },
      agent: false,
      ca,
      body: JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request }),
      limit: MAX_ANSWER,
    });
    if (status !== 200) throw new Error(`status ${status}`);
    const { response } = objectOf(parseJson(String(bytes)));
    const { allowed, patch, status: reason } = objectOf(response);
    if (allowed === true) {
      const operations = patch === undefined ? [] : JSON.parse(Buffer.from(String(patch), "base64").toString());
      return applyPatch(pod, operations as readonly PatchOperation[]) as JsonObject;
    }
    const { message, code } = objectOf(reason);
    throw new Denial(String(message), Number(code ?? 400));
  };
}

/** Bytes: an API server reads no longer answers. */
const MAX_ANSWER = 3 * 2 ** 20;

/** A body in JSON, or in protobuf by its content type; empty where that is of a kind that is not read. */
export async function bodyOf(request: Readable, type = ""): Promise<JsonObject> {
  const body = await buffer(request);
  if (isProtobuf(type)) return readProtobuf(body) ?? {};
  return body.length === 0 ? {} : (JSON.parse(body.toString("utf8")) as JsonObject);
}
