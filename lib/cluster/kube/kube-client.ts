// The calls to a Kubernetes API server: paths in, objects out, patience with a server that is busy, and errors that say
// what to do. Knows neither AWS nor what the objects mean. How to get there is passed in.
import { isObject, type JsonObject, OutriggerError, objectOf, objectsOf } from "@outrigger/base";
import { FIELD_MANAGER } from "@outrigger/webhook";
import type { HttpAnswer, HttpRequest } from "./http-exchange.ts";

/**
 * The calls to one API server, by path: `/api/v1/namespaces/shop`. Each throws an OutriggerError: `cluster-denied` (401, 403),
 * `cluster-conflict` (409), `cluster-kind-unknown` (a path that is not served), `cluster-list-expired` (410),
 * `cluster-webhook-failed` (with the webhook's name as `path`), `cluster-unreachable` (busy, five times), or `cluster-refused`.
 */
export interface KubeClient {
  /** The cluster's name, for messages. */
  readonly name: string;
  /** The object, or undefined where there is none. */
  get(path: string): Promise<JsonObject | undefined>;
  /** What is answered as text: a log. Undefined where there is none. */
  text(path: string): Promise<string | undefined>;
  /** Every object of a list, read in pages. */
  list(path: string, query?: Readonly<Record<string, string>>): AsyncIterable<JsonObject>;
  /** Server-side apply. With `force`, fields that others have set are taken over. */
  apply(path: string, object: JsonObject, options: { readonly force: boolean }): Promise<JsonObject>;
  /** An update: the object is what is given, if it is still of the `resourceVersion` that it names. */
  replace(path: string, object: JsonObject): Promise<JsonObject>;
  /**
   * An RFC 7386 merge patch; undefined where there is no such object. With `byName`, a strategic one, which merges a list of
   * webhooks by name.
   */
  mergePatch(path: string, patch: JsonObject, options?: { readonly byName: boolean }): Promise<JsonObject | undefined>;
  /** Asks what would become of the object, and makes none. `warn` takes what the server and its webhooks warn of. */
  createDryRun(path: string, object: JsonObject, warn?: (warning: string) => void): Promise<JsonObject>;
  /** Asks the API server a question that is put as an object, such as an access review: nothing is stored. */
  review(path: string, object: JsonObject): Promise<JsonObject>;
  /** False where there was none. With a version, only that version of the object is removed. */
  remove(path: string, resourceVersion?: string): Promise<boolean>;
}

export interface KubeClientOptions {
  readonly name: string;
  readonly exchange: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * A client over any way to an API server; {@link openKube} makes one over HTTPS.
 *
 * @param options the cluster's name for messages; `exchange`, which sends one request; and `sleep`, in milliseconds
 */
export function kubeClient(options: KubeClientOptions): KubeClient {
  const call = (
    method: string,
    path: string,
    body?: JsonObject,
    contentType = "application/json",
    warn: (warning: string) => void = () => {},
  ) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), contentType };
    const wait = method === "POST" && path.includes("dryRun=") ? { timeoutMilliseconds: DRY_RUN_TIMEOUT } : {};
    return callPatiently(options, { method, path, ...sent, ...wait }, warn);
  };
  return {
    name: options.name,
    get: (path) => call("GET", path),
    async text(path) {
      const answer = await options.exchange({ method: "GET", path });
      if (answer.status === 200) return answer.body;
      if (answer.status === 400 || answer.status === 404) return undefined;
      throw refusal(answer, options.name, { method: "GET", path });
    },
    list: (path, query = {}) => listPages(options.name, (page) => call("GET", page), path, query),
    async apply(path, object, { force }) {
      const query = `fieldManager=${FIELD_MANAGER}&force=${force}`;
      return found(await call("PATCH", `${path}?${query}`, object, "application/apply-patch+yaml"), path);
    },
    replace: async (path, object) => found(await call("PUT", `${path}?fieldManager=${FIELD_MANAGER}`, object), path),
    mergePatch(path, patch, { byName } = { byName: false }) {
      const type = byName ? "application/strategic-merge-patch+json" : "application/merge-patch+json";
      return call("PATCH", `${path}?fieldManager=${FIELD_MANAGER}`, patch, type);
    },
    async createDryRun(path, object, warn) {
      const query = `dryRun=All&fieldManager=${FIELD_MANAGER}`;
      return found(await call("POST", `${path}?${query}`, object, "application/json", warn), path);
    },
    review: async (path, object) => found(await call("POST", path, object), path),
    async remove(path, resourceVersion) {
      const body = resourceVersion === undefined ? undefined : { preconditions: { resourceVersion } };
      return (await call("DELETE", path, body)) !== undefined;
    },
  };
}

/** A webhook may take 30 seconds, and another one after it; an API server gives up after a minute. */
const DRY_RUN_TIMEOUT = 65_000;
const PAGE = "500";
const TRIES = 5;
/** The longest wait between two tries, whatever the server asks for. */
const LONGEST_WAIT = 10_000;

