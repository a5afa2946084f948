// The fake cluster's API server for tests: with faults on demand, a record of what was asked, and an authorizer.
import { type JsonObject, objectOf } from "@outrigger/base";
import { type FakeApiServer as ShippedApiServer, startFakeApiServer as startShipped } from "@outrigger/fake-aws";
import { whyNotResized } from "./pod-resize.ts";

export interface Fault {
  readonly method: string;
  /** A part of the path. */
  readonly path: string;
  readonly status: number;
  readonly retryAfter?: string;
  readonly message?: string;
  /** The requests that it does not meet, by their bodies. */
  readonly spares?: (body: JsonObject) => boolean;
  /** The number of times that the fault occurs; left out, it always does. */
  times?: number;
}

export interface FakeApiServer extends ShippedApiServer {
  readonly faults: Fault[];
  /** `METHOD path?query content-type`, in order. */
  readonly calls: string[];
  /** `verb resource` that access reviews deny. */
  readonly denied: Set<string>;
  /** Returns why a request is forbidden, or undefined if it is allowed: test/eks/rbac-authorizer.ts. */
  authorize: ((method: string, path: string, type: string, token: string) => string | undefined) | undefined;
  /** Answers instead of the webhook itself. Throws if the call fails. */
  webhook: ((url: string, pod: JsonObject) => JsonObject) | undefined;
  /** Called before each request is answered: where it throws, the request has no effect and the connection is cut. */
  before: (method: string, path: string) => void | Promise<void>;
  /** Called after each request took effect: where it throws, the connection is cut without an answer. */
  after: (method: string, path: string) => void;
  /** Text of a Warning header that comes with every pod that is created. */
  warning: string | undefined;
}

type ApiRequest = Parameters<ShippedApiServer["around"]>[0];
type Reply = Awaited<ReturnType<ShippedApiServer["around"]>>;

export async function startFakeApiServer(certificate: {
  readonly key: string;
  readonly cert: string;
}): Promise<FakeApiServer> {
  const shipped = await startShipped(certificate);
  const { callWebhook } = shipped;
  const api: FakeApiServer = Object.assign(shipped, {
    faults: [] as Fault[],
    calls: [] as string[],
    denied: new Set<string>(),
    authorize: undefined,
    webhook: undefined,
    before: () => {},
    after: () => {},
    warning: undefined,
    whyNotResized,
    callWebhook: async (call) => {
      if (api.webhook === undefined) return callWebhook(call);
      return api.webhook(String(call.clientConfig["url"]), call.pod);
    },
    around: async (request, next) => {
      const { method, path } = request;
      if (request.token !== DIRECT) await api.before(method, path);
      const reply = await answer(api, request, next);
      if (request.token !== DIRECT) api.after(method, path);
      return reply;
    },
  } satisfies Partial<FakeApiServer>);
  api.unserved.clear();
  return api;
}

/** The token of what is asked without a network. */
const DIRECT = "direct";

async function answer(api: FakeApiServer, request: ApiRequest, next: () => Promise<Reply>): Promise<Reply> {
  const { method, path, url, query, type, token = "", body } = request;
  api.calls.push(`${method} ${url} ${type}`.trim());
  const fault = api.faults.find(
    (one) =>
      one.method === method && path.includes(one.path) && one.times !== 0 && (one.spares?.(body) ?? false) === false,
  );
  if (fault !== undefined) {
    if (fault.times !== undefined) fault.times--;
    const reply = refusal(fault.status, fault.message ?? "a fault on demand");
    return fault.retryAfter === undefined ? reply : { ...reply, retryAfter: fault.retryAfter };
  }
  const forbidden = api.accepts(token) ? api.authorize?.(method, path, type, token) : undefined;
  if (forbidden !== undefined) return refusal(403, forbidden);
  if (path.endsWith("/selfsubjectaccessreviews")) {
    const attributes = objectOf(objectOf(body["spec"])["resourceAttributes"]);
    const { verb, resource } = attributes;
    const isDenied = api.authorize?.(methodOf(String(verb)), placeOf(attributes), REVIEWED, token) !== undefined;
    const allowed = !isDenied && !api.denied.has(`${String(verb)} ${String(resource)}`);
    return allowed ? next() : { code: 201, body: { ...body, status: { allowed } } };
  }
  const isDryRun = path.endsWith("/pods") && query.get("dryRun") === "All";
  // What a person applies with kubectl is created, and of what Outrigger does Events alone.
  if (
    method === "POST" &&
    !isDryRun &&
    !path.endsWith("/events") &&
    query.get("fieldManager") !== "kubectl-client-side-apply"
  )
    return refusal(405, "only pods, as dry runs");
  const reply = await next();
  return isDryRun && reply.code === 201 && api.warning !== undefined ? { ...reply, warnings: [api.warning] } : reply;
}

/** The content type with which an authorizer is asked what it would say: nothing is requested. */
export const REVIEWED = "review";

const METHODS: Readonly<Record<string, string>> = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" };

function methodOf(verb: string): string {
  return METHODS[verb] ?? "GET";
}

/** The path of what an access review asks about: any object where it names none. */
function placeOf({ verb, group, resource, namespace, name: given }: JsonObject): string {
  const name = given ?? (verb === "list" || verb === "create" ? undefined : "any");
  const root = group === undefined || group === "" ? "/api/v1" : `/apis/${String(group)}/v1`;
  const place = namespace === undefined ? root : `${root}/namespaces/${String(namespace)}`;
  const [kind = "", part] = String(resource).split("/");
  return [place, kind, name, part].filter((segment) => segment !== undefined).join("/");
}

function refusal(code: number, message: string): Reply {
  return { code, body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code } };
}
