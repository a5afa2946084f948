// A Kubernetes API server for tests of registering, as far as registering asks it: bearer tokens, server-side apply with its
// conflicts, merge patches, lists in pages, dry runs that call the webhooks they should, and faults on demand. HTTPS on
// loopback, under an authority of its own.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "../../cli/server/certificate.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { applyPatch } from "../../lib/kube/apply-patch.ts";
import { matchesLabelSelector, parseLabelSelector } from "../../lib/kube/label-selector.ts";
import type { PatchOperation } from "../../lib/kube/patch-operation.ts";

export interface Fault {
  readonly method: string;
  /** A part of the path. */
  readonly path: string;
  readonly status: number;
  readonly retryAfter?: string;
  readonly message?: string;
  /** How often; left out, always. */
  times?: number;
}

export interface FakeApiServer {
  readonly url: string;
  readonly ca: string;
  /** Path → object. */
  readonly objects: Map<string, JsonObject>;
  readonly faults: Fault[];
  /** `METHOD path?query content-type`, in order. */
  readonly calls: string[];
  /** Which bearer tokens are let in. */
  accepts: (token: string) => boolean;
  /** Objects that somebody else holds fields of: they conflict unless forced. */
  readonly contested: Set<string>;
  /** Path → what was last applied. */
  readonly applied: Map<string, JsonObject>;
  /** Most items of a page, whatever is asked for. */
  pageSize: number;
  put(path: string, object: JsonObject): void;
  close(): Promise<void>;
}

