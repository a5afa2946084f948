// A proxy in front of a test's API server that disturbs one request of a command: which one, and how, is what a test says.
import type { IncomingMessage } from "node:http";
import { Agent, createServer } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { httpCall } from "@outrigger/aws";
import { labCertificate } from "../../eks/lab-certificate.ts";
import { bodyOf, closing, listening } from "../../support/loopback.ts";
import type { RealApiServer } from "./real-api-server.ts";

/**
 * What happens: the request is refused, the server is busy once, the connection is cut before or after the write, nothing is answered
 * for a while, or from now on.
 */
export type FaultKind = (typeof faultKinds)[number];

export const faultKinds = ["refused", "busy", "cut-before", "cut-after", "frozen", "gone"] as const;

export interface Fault {
  readonly kind: FaultKind;
  /** The number of the request that it meets: 0 is the first. */
  readonly at: number;
}

/** Milliseconds for which a server that is frozen answers nobody. */
const FROZEN = 600;
/** Milliseconds after which a connection that nothing is sent over is closed: long before the API server closes it. */
const IDLE = 5000;
const LIMIT = 64 * 1024 * 1024;

/** The life of a command: it counts what is written for it, and may end with a write. */
export interface Life {
  /** @param body of a request to the API server, as text */
  readonly wrote: (body?: string) => void;
  readonly isOver: () => boolean;
}

const ENDLESS: Life = { wrote: () => {}, isOver: () => false };

/**
 * @param life of the command whose requests these are: over, it asks nothing and is answered nothing any more
 * @param sentAs the text that is sent in place of a path or a body
 */
export async function startFaultyProxy(
  { url, ca }: Pick<RealApiServer, "url" | "ca">,
  life = ENDLESS,
  sentAs = (text: string) => text,
) {
  const state = { fault: undefined as Fault | undefined, asked: 0, thawed: Promise.resolve<unknown>(undefined) };
  const underWay = new Set<Promise<unknown>>();
  // A handshake for each request would take more of a processor than the request.
  const agent = new Agent({ keepAlive: true, timeout: IDLE, ca });
  const server = createServer(await labCertificate(), async (request, response) => {
    const { fault } = state;
    const number = state.asked++;
    const isMet = fault !== undefined && (fault.kind === "gone" ? number >= fault.at : number === fault.at);
    const { kind } = fault ?? {};
    const body = sentAs(await bodyOf(request));
    if (isMet && (kind === "gone" || kind === "cut-before")) return request.socket.destroy();
    if (isMet && kind === "frozen") state.thawed = pause(FROZEN);
    await state.thawed;
    if (isMet && (kind === "refused" || kind === "busy")) {
      const [code, message] = kind === "refused" ? [403, "forbidden: a fault"] : [503, "a fault"];
      response.writeHead(code, { "content-type": "application/json" });
      return response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message }));
    }
    if (life.isOver()) return request.socket.destroy();
    const { host: _, connection: _connection, ...headers } = request.headers;
    const answering = httpCall(new URL(`${url}${sentAs(String(request.url))}`), {
      ...{ method: request.method ?? "GET", headers, agent, limit: LIMIT },
      ...(body !== "" && { body }),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => undefined);
    underWay.add(answering);
    const answer = await answering;
    underWay.delete(answering);
    if (isWrite(request)) life.wrote(body);
    if (answer === undefined || life.isOver() || (isMet && kind === "cut-after")) return request.socket.destroy();
    const { "content-length": _length, "transfer-encoding": _encoding, ...given } = answer.headers;
    response.writeHead(answer.status, given);
    response.end(answer.bytes);
  });
  return {
    url: `https://127.0.0.1:${await listening(server)}`,
    /** The requests since. */
    asked: () => state.asked,
    /** Disturbs what is asked from now on; undefined lets everything through. */
    disturb(fault: Fault | undefined) {
      Object.assign(state, { fault, asked: 0 });
    },
    /** Waits for what the API server was asked: it does that also where the client is gone. */
    settled: () => Promise.all(underWay),
    close: () => {
      agent.destroy();
      return closing(server);
    },
  };
}

/** Dry runs and access reviews write nothing. */
function isWrite({ method, url = "" }: IncomingMessage): boolean {
  return method !== "GET" && !/accessreviews|[?&]dryRun=All/.test(url);
}
