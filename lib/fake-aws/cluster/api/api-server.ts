// A Kubernetes API server on loopback, as far as Outrigger and kubectl ask it: bearer tokens, server-side apply with its conflicts,
// merge patches, lists in pages, and pods that are created through the webhooks that choose them.
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { type JsonObject, objectOf } from "@outrigger/base";
import { endAtOnce, KEPT_OPEN } from "../../http/connections.ts";
import { type Admission, admitPod, bodyOf, Denial, webhookCaller } from "./admission.ts";
import { discoveryOf } from "./discovery.ts";
import type { NewPod } from "./expressions.ts";
import {
  deleteObject,
  isCollection,
  listObjects,
  managedAt,
  type ObjectStore,
  stamped,
  writeObject,
} from "./objects.ts";
import { defaultedPod } from "./pod-defaults.ts";
import type { Judgement } from "./policies.ts";
import { isProtobuf } from "./read-protobuf.ts";
import { json, missing, namedAt, notServed, type Reply, send, status, textOf } from "./reply.ts";
import { type Ownership, recordUpdate } from "./server-side-apply.ts";
import { tableOf } from "./tables.ts";
import { applyObject, patchObject, replaceObject, type WhyNotResized } from "./writes.ts";

export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The content type. */
  readonly type: string;
  /** The bearer token. */
  readonly token: string | undefined;
  readonly body: JsonObject;
}

/** An API server that runs. */
export interface FakeApiServer extends ObjectStore, Admission {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Whether a bearer token is let in. */
  accepts: (token: string) => boolean;
  /** Resources that are not served: `validatingadmissionpolicies`, `pods/resize`. */
  readonly unserved: Set<string>;
  whyNotResized: WhyNotResized | undefined;
  /** Says whether a pod is taken that has been through the webhooks; by default, it is. */
  judge: (asked: NewPod) => Judgement;
  /** Everything that is asked goes through it. Where it throws, the connection is cut. */
  around: (request: ApiRequest, next: () => Promise<Reply>) => Promise<Reply>;
  /** Writes an object as it is, without a manager. */
  readonly put: (path: string, object: JsonObject) => void;
  /** An update by a manager. */
  readonly edit: (path: string, manager: string, change: (object: JsonObject) => JsonObject) => void;
  /** One exchange without a network. */
  readonly direct: (request: {
    readonly method: string;
    readonly path: string;
    readonly body?: string;
    readonly contentType?: string;
  }) => Promise<{ readonly status: number; readonly body: string; readonly date: string }>;
  readonly close: () => Promise<void>;
}

/** Milliseconds: how long a watch is open. Nothing is sent; the client lists again when it ends. */
const WATCH = 2000;
const EXPIRED = {
  type: "ERROR",
  object: { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired" },
};

/** Starts it on a free port of loopback, with a certificate for 127.0.0.1 (PEM). */
export async function startFakeApiServer(certificate: {
  readonly key: string;
  readonly cert: string;
}): Promise<FakeApiServer> {
  const objects = new Map<string, JsonObject>();
  const server = createServer({ ...certificate, ...KEPT_OPEN });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const state: FakeApiServer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: certificate.cert,
    objects,
    owners: new Map<string, Ownership>(),
    accepts: () => true,
    unserved: new Set(["pods/resize"]),
    whyNotResized: undefined,
    judge: () => ({}),
    now: Date.now,
    pageSize: 500,
    callWebhook: webhookCaller({ objects }),
    around: (_request, next) => next(),
    put: (path, object) => void objects.set(path, stamped(object)),
    edit: (path, manager, change) => {
      const before = managedAt(state, path);
      if (before === undefined) throw new Error(`there is no ${path}`);
      writeObject(state, path, recordUpdate(before, manager, change(before.object)));
    },
    direct: async ({ method, path, body = "", contentType = "" }) => {
      const asked = { method, url: path, type: contentType, token: "direct" };
      const reply = await handle(state, { ...asked, body: body === "" ? {} : JSON.parse(body) });
      return { status: reply.code, body: textOf(reply), date: new Date(state.now()).toUTCString() };
    },
    close: () => endAtOnce(server),
  };
  listen(server, state);
  return state;
}

function listen(server: Server, state: FakeApiServer): void {
  server.on("request", (request, response) => {
    const { method = "", url = "", headers } = request;
    if (url.includes("watch=true")) {
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      return void setTimeout(() => response.end(JSON.stringify(EXPIRED)), WATCH).unref();
    }
    const answer = async () => {
      const [scheme, token] = String(headers.authorization ?? "").split(" ");
      const type = String(headers["content-type"] ?? "");
      const body = await bodyOf(request, type);
      const given = await handle(state, { method, url, type, token: scheme === "Bearer" ? token : undefined, body });
      const asksForTable = method === "GET" && String(headers.accept).includes("as=Table");
      const table = asksForTable && given.code === 200 ? tableOf(given.body, state.now()) : undefined;
      const reply = table === undefined ? given : json(200, table);
      // Its time, as each answer says it.
      response.setHeader("date", new Date(state.now()).toUTCString());
      send(reply, response);
    };
    answer().catch(() => response.destroy());
  });
}