async function* listPages(
  name: string,
  read: (path: string) => Promise<JsonObject | undefined>,
  path: string,
  query: Readonly<Record<string, string>>,
): AsyncIterable<JsonObject> {
  let next: string | undefined = "";
  // By uid, for a list that has to begin again.
  const seen = new Set<unknown>();
  let beginnings = 1;
  while (next !== undefined) {
    const token: string = next;
    const parameters = new URLSearchParams({ limit: PAGE, ...query, ...(token === "" ? {} : { continue: token }) });
    const page = await read(`${path}?${parameters}`).catch((error: unknown) => {
      const isExpired = error instanceof OutriggerError && error.code === "cluster-list-expired";
      if (token !== "" && isExpired && beginnings++ < TRIES) return undefined;
      throw error;
    });
    if (page === undefined && token !== "") {
      next = "";
      continue;
    }
    const { items, metadata } = found(page, path);
    // Go writes an empty list as null in places.
    if (!Array.isArray(items) && items !== null) throw notKubernetes(name, "a list");
    for (const item of objectsOf(items)) {
      const { uid } = objectOf(item["metadata"]);
      if (uid === undefined || !seen.has(uid)) yield item;
      if (uid !== undefined) seen.add(uid);
    }
    const { continue: more } = objectOf(metadata);
    next = typeof more === "string" && more !== "" ? more : undefined;
  }
}

/** Every call may be sent twice: what it asks for is a state, not a step. */
async function callPatiently(
  options: KubeClientOptions,
  request: HttpRequest,
  warn: (warning: string) => void,
): Promise<JsonObject | undefined> {
  for (let attempt = 1; ; attempt++) {
    const answer = await options.exchange(request);
    const { status } = answer;
    if (status === 404 && isStatus(answer)) return undefined;
    if (status >= 200 && status < 300) answer.warnings?.map(withoutTokens).forEach(warn);
    if (status >= 200 && status < 300) return bodyOf(answer, options.name, request);
    if (!isBusy(answer) || attempt === TRIES) throw refusal(answer, options.name, request);
    const wait = answer.retryAfter === undefined ? 250 * 2 ** attempt : answer.retryAfter * 1000;
    await options.sleep(Math.min(wait, LONGEST_WAIT));
  }
}

/** A webhook that failed has had its time already: asking again would hang as long again. */
function isBusy(answer: HttpAnswer): boolean {
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
function isStatus({ body }: HttpAnswer): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && value["kind"] === "Status";
  } catch {
    return false;
  }
}

function bodyOf({ body, status }: HttpAnswer, name: string, { method, path }: HttpRequest): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value) && (isKubernetes(value) || method === "POST" || path === "/version")) return value;
  } catch {
    // Said below.
  }
  throw notKubernetes(name, "a Kubernetes object", status);
}

/** Another server's success may be any object. Reviews are answered with what was sent. */
function isKubernetes({ kind, metadata, items }: JsonObject): boolean {
  return typeof kind === "string" || isObject(metadata) || Array.isArray(items);
}

function notKubernetes(name: string, expected: string, status = 200): OutriggerError {
  return new OutriggerError(
    "cluster-unreachable",
    `Cannot understand the answer of cluster ${name}: it is not ${expected} (HTTP ${status}); check that its endpoint is an API server and not a proxy's login page`,
  );
}

function found(object: JsonObject | undefined, path: string): JsonObject {
  if (object !== undefined) return object;
  throw new OutriggerError("cluster-refused", `Cannot use ${path}: there is no such namespace or resource`, { path });
}

function refusal(answer: HttpAnswer, name: string, { method, path }: HttpRequest): OutriggerError {
  const { status } = answer;
  const said = messageOf(answer);
  const place = path.replace(/\?.*/, "");
  if (status === 401) {
    return new OutriggerError(
      "cluster-denied",
      `Cluster ${name} does not know these credentials: add an access entry for the principal (aws eks create-access-entry --cluster-name ${name} --principal-arn …), or use another with --profile or --role-arn`,
    );
  }
  if (status === 403 && isAdmissionRefusal(method, said)) {
    return new OutriggerError("cluster-refused", `Cluster ${name} rejects ${place} (HTTP ${status}): ${said}`, {
      path: place,
    });
  }
  if (status === 403) {
    return new OutriggerError(
      "cluster-denied",
      `Not allowed in cluster ${name}: ${said}; bind the roles that outrigger rbac prints to the principal${roleHint(place)}`,
      { path: place },
    );
  }
  if (status === 404) {
    return new OutriggerError(
      "cluster-kind-unknown",
      `Cluster ${name} does not serve ${place}: it takes a newer version of Kubernetes, or something else than its API server answers (check the endpoint and the proxy)`,
    );
  }
  if (status === 409) {
    return new OutriggerError(
      "cluster-conflict",
      `Cannot change ${place} in cluster ${name}: ${said}; see who owns it with kubectl get --raw ${place}`,
      { path: place },
    );
  }
  if (isBusy(answer)) {
    return new OutriggerError(
      "cluster-unreachable",
      `Cluster ${name} cannot answer now (HTTP ${status}, asked ${TRIES} times): ${said}; try again later`,
    );
  }
  const webhook = failedWebhook(answer);
  if (webhook !== undefined) {
    const message = `Cluster ${name} rejects ${place} (HTTP ${status}): ${said}`;
    return new OutriggerError("cluster-webhook-failed", message, { path: webhook });
  }
  return new OutriggerError(
    status === 410 ? "cluster-list-expired" : "cluster-refused",
    `Cluster ${name} refuses ${method} ${place} (HTTP ${status}): ${said}`,
    { path: place },
  );
}

/** Roles are limited to names: those of other revisions and tags are in no role that is printed without them. */
function roleHint(place: string): string {
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
  let message = `HTTP ${status}`;
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value) && typeof value["message"] === "string") message = value["message"];
  } catch {
    // A gateway's own page says nothing that helps.
  }
  return withoutTokens(message).slice(0, 500);
}

function withoutTokens(text: string): string {
  return text.replace(/\/t\/[^/\s"]+/g, "/t/…");
}
