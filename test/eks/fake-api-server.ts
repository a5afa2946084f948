// A Kubernetes API server for tests of registering, as far as registering asks it: bearer tokens, server-side apply with its
// conflicts, merge patches, lists in pages, dry runs that call the webhooks they should, and faults on demand. HTTPS on
// loopback, under an authority of its own.
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createServer, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { isObject, type JsonObject, jsonEqual, objectsOf, valueAt } from "@outrigger/base";
import type { Certificate } from "@outrigger/cli";
import type { kubeClient } from "@outrigger/cluster";
import type { PatchOperation } from "@outrigger/pod";
import { applyPatch, matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import { discoveryOf } from "./discovery.ts";
import { whyNotResized } from "./pod-resize.ts";
import { type Managed, managedFieldsOf, type Ownership, recordUpdate, serverSideApply } from "./server-side-apply.ts";

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

type Exchange = Parameters<typeof kubeClient>[0]["exchange"];
type HttpRequest = Parameters<Exchange>[0];
type HttpAnswer = Awaited<ReturnType<Exchange>>;

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
  /** `verb resource` that access reviews deny. */
  readonly denied: Set<string>;
  /** Resources that an older version does not serve: of admissionregistration.k8s.io, and `pods/resize`. */
  readonly unserved: Set<string>;
  /** Why a request is forbidden, or undefined where it is allowed: test/eks/rbac-authorizer.ts. */
  authorize: ((method: string, path: string, type: string, token: string) => string | undefined) | undefined;
  /** Path → who owns which field. */
  readonly owners: Map<string, Ownership>;
  /** Answers instead of the webhook itself; throws where the call fails. */
  webhook: ((url: string, pod: JsonObject) => JsonObject) | undefined;
  /** One exchange without a network. */
  direct: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Called before each request is answered: where it throws, the request has no effect and the connection is cut. */
  before: (method: string, path: string) => void | Promise<void>;
  /** Called after each request took effect: where it throws, the connection is cut without an answer. */
  after: (method: string, path: string) => void;
  /** Text of a Warning header that comes with every pod that is created. */
  warning: string | undefined;
  /** Milliseconds since 1970: when fields were written. */
  now: () => number;
  /** Most items of a page, whatever is asked for. */
  pageSize: number;
  put(path: string, object: JsonObject): void;
  /** An update by another manager. */
  edit(path: string, manager: string, change: (object: JsonObject) => JsonObject): void;
  close(): Promise<void>;
}