export async function startFakeApiServer(certificate: Certificate): Promise<FakeApiServer> {
  const objects = new Map<string, JsonObject>();
  const state = {
    objects,
    faults: [] as Fault[],
    calls: [] as string[],
    accepts: (_token: string) => true,
    contested: new Set<string>(),
    applied: new Map<string, JsonObject>(),
    pageSize: 500,
    ca: certificate.cert,
    put: (path: string, object: JsonObject) => void objects.set(path, stamped(object)),
  };
  const server = createServer(certificate, (request, response) => {
    answer(state as unknown as FakeApiServer, request)
      .catch((error: unknown) => status(500, `the fake failed: ${String(error)}`))
      .then((reply) => send(reply, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(state, { url, close });
}

async function answer(state: FakeApiServer, request: IncomingMessage): Promise<Reply> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? "/", state.url);
  const method = request.method ?? "";
  const type = request.headers["content-type"] ?? "";
  state.calls.push(`${method} ${request.url} ${type}`.trim());
  const fault = state.faults.find((one) => one.method === method && path.includes(one.path) && one.times !== 0);
  if (fault !== undefined) {
    if (fault.times !== undefined) fault.times--;
    const reply = status(fault.status, fault.message ?? "a fault on demand");
    return fault.retryAfter === undefined ? reply : { ...reply, retryAfter: fault.retryAfter };
  }
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  if (scheme !== "Bearer" || token === undefined || !state.accepts(token)) return status(401, "Unauthorized");
  const body = await bodyOf(request);
  if (method === "GET") return get(state, path, query);
  if (method === "DELETE") return remove(state, path);
  if (method === "POST") return create(state, path, query, body);
  if (method === "PUT") return replace(state, path, body);
  if (method !== "PATCH") return status(405, "the server does not allow this method on the requested resource");
  if (type === "application/apply-patch+yaml") return apply(state, path, query, body);
  if (type === "application/merge-patch+json") return mergePatch(state, path, body);
  return status(415, `the body of the request was in an unknown format: ${type}`);
}

function get(state: FakeApiServer, path: string, query: URLSearchParams): Reply {
  const object = state.objects.get(path);
  if (object !== undefined) return json(200, object);
  if (!isCollection(path)) return status(404, `${path} not found`);
  const selector = query.get("labelSelector") ?? "";
  const found = [...state.objects]
    .filter(([place]) => isItemOf(place, path))
    .map(([, item]) => item)
    .filter((item) => hasLabels(item, selector));
  const start = Number(query.get("continue") ?? "0");
  const end = start + Math.min(Number(query.get("limit") ?? "500"), state.pageSize);
  const next = end < found.length ? { continue: String(end) } : {};
  return json(200, { kind: "List", apiVersion: "v1", metadata: next, items: found.slice(start, end) });
}

/** Pods of all namespaces are listed at a path of their own. */
function isItemOf(place: string, collection: string): boolean {
  if (collection === "/api/v1/pods") return /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+$/.test(place);
  if (collection === "/apis/apps/v1/deployments") return /\/deployments\/[^/]+$/.test(place);
  return place.startsWith(`${collection}/`) && !place.slice(collection.length + 1).includes("/");
}

function isCollection(path: string): boolean {
  return /\/[a-z]+s$|\/validatingadmissionpolicies$/.test(path);
}

function hasLabels(item: JsonObject, selector: string): boolean {
  const { labels } = item["metadata"] as JsonObject;
  return selector.split(",").every((term) => {
    const [key, value] = term.split("=");
    return term === "" || (isObject(labels) && labels[key as string] === value);
  });
}

function remove(state: FakeApiServer, path: string): Reply {
  state.applied.delete(path);
  if (!state.objects.delete(path)) return status(404, `${path} not found`);
  return json(200, { kind: "Status", status: "Success" });
}

function apply(state: FakeApiServer, path: string, query: URLSearchParams, body: JsonObject): Reply {
  if (query.get("fieldManager") === null) return status(400, "fieldManager is required for apply patch");
  if (state.contested.has(path) && query.get("force") !== "true") {
    return status(409, 'Apply failed with 1 conflict: conflict with "kubectl-edit": .webhooks');
  }
  const before = state.objects.get(path);
  state.put(path, defaulted(mergeApplied(before, state.applied.get(path), body) as JsonObject));
  state.applied.set(path, body);
  return json(before === undefined ? 201 : 200, state.objects.get(path) as JsonObject);
}

/** What was not in the applier's configuration before, and is not now, is somebody else's and stays. */
function mergeApplied(there: unknown, last: unknown, next: unknown): unknown {
  if (isObject(there) && isObject(next)) {
    const ours = isObject(last) ? last : {};
    const foreign = Object.entries(there).filter(([key]) => next[key] === undefined && ours[key] === undefined);
    const merged = Object.entries(next).map(([key, value]) => [key, mergeApplied(there[key], ours[key], value)]);
    return Object.fromEntries([...foreign, ...merged]);
  }
  if (!isNamed(there) || !isNamed(next)) return next;
  const ours = isNamed(last) ? last : [];
  const byName = (list: readonly JsonObject[], { name }: JsonObject) => list.find((item) => item["name"] === name);
  const foreign = there.filter((item) => byName(next, item) === undefined && byName(ours, item) === undefined);
  return [...next.map((item) => mergeApplied(byName(there, item), byName(ours, item), item)), ...foreign];
}

/** Lists of things with names are merged by name; matchConditions are, too, and nobody adds to those here. */
function isNamed(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && item["name"] !== undefined);
}

const MATCH_DEFAULTS = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };

/** What an API server fills in by itself. */
function defaulted(object: JsonObject): JsonObject {
  const { kind, spec } = object;
  if (!isObject(spec)) return object;
  const field = kind === "ValidatingAdmissionPolicy" ? "matchConstraints" : "matchResources";
  const match = { ...MATCH_DEFAULTS, ...(spec[field] as JsonObject) };
  const rules = match as { readonly resourceRules?: readonly JsonObject[] };
  const scoped = rules.resourceRules?.map((rule) => ({ scope: "*", ...rule }));
  return { ...object, spec: { ...spec, [field]: { ...match, ...(scoped && { resourceRules: scoped }) } } };
}

/** An update: the object is what is sent, if it is of the version that is there. */
function replace(state: FakeApiServer, path: string, body: JsonObject): Reply {
  const before = state.objects.get(path);
  if (before === undefined) return status(404, `${path} not found`);
  const versions = [before, body].map(({ metadata }) => (metadata as JsonObject)["resourceVersion"]);
  if (versions[0] !== versions[1]) return status(409, "the object has been modified; please apply your changes");
  state.put(path, defaulted(body));
  return json(200, state.objects.get(path) as JsonObject);
}

