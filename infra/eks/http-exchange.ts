// Owns one HTTP exchange with an API server whose certificate a cluster's own CA has signed, through Node's client. What is
// asked and what an answer means is not known here.
import { request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { OutriggerError } from "../../lib/errors.ts";

export interface HttpRequest {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** How to get to an API server. All texts are PEM. */
export interface KubeAccess {
  /** The cluster's name, for messages. */
  readonly name: string;
  /** `https://…`, or `http://…` for a proxy on this machine. */
  readonly server: string;
  readonly ca?: string;
  /** A bearer token, made when it is needed: EKS's live a quarter of an hour. */
  readonly token?: () => Promise<string>;
  readonly certificate?: string;
  readonly key?: string;
  /** The name to expect in the certificate, where it is not the server's. */
  readonly serverName?: string;
  readonly insecure?: boolean;
  /** What to try where the server does not answer. */
  readonly wayOut?: string;
}

const TIMEOUT = 15_000;
const MAX_BODY = 64 * 1024 * 1024;

/** Calls one API server. The exchange throws `cluster-unreachable` where there is no answer. */
export function httpExchange(access: KubeAccess): (request: HttpRequest) => Promise<HttpAnswer> {
  const agent = access.server.startsWith("https:") ? new Agent({ ...tlsOptions(access), keepAlive: false }) : undefined;
  return async (request) => {
    const token = await access.token?.();
    try {
      return await exchange(access.server, agent, request, token);
    } catch (cause) {
      throw unreachable(access, cause);
    }
  };
}

function tlsOptions({ ca, certificate, key, serverName, insecure }: KubeAccess) {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: insecure !== true,
  };
}

function exchange(
  server: string,
  agent: Agent | undefined,
  { method, path, body, contentType }: HttpRequest,
  token: string | undefined,
): Promise<HttpAnswer> {
  const url = `${server.replace(/\/$/, "")}${path}`;
  const headers = {
    accept: "application/json",
    "user-agent": "outrigger",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(body) }),
  };
  const signal = AbortSignal.timeout(TIMEOUT);
  return new Promise((resolve, reject) => {
    const send = agent === undefined ? httpRequest : httpsRequest;
    const request = send(url, { method, headers, signal, ...(agent === undefined ? {} : { agent }) }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BODY) response.destroy(new Error("the answer is too large"));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        const retryAfter = Number(response.headers["retry-after"]);
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString("utf8"),
          ...(Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfter } : {}),
        });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** What a code of Node's or of OpenSSL's comes to; every other is shown as it is. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known here",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  ABORT_ERR: `no answer within ${TIMEOUT / 1000} seconds`,
  ETIMEDOUT: "no answer",
  EHOSTUNREACH: "there is no way there",
  ENETUNREACH: "there is no way there",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not signed by the cluster's CA",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not signed by the cluster's CA",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not signed by the cluster's CA",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not signed by the cluster's CA",
  CERT_SIGNATURE_FAILURE: "its certificate is not signed by the cluster's CA",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

function unreachable({ name, server, wayOut }: KubeAccess, cause: unknown): OutriggerError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = REASONS[code] ?? (code === "" ? "the exchange failed" : code);
  const host = URL.canParse(server) ? new URL(server).host : server;
  return new OutriggerError(
    "cluster-unreachable",
    `Cannot reach the API server of cluster ${name} at ${host}: ${reason}; ${wayOut ?? "check the network and the server in the kubeconfig"}`,
    { path: server, cause },
  );
}