export async function startFakeApiServer(certificate: Certificate): Promise<FakeApiServer> {
  const objects = new Map<string, JsonObject>();
  const state = {
    objects,
    faults: [] as Fault[],
    calls: [] as string[],
    accepts: (_token: string) => true,
    denied: new Set<string>(),
    unserved: new Set<string>(),
    authorize: undefined as FakeApiServer["authorize"],
    owners: new Map<string, Ownership>(),
    before: (_method: string, _path: string): void | Promise<void> => {},
    after: (_method: string, _path: string): void => {},
    now: Date.now,
    pageSize: 500,
    warning: undefined as string | undefined,
    ca: certificate.cert,
    webhook: undefined as FakeApiServer["webhook"],
    direct: undefined as unknown as FakeApiServer["direct"],
    put: (path: string, object: JsonObject) => void objects.set(path, stamped(object)),
    edit: (path: string, manager: string, change: (object: JsonObject) => JsonObject) => {
      const before = managed(state as unknown as FakeApiServer, path);
      if (before === undefined) throw new Error(`there is no ${path}`);
      store(state as unknown as FakeApiServer, path, recordUpdate(before, manager, change(before.object)));
    },
  };
  const direct = async ({ method, path, body = "", contentType = "" }: HttpRequest): Promise<HttpAnswer> => {
    const headers = { "content-type": contentType, authorization: "Bearer t" };
    const request = Object.assign(bytesOf(body), { method, url: path, headers });
    const { code, body: answered } = await answer(state as unknown as FakeApiServer, request);
    return { status: code, body: textOf(code, answered), date: new Date(state.now()).toUTCString() };
  };
  const server = createServer(certificate, (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "https://localhost");
    // Nothing happens while it is watched.
    if (request.url?.includes("watch=true")) {
      response.writeHead(200, { "content-type": "application/json" });
      return void response.flushHeaders();
    }
    const handle = async () => {
      await state.before(request.method ?? "", pathname);
      const reply = await answer(state as unknown as FakeApiServer, request).catch((error: unknown) =>
        status(500, `the fake failed: ${String(error)}`),
      );
      state.after(request.method ?? "", pathname);
      // Its time, as each answer says it.
      response.setHeader("date", new Date(state.now()).toUTCString());
      send(reply, response);
    };
    handle().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(state, { url, close, direct });
}

/** What is read of a request, from a network or not. */
interface Asked extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function answer(state: FakeApiServer, request: Asked): Promise<Reply> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "https://localhost");
  const method = request.method ?? "";
  const type = String(request.headers["content-type"] ?? "");
  state.calls.push(`${method} ${request.url} ${type}`.trim());
  const fault = state.faults.find((one) => one.method === method && path.includes(one.path) && one.times !== 0);
  if (fault !== undefined) {
    if (fault.times !== undefined) fault.times--;
    const reply = status(fault.status, fault.message ?? "a fault on demand");
    return fault.retryAfter === undefined ? reply : { ...reply, retryAfter: fault.retryAfter };
  }
  const [scheme, token] = String(request.headers["authorization"] ?? "").split(" ");
  if (scheme !== "Bearer" || token === undefined || !state.accepts(token)) return status(401, "Unauthorized");
  const forbidden = state.authorize?.(method, path, type, token);
  if (forbidden !== undefined) return status(403, forbidden);
  const body = await bodyOf(request);
  if ([...state.unserved].some((resource) => path.split("/")[4] === resource)) return status(404, NOT_SERVED);
  if (method === "GET") return get(state, path, query);
  if (method === "DELETE") return remove(state, path, body);
  if (method === "POST") return create(state, path, query, body);
  if (method === "PUT") return replace(state, path, query, body);
  if (method !== "PATCH") return status(405, "the server does not allow this method on the requested resource");
  if (type === "application/apply-patch+yaml") return apply(state, path, query, body);
  if (type === "application/merge-patch+json") return mergePatch(state, path, query, body, false);
  if (type === "application/strategic-merge-patch+json") return mergePatch(state, path, query, body, true);
  return status(415, `the body of the request was in an unknown format: ${type}`);
}

function get(state: FakeApiServer, path: string, query: URLSearchParams): Reply {
  if (path === "/version") return json(200, { major: "1", minor: "33", gitVersion: "v1.33.4-eks-99d6cc0" });
  const known = discoveryOf(path, state.unserved);
  if (known !== undefined) return json(200, known);
  const object = state.objects.get(path);
  if (object !== undefined) return json(200, object);
  if (/\/pods\/[^/]+\/log$/.test(path)) return json(200, { line: `said by ${query.get("container")}` });
  if (!isCollection(path)) return status(404, `${path} not found`);
  const selector = query.get("labelSelector") ?? "";
  const found = [...state.objects]
    .filter(([place]) => isItemOf(place, path))
    .map(([, item]) => item)
    .filter((item) => hasLabels(item, selector))
    .filter((item) => hasFields(item, query.get("fieldSelector") ?? ""));
  const start = Number(query.get("continue") ?? "0");
  const end = start + Math.min(Number(query.get("limit") ?? "500"), state.pageSize);
  const next = end < found.length ? { continue: String(end) } : {};
  return json(200, { kind: "List", apiVersion: "v1", metadata: next, items: found.slice(start, end) });
}