function mergePatch(state: FakeApiServer, path: string, body: JsonObject): Reply {
  const before = state.objects.get(path);
  if (before === undefined) return status(404, `${path} not found`);
  state.put(path, merged(before, body) as JsonObject);
  return json(200, state.objects.get(path) as JsonObject);
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** Only dry runs of pods: nothing else is created. */
async function create(state: FakeApiServer, path: string, query: URLSearchParams, body: JsonObject): Promise<Reply> {
  const [, namespace] = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/.exec(path) ?? [];
  if (namespace === undefined || query.get("dryRun") !== "All") return status(405, "only pods, as dry runs");
  const place = state.objects.get(`/api/v1/namespaces/${namespace}`);
  if (place === undefined) return status(404, `namespaces "${namespace}" not found`);
  let pod = body;
  for (const webhook of webhooksFor(state, labelsOf(place), labelsOf(body))) {
    const { failurePolicy, clientConfig } = webhook;
    try {
      pod = await callWebhook(clientConfig as JsonObject, pod, namespace, Number(webhook["timeoutSeconds"]));
    } catch (error) {
      if (failurePolicy === "Fail") {
        const { url } = clientConfig as { readonly url: string };
        const message = `Internal error occurred: failed calling webhook "${String(webhook["name"])}": Post "${url}": ${String(error)}`;
        return status(500, message);
      }
    }
  }
  return json(201, pod);
}

function webhooksFor(state: FakeApiServer, namespace: Labels, pod: Labels): readonly JsonObject[] {
  return [...state.objects.values()]
    .filter(({ kind }) => kind === "MutatingWebhookConfiguration")
    .flatMap(({ webhooks }) => (Array.isArray(webhooks) ? webhooks.filter(isObject) : []))
    .filter(
      ({ namespaceSelector, objectSelector }) =>
        matchesLabelSelector(parseLabelSelector(namespaceSelector, "n"), namespace) &&
        matchesLabelSelector(parseLabelSelector(objectSelector, "o"), pod),
    );
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ metadata }: JsonObject): Labels {
  return ((metadata as JsonObject)["labels"] ?? {}) as Labels;
}

function callWebhook(
  clientConfig: JsonObject,
  pod: JsonObject,
  namespace: string,
  timeoutSeconds: number,
): Promise<JsonObject> {
  const { url, caBundle } = clientConfig as { readonly url: string; readonly caBundle?: string };
  const uid = randomUUID();
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid, namespace, operation: "CREATE", dryRun: true, object: pod },
  };
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, "base64");
  const options = { method: "POST", signal, headers: { "content-type": "application/json" }, ...(ca && { ca }) };
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(`${url}?timeout=${timeoutSeconds}s`, { ...options, agent: false }, async (response) => {
      const answered = await bodyOf(response);
      if (response.statusCode === 200) resolve(patched(pod, answered));
      else reject(new Error(`status ${response.statusCode}`));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(review));
  });
}

function patched(pod: JsonObject, { response }: JsonObject): JsonObject {
  const { patch } = response as { readonly patch?: string };
  const operations = patch === undefined ? [] : JSON.parse(Buffer.from(patch, "base64").toString());
  return applyPatch(pod, operations as readonly PatchOperation[]) as JsonObject;
}

/** What an API server puts into every object. */
function stamped(object: JsonObject): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  const creationTimestamp = metadata["creationTimestamp"] ?? "2026-11-01T00:00:00Z";
  const stamp = { creationTimestamp, generation: 1, resourceVersion: randomUUID() };
  return { ...object, metadata: { uid: randomUUID(), ...metadata, ...stamp } };
}

async function bodyOf(request: AsyncIterable<Uint8Array>): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as JsonObject);
}

interface Reply {
  readonly code: number;
  readonly body: JsonObject;
  readonly retryAfter?: string;
}

function status(code: number, message: string): Reply {
  return json(code, { kind: "Status", apiVersion: "v1", status: "Failure", message, code });
}

function json(code: number, body: JsonObject): Reply {
  return { code, body };
}

function send({ code, body, retryAfter }: Reply, response: ServerResponse): void {
  response.writeHead(code, { "content-type": "application/json", ...(retryAfter && { "retry-after": retryAfter }) });
  response.end(JSON.stringify(body));
}
