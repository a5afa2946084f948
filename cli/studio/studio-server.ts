// The studio's local server: the page from memory, and the API that the page calls. Loopback only.

import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { defined, OutriggerError } from "@outrigger/base";
import { isSameSecret } from "@outrigger/serving";
import { besides, createFirstPreview, type ExampleTree, type OtherEdits, type Workspace } from "@outrigger/studio";
import { listen, listenAtFirst, readBytes } from "../server/local-server.ts";
import { describeError } from "../terminal/describe-error.ts";
import { cookieName, NO_KEY, refusalOf } from "./guard.ts";
import { type DraftsOwner, type DraftsStore, draftsIn } from "./kept-drafts.ts";
import type { PageCommand } from "./page-command.ts";
import { invalid, parseCommandAction, parseConfirmation, parseDrafts, parseEdits, parseMove } from "./parse-move.ts";
import type { StudioReleases } from "./releases.ts";
import type { StudioCluster, StudioWorkspace } from "./studio-workspace.ts";

export interface StudioOptions {
  /** 0 takes a free one. Left out: the first of the studio's own that is free. */
  readonly port?: number;
  readonly page: PageFiles;
  readonly workspace: StudioWorkspace;
  readonly cluster?: StudioCluster;
  /** Where unsaved edits are kept besides the browser. Left out: nowhere. */
  readonly drafts?: DraftsStore;
  /** Trees to start from. Read when the page asks. */
  readonly examples: () => Promise<readonly ExampleTree[]>;
}

export interface Studio {
  /** The URL with the key: for the person who started the studio. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const HOST = "127.0.0.1";

/** A browser keeps edits by address: one that stays finds them again when the studio is started again. */
const PORTS = Array.from({ length: 10 }, (_, index) => 8450 + index);

/** Milliseconds between two signs of life. */
const BEAT = 5000;

/** The largest request body, in bytes: a whole tree, with the texts that its edits were made on. */
const MAX_BODY = 8 * 1024 * 1024;

/** Every answer has them. `nonce` is for the style elements that CodeMirror makes. */
function securityHeaders(nonce: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    // Both together: the page may share memory with its worker.
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  };
}

