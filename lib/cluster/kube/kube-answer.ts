// What an answer of an API server comes to: an object, something to wait for, or an error that says what to do.
import { isObject, type JsonObject, OutriggerError, ownError } from "@outrigger/base";
import { ownNames } from "@outrigger/webhook";
import type { HttpAnswer, HttpRequest } from "./http-exchange.ts";
import { readObject } from "./read-pod.ts";

/** The number of times that a busy server is asked. */
export const TRIES = 5;

/** A webhook that failed has had its time already: asking again would hang as long again. */
export function isBusy(answer: HttpAnswer): boolean {
  const { status } = answer;
  return status === 429 || (status >= 500 && failedWebhook(answer) === undefined);
}

/** The webhook that the API server could not call: a Status names it in its message only. Empty where it names none. */
function failedWebhook(answer: HttpAnswer): string | undefined {
  const found = /failed calling webhook(?: "([^"]*)")?/.exec(messageOf(answer));
  return found === null ? undefined : (found[1] ?? "");
}

/**
 * A missing object is answered with a Status. A path that the server does not serve at all is answered in plain text, and so
 * does a proxy or another server: see isAbsentKind.
 */
export function isStatus({ body }: HttpAnswer): boolean {
  return readObject(body)?.["kind"] === "Status";
}

export function bodyOf({ body, status }: HttpAnswer, name: string, { method, path }: HttpRequest): JsonObject {
  const value = readObject(body);
  // Another server's success may be any object. Reviews are answered with what was sent.
  const { kind, metadata, items } = value ?? {};
  const isKubernetes = typeof kind === "string" || isObject(metadata) || Array.isArray(items);
  if (value !== undefined && (isKubernetes || method === "POST" || path === "/version")) return value;
  throw notKubernetes(name, "a Kubernetes object", status);
}

export function notKubernetes(name: string, expected: string, status = 200): OutriggerError {
  const message = `Cannot understand the answer of cluster ${name}: it is not ${expected} (HTTP ${status}); check that its endpoint is an API server and not a proxy's login page`;
  return new OutriggerError("cluster-unreachable", message);
}

export function found<Answer>(answer: Answer | undefined, path: string): Answer {
  if (answer !== undefined) return answer;
  throw new OutriggerError("cluster-refused", `Cannot use ${path}: there is no such namespace or resource`, { path });
}

export function refusal(answer: HttpAnswer, name: string, { method, path }: HttpRequest): OutriggerError {
  const { status } = answer;
  const said = messageOf(answer);
  const place = path.replace(/\?.*/, "");
  const rejects = `Cluster ${name} rejects ${place} (HTTP ${status}): ${said}`;
  if (status === 401) {
    const message = `Cluster ${name} does not know these credentials: add an access entry for the principal (aws eks create-access-entry --cluster-name ${name} --principal-arn …), or use another with --profile or --role-arn`;
    return new OutriggerError("cluster-denied", message);
  }
  if (status === 403 && isAdmissionRefusal(method, said))
    return new OutriggerError("cluster-refused", rejects, { path: place });
  if (status === 403) {
    const message = `Not allowed in cluster ${name}: ${said}; bind the roles that outrigger print rbac prints to the principal${roleHint(place)}`;
    return new OutriggerError("cluster-denied", message, { path: place });
  }
  if (status === 404) {
    const message = `Cluster ${name} does not serve ${place}: it takes a newer version of Kubernetes, or something else than its API server answers (check the endpoint and the proxy)`;
    return new OutriggerError("cluster-kind-unknown", message);
  }
  if (status === 409) {
    const message = `Cannot change ${place} in cluster ${name}: ${said}; see who owns it with kubectl get --raw ${place}`;
    return new OutriggerError("cluster-conflict", message, { path: place });
  }
  if (isBusy(answer)) {
    const message = `Cluster ${name} cannot answer now (HTTP ${status}, asked ${TRIES} times): ${said}; try again later`;
    return new OutriggerError("cluster-unreachable", message);
  }
  const webhook = failedWebhook(answer);
  if (webhook !== undefined) return new OutriggerError("cluster-webhook-failed", rejects, { path: webhook });
  const message = `Cluster ${name} refuses ${method} ${place} (HTTP ${status}): ${said}`;
  return new OutriggerError(status === 410 ? "cluster-list-expired" : "cluster-refused", message, { path: place });
}

/** Handles, in a `catch`, the error of a read that a principal may go without. */
export function unlessDenied(error: unknown): "denied" {
  ownError(error, "cluster-denied");
  return "denied";
}

/** Roles are limited to names: those of other revisions and tags, and a restart's, are in no role that is printed without them. */
function roleHint(place: string): string {
  if (place.endsWith(`/configmaps/${ownNames.restartJournal.name}`)) return " (outrigger print rbac restart)";
  return /\/outrigger-(sidecar-injector-|revision-tag-)/.test(place)
    ? ", with --revision and --tag for every revision and tag that you register"
    : "";
}

/**
 * Quotas, Pod Security and webhooks refuse an object with the status of a missing permission. Only of that, the message says
 * what the user cannot do.
 */
function isAdmissionRefusal(method: string, message: string): boolean {
  return (
    method !== "GET" && /is forbidden: |denied the request/.test(message) && !/ cannot [a-z]+ resource /.test(message)
  );
}

/** The message of a Status. It may quote a webhook's URL, which contains a token. */
function messageOf({ body, status }: HttpAnswer): string {
  // A gateway's own page says nothing that helps.
  const message = readObject(body)?.["message"];
  return withoutTokens(typeof message === "string" ? message : `HTTP ${status}`).slice(0, 500);
}

export function withoutTokens(text: string): string {
  return text.replace(/\/t\/[^/\s"]+/g, "/t/…");
}