function handle(state: FakeApiServer, asked: Omit<ApiRequest, "path" | "query">): Promise<Reply> {
  const { pathname: path, searchParams: query } = new URL(asked.url, "https://localhost");
  const request = { ...asked, path, query };
  return state.around(request, () =>
    answer(state, request).catch((error: unknown) => status(500, `the fake failed: ${String(error)}`)),
  );
}

async function answer(state: FakeApiServer, request: ApiRequest): Promise<Reply> {
  const { method, path, query, type, token, body } = request;
  if (token === undefined || !state.accepts(token)) return status(401, "Unauthorized");
  if ([...state.unserved].some((resource) => path.split("/")[4] === resource)) return notServed();
  if (isProtobuf(type) && body["kind"] === undefined) return status(415, UNREAD);
  if (method === "GET") return get(state, path, query);
  if (method === "DELETE") return deleteObject(state, path, body);
  if (method === "POST") return create(state, path, query, body);
  if (method === "PUT") return replaceObject(state, path, query, body);
  if (method !== "PATCH") return status(405, "the server does not allow this method on the requested resource");
  if (type === "application/apply-patch+yaml") return applyObject(state, path, query, body);
  if (type === "application/merge-patch+json") return patchObject(state, path, query, body, false);
  if (type === "application/strategic-merge-patch+json") return patchObject(state, path, query, body, true);
  return status(415, `the body of the request was in an unknown format: ${type}`);
}

function get(state: FakeApiServer, path: string, query: URLSearchParams): Reply {
  if (path === "/version") return json(200, { major: "1", minor: "33", gitVersion: "v1.33.4-eks-99d6cc0" });
  const known = discoveryOf(path, state.unserved);
  if (known !== undefined) return json(200, known);
  const object = state.objects.get(path);
  if (object !== undefined) return json(200, object);
  if (/\/pods\/[^/]+\/log$/.test(path)) return json(200, { line: `said by ${query.get("container")}` });
  return isCollection(path) ? listObjects(state, path, query) : missing(path);
}

async function create(state: FakeApiServer, path: string, query: URLSearchParams, body: JsonObject): Promise<Reply> {
  if (path.endsWith("/selfsubjectaccessreviews")) return json(201, { ...body, status: { allowed: true } });
  const [, namespace, plural] = /^\/apis?\/.*\/namespaces\/([^/]+)\/([a-z]+)$/.exec(path) ?? [];
  if (namespace !== undefined && !state.objects.has(`/api/v1/namespaces/${namespace}`))
    return status(404, `namespaces "${namespace}" not found`);
  const isDryRun = query.get("dryRun") === "All";
  const said: string[] = [];
  let object = body;
  if (namespace !== undefined && plural === "pods") {
    try {
      const placed = { ...body, metadata: { namespace, ...objectOf(body["metadata"]) } };
      object = defaultedPod(await admitPod(state, namespace, defaultedPod(placed), isDryRun));
      const { refused, warnings } = state.judge({ pod: object, namespace, isDryRun });
      if (refused !== undefined) return refused;
      said.push(...(warnings ?? []));
    } catch (error) {
      return status(error instanceof Denial ? error.status : 500, (error as Error).message);
    }
  }
  if (isDryRun) return { ...json(201, object), warnings: said };
  const given = objectOf(object["metadata"]);
  const labels = { ...objectOf(given["labels"]), "kubernetes.io/metadata.name": given["name"] } as JsonObject;
  const metadata: JsonObject = {
    ...given,
    ...(namespace !== undefined && { namespace }),
    ...(path === "/api/v1/namespaces" && { labels }),
  };
  if (path === "/api/v1/namespaces") object = { ...object, status: { phase: "Active" } };
  const place = `${path}/${String(metadata["name"])}`;
  if (state.objects.has(place)) return status(409, `${namedAt(place)} already exists`, "AlreadyExists");
  const nothing = { object: {}, owners: new Map() };
  const made = recordUpdate(nothing, query.get("fieldManager") ?? "unknown", { ...object, metadata });
  return { ...json(201, writeObject(state, place, made)), warnings: said };
}

const UNREAD = "this API server reads this kind in JSON only: add --dry-run=client -o yaml | kubectl apply -f -";