/** @throws OutriggerError `listen-failed` */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { port, page, workspace, cluster, drafts = draftsIn(undefined), examples } = options;
  // The key is in the printed URL: its owner exchanges it for the session.
  const [key, session, nonce] = [secret(), secret(), secret()];
  const listeners = new Set<ServerResponse>();
  const previewFirst = createFirstPreview();
  /** What edits belong to, as it was last read. */
  let owner: DraftsOwner | undefined;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(securityHeaders(nonce))) response.setHeader(name, value);
    answer(request, response).catch((error: unknown) => fail(response, error));
  });
  const bound = await (port === undefined ? listenAtFirst(server, HOST, PORTS) : listen(server, { host: HOST, port }));
  // The first page then finds its preview made.
  setImmediate(() => void workspace.read().then(knownPreview, () => {}));
  // A page that hears nothing knows that the studio is gone, and how old what it shows is.
  const beat = setInterval(() => {
    const looked = workspace.lookedAt?.() ?? Date.now();
    for (const listener of listeners) listener.write(`event: beat\ndata: ${looked}\n\n`);
  }, BEAT).unref();
  const unwatch = workspace.watch(() => {
    for (const listener of listeners) listener.write("data: changed\n\n");
  });
  return {
    url: `http://${HOST}:${bound}/open?key=${key}`,
    close: () =>
      new Promise((resolve) => {
        unwatch();
        clearInterval(beat);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Not resolved against an address: "//name" would be one of another server.
    const address = `http://${HOST}${request.url ?? "/"}`;
    if (!URL.canParse(address)) return send(response, 404, { message: "The studio has no such address" });
    const { pathname, searchParams } = new URL(address);
    const refusal = refusalOf(pathname, request, bound, session);
    if (refusal !== undefined) return send(response, refusal.status, { message: refusal.message });
    if (pathname === "/open") return open(searchParams.get("key") ?? undefined, response);
    const route = `${request.method} ${pathname}`;
    if (route === "GET /api/workspace") {
      const read = await workspace.read();
      owner = read;
      const isFirst = searchParams.has("preview");
      const kept = (isFirst && (await drafts.read(read))) || undefined;
      const preview = isFirst ? knownPreview(read) : null;
      return send(response, 200, { ...read, cluster: cluster?.name ?? null, preview, ...defined({ kept }) });
    }
    if (route === "GET /api/examples") return send(response, 200, await examples());
    if (route === "GET /api/workloads" && cluster !== undefined) return send(response, 200, await cluster.workloads());
    if (route === "GET /api/changes") return announce(response);
    if (route === "PUT /api/entries" && workspace.save !== undefined) {
      const saved = await workspace.save(parseEdits(await readJson(request)));
      return send(response, saved.saved ? 200 : 409, saved);
    }
    if (route === "PUT /api/drafts") {
      const change = parseDrafts(await readJson(request));
      const kept = await drafts.change(owner ?? (await workspace.read()), change);
      return send(response, 200, { others: besides(change.edits, kept.edits) } satisfies OtherEdits);
    }
    const release = workspace.releases && releaseRoutes(workspace.releases)[route];
    if (release !== undefined)
      return send(response, 200, await release((name) => searchParams.get(name) ?? "", request));
    const file = request.method === "GET" ? page(pathname, nonce) : undefined;
    if (file === undefined) return send(response, 404, { message: `The studio has no ${route}` });
    response.writeHead(200, { "content-type": file.type }).end(file.body);
  }

  /**
   * Returns what the page shows first, or null if it cannot be made of the tree: the page's worker then says what is
   * wrong.
   */
  function knownPreview({ shipped, saved }: Pick<Workspace, "shipped" | "saved">): Workspace["preview"] {
    try {
      return previewFirst({ shipped, own: saved });
    } catch {
      return null;
    }
  }

  /** The key becomes a cookie, and leaves the address bar. */
  function open(given: string | undefined, response: ServerResponse): void {
    if (!isSameSecret(given, key)) return void send(response, 403, { message: NO_KEY });
    const cookie = `${cookieName(bound)}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    response.writeHead(303, { "set-cookie": cookie, location: "/" }).end();
  }

  function announce(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    listeners.add(response);
    response.once("close", () => listeners.delete(response));
  }
}

type Route = (query: (name: string) => string, request: IncomingMessage) => Promise<unknown>;

/** Returns the routes for what a deployment is asked besides. */
function releaseRoutes(releases: StudioReleases): Readonly<Record<string, Route | undefined>> {
  return {
    "GET /api/releases": () => releases.read(),
    "GET /api/release": (query) => releases.release(query("name")),
    "GET /api/history": () => releases.changes(),
    "GET /api/texts": (query) => releases.texts(query("before"), query("after")),
    "GET /api/rollout": (query) => releases.rollout(query("channel")),
    "GET /api/rings": () => releases.rings(),
    "GET /api/running": releases.running,
    ...(releases.restart && restartRoutes(releases.restart)),
    "POST /api/question": async (_, request) => releases.ask(parseMove(await readJson(request))),
    "POST /api/move": async (_, request) => releases.confirm(parseConfirmation(await readJson(request))),
  };
}

function restartRoutes({ state, act }: PageCommand): Readonly<Record<string, Route>> {
  return {
    "GET /api/restart": async () => state(),
    "POST /api/restart": async (_, request) => act(parseCommandAction(await readJson(request))),
  };
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const isOurs = error instanceof OutriggerError;
  if (isOurs) return void send(response, 422, { code: error.code, message: error.message });
  // One sentence, and what a report of the fault needs.
  const [message = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  send(response, 500, { message, detail: describeError(error) });
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!(request.headers["content-type"] ?? "").startsWith("application/json")) throw invalid("it is not JSON");
  const bytes = await readBytes(request, MAX_BODY);
  if (bytes.length > MAX_BODY) throw invalid(`it is larger than ${MAX_BODY} bytes`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw invalid("it is not JSON", cause);
  }
}

interface PageFile {
  readonly type: string;
  readonly body: Uint8Array | string;
}

/** The file at a path of the URL, with the nonce that its style elements need. */
type PageFiles = (path: string, nonce: string) => PageFile | undefined;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** The text that index.html has in place of the nonce. */
const NONCE = "STYLE_NONCE";

/** @throws OutriggerError `usage` if the page has not been built */
export async function readPage(directory: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  const names = await readdir(directory).catch((cause: unknown) => {
    const message = `Cannot open the studio: ${directory} is missing; build it with npm run build`;
    throw new OutriggerError("usage", message, { path: directory, cause });
  });
  for (const name of names) {
    const type = TYPES[/\.\w+$/.exec(name)?.[0] ?? ""];
    if (type !== undefined) files.set(`/${name}`, { type, body: await readFile(join(directory, name)) });
  }
  return (path, nonce) => {
    const file = files.get(path === "/" ? "/index.html" : path);
    if (file === undefined || file.type !== TYPES[".html"]) return file;
    return { ...file, body: Buffer.from(file.body).toString("utf8").replaceAll(NONCE, nonce) };
  };
}