/** Pods of all namespaces are listed at a path of their own. */
function isItemOf(place: string, collection: string): boolean {
  if (collection === "/api/v1/events") return /^\/api\/v1\/namespaces\/[^/]+\/events\/[^/]+$/.test(place);
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
    if (term === "") return true;
    if (term.startsWith("!")) return !isObject(labels) || labels[term.slice(1)] === undefined;
    const label = isObject(labels) ? labels[key as string] : undefined;
    return value === undefined ? label !== undefined : label === value;
  });
}

/** Fields of the top level. */
function hasFields(item: JsonObject, selector: string): boolean {
  return selector.split(",").every((term) => {
    const [key = "", value] = term.split("=");
    return term === "" || valueAt(item, key.split(".")) === value;
  });
}

function remove(state: FakeApiServer, path: string, body: JsonObject): Reply {
  const object = state.objects.get(path);
  if (object === undefined) return status(404, `${path} not found`);
  const { preconditions } = body as { readonly preconditions?: { readonly resourceVersion?: string } };
  const { resourceVersion } = object["metadata"] as JsonObject;
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return status(409, "the ResourceVersion in the precondition does not match the object's");
  }
  state.objects.delete(path);
  state.owners.delete(path);
  return json(200, { kind: "Status", status: "Success" });
}

function managed(state: FakeApiServer, path: string): Managed | undefined {
  const object = state.objects.get(path);
  return object === undefined ? undefined : { object, owners: state.owners.get(path) ?? new Map() };
}

/** A write that changes nothing leaves the version as it is, as an API server does. */
function store(state: FakeApiServer, path: string, { object, owners }: Managed): JsonObject {
  const next = defaulted(object);
  const before = state.objects.get(path);
  state.owners.set(path, owners);
  if (before !== undefined && jsonEqual(withoutStamp(before), withoutStamp(next))) return before;
  const time = `${new Date(state.now()).toISOString().slice(0, 19)}Z`;
  const metadata = { ...(next["metadata"] as JsonObject), managedFields: managedFieldsOf(owners, time) } as JsonObject;
  const { uid, creationTimestamp, generation } = (before?.["metadata"] ?? {}) as JsonObject;
  const isSame = before !== undefined && jsonEqual(before["spec"] ?? null, next["spec"] ?? null);
  state.put(path, {
    ...next,
    metadata: {
      ...metadata,
      ...(uid && { uid }),
      ...(creationTimestamp && { creationTimestamp }),
      generation: Number(generation ?? 0) + (isSame ? 0 : 1),
    },
  });
  return state.objects.get(path) as JsonObject;
}

function withoutStamp({ metadata, ...object }: JsonObject): JsonObject {
  const {
    resourceVersion: _v,
    managedFields: _m,
    uid: _u,
    generation: _g,
    creationTimestamp: _c,
    ...kept
  } = metadata as JsonObject;
  return { ...object, metadata: kept as JsonObject };
}

function apply(state: FakeApiServer, path: string, query: URLSearchParams, body: JsonObject): Reply {
  const manager = query.get("fieldManager");
  if (manager === null) return status(400, "fieldManager is required for apply patch");
  const before = managed(state, path);
  const { resourceVersion, uid } = body["metadata"] as JsonObject;
  // As k8s.io/apiserver does it: of an object that is made, the version does not matter, and the UID must not be given.
  if (before === undefined && uid !== undefined) return status(409, "uid mismatch: no existing object was found");
  if (before !== undefined && resourceVersion !== undefined && resourceVersion !== versionOf(before.object))
    return modified();
  const applied = serverSideApply(before, manager, body, query.get("force") === "true");
  if (applied.kind === "conflict") {
    const { conflicts } = applied;
    return status(409, `Apply failed with ${conflicts.length} conflicts: ${conflicts.join(", ")}`);
  }
  return json(before === undefined ? 201 : 200, store(state, path, applied));
}

function versionOf(object: JsonObject | undefined): unknown {
  return (object?.["metadata"] as JsonObject | undefined)?.["resourceVersion"];
}

function modified(): Reply {
  return status(409, "the object has been modified; please apply your changes to the latest version and try again");
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
function replace(state: FakeApiServer, path: string, query: URLSearchParams, body: JsonObject): Reply {
  const before = managed(state, path);
  if (before === undefined) return status(404, `${path} not found`);
  const { resourceVersion } = body["metadata"] as JsonObject;
  if (resourceVersion !== undefined && resourceVersion !== versionOf(before.object)) return modified();
  return json(200, store(state, path, recordUpdate(before, query.get("fieldManager") ?? "unknown", body)));
}

function mergePatch(
  state: FakeApiServer,
  asked: string,
  query: URLSearchParams,
  body: JsonObject,
  isStrategic: boolean,
): Reply {
  const path = asked.replace(RESIZE, "");
  const isResize = path !== asked;
  if (isResize && state.unserved.has("pods/resize")) return status(404, NOT_SERVED);
  const before = managed(state, path);
  if (before === undefined) return status(404, `${path} not found`);
  const { resourceVersion } = (body["metadata"] ?? {}) as JsonObject;
  if (resourceVersion !== undefined && resourceVersion !== versionOf(before.object)) return modified();
  const object = (isStrategic ? mergedByName(before.object, body) : merged(before.object, body)) as JsonObject;
  const incomplete = objectsOf(object["webhooks"]).findIndex(({ clientConfig }) => clientConfig === undefined);
  if (isStrategic && incomplete >= 0) return status(422, `webhooks[${incomplete}].clientConfig: Required value`);
  const unresized = isResize ? whyNotResized(before.object, object) : undefined;
  if (unresized !== undefined) return status(422, `Pod "${path.split("/").at(-1)}" is invalid: ${unresized}`);
  if (!isResize && PODS.test(path) && !jsonEqual(withoutImages(before.object), withoutImages(object))) {
    return status(422, `Pod "${path.split("/").at(-1)}" is invalid: spec: Forbidden: ${IMMUTABLE}`);
  }
  const manager = query.get("fieldManager") ?? "unknown";
  return json(200, store(state, path, recordUpdate(before, manager, object, isResize ? "resize" : undefined)));
}

const RESIZE = /(?<=^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+)\/resize$/;
const PODS = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+$/;
const IMMUTABLE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function withoutImages({ spec }: JsonObject): JsonObject {
  const lists = ["containers", "initContainers"].map((list) => [
    list,
    objectsOf((spec as JsonObject)[list]).map(({ image: _, ...container }) => container),
  ]);
  return { ...(spec as JsonObject), ...(Object.fromEntries(lists) as JsonObject) };
}

const LISTS_BY_NAME: ReadonlySet<string> = new Set(["webhooks", "containers", "initContainers"]);

/** A strategic merge, as far as webhooks and pods need it: these lists are merged by name. */
function mergedByName(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (!LISTS_BY_NAME.has(key)) result[key] = mergedByName(result[key], value);
    else {
      const [there, given] = [objectsOf(result[key]), objectsOf(value)];
      const nameIn = (list: readonly JsonObject[], { name }: JsonObject) => list.find((item) => item["name"] === name);
      result[key] = [
        ...there.map((item) => mergedByName(item, nameIn(given, item) ?? {})),
        ...given.filter((item) => nameIn(there, item) === undefined),
      ];
    }
  }
  return result;
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

/** Access reviews, dry runs of pods, and what a person applies with kubectl: nothing else is created. */
async function create(state: FakeApiServer, path: string, query: URLSearchParams, body: JsonObject): Promise<Reply> {
  if (path.endsWith("/selfsubjectaccessreviews")) return accessReview(state, body);
  const manager = query.get("fieldManager");
  if (manager === "kubectl-client-side-apply") {
    const place = `${path}/${String((body["metadata"] as JsonObject)["name"])}`;
    return json(201, store(state, place, recordUpdate({ object: {}, owners: new Map() }, manager, body)));
  }
  const [, namespace] = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/.exec(path) ?? [];
  if (namespace === undefined || query.get("dryRun") !== "All") return status(405, "only pods, as dry runs");
  const place = state.objects.get(`/api/v1/namespaces/${namespace}`);
  if (place === undefined) return status(404, `namespaces "${namespace}" not found`);
  let pod = body;
  for (const webhook of webhooksFor(state, labelsOf(place), labelsOf(body))) {
    const { failurePolicy, clientConfig } = webhook;
    try {
      pod =
        state.webhook === undefined
          ? await callWebhook(serving(state, clientConfig), pod, namespace, Number(webhook["timeoutSeconds"]))
          : state.webhook(String((clientConfig as JsonObject)["url"]), pod);
    } catch (error) {
      if (failurePolicy === "Fail") {
        const { url = "https://service" } = clientConfig as { readonly url?: string };
        const message = `Internal error occurred: failed calling webhook "${String(webhook["name"])}": Post "${url}": ${String(error)}`;
        return status(500, message);
      }
    }
  }
  const { warning } = state;
  return { ...json(201, pod), ...(warning === undefined ? {} : { warning }) };
}

/** A service of the cluster has no address here: it is there or not. */
function serving({ objects }: FakeApiServer, clientConfig: unknown): JsonObject {
  const { service } = clientConfig as { readonly service?: { readonly namespace: string; readonly name: string } };
  if (service === undefined) return clientConfig as JsonObject;
  const isThere = objects.has(`/api/v1/namespaces/${service.namespace}/services/${service.name}`);
  throw new Error(
    isThere ? `no endpoints available for service "${service.name}"` : `service "${service.name}" not found`,
  );
}

function accessReview({ denied }: FakeApiServer, body: JsonObject): Reply {
  const { resourceAttributes } = body["spec"] as JsonObject;
  const { verb, resource } = resourceAttributes as JsonObject;
  return json(201, { ...body, status: { allowed: !denied.has(`${String(verb)} ${String(resource)}`) } });
}

function webhooksFor(state: FakeApiServer, namespace: Labels, pod: Labels): readonly JsonObject[] {
  return [...state.objects.values()]
    .filter(({ kind }) => kind === "MutatingWebhookConfiguration")
    .flatMap(({ webhooks }) => objectsOf(webhooks))
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
  const stamp = { creationTimestamp, generation: metadata["generation"] ?? 1, resourceVersion: randomUUID() };
  return { ...object, metadata: { uid: randomUUID(), ...metadata, ...stamp } };
}

async function bodyOf(request: AsyncIterable<Uint8Array>): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as JsonObject);
}

/** The message of a path that is not served. */
const NOT_SERVED = "404 page not found";

interface Reply {
  readonly code: number;
  readonly body: JsonObject;
  readonly retryAfter?: string;
  readonly warning?: string;
}

function status(code: number, message: string): Reply {
  return json(code, { kind: "Status", apiVersion: "v1", status: "Failure", message, code });
}

function json(code: number, body: JsonObject): Reply {
  return { code, body };
}

function send({ code, body, retryAfter, warning }: Reply, response: ServerResponse): void {
  const quoted = warning?.replaceAll(/["\\]/g, "\\$&");
  response.writeHead(code, {
    "content-type": "application/json",
    ...(retryAfter && { "retry-after": retryAfter }),
    ...(quoted && { warning: `299 - "${quoted}"` }),
  });
  response.end(textOf(code, body));
}

/** A path that is not served at all is answered in plain text. */
function textOf(code: number, body: JsonObject): string {
  return code === 404 && body["message"] === NOT_SERVED ? NOT_SERVED : JSON.stringify(body);
}
