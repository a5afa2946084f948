// The way to one API server: with which token, and what to say where it cannot be reached.
import { OutriggerError } from "@outrigger/base";
import {
  codeOf,
  exchangeProblem,
  exchangeWith,
  type HttpAnswer,
  type HttpRequest,
  type HttpServer,
  isOtherServer,
} from "./http-exchange.ts";
import { type KubeClient, kubeClient } from "./kube-client.ts";
import { withPolicyLag } from "./policy-lag.ts";

export interface KubeAccess extends Omit<HttpServer, "timeoutMilliseconds"> {
  readonly name: string;
  /** Makes a bearer token when one is needed: EKS's live a quarter of an hour. */
  readonly token?: () => Promise<string>;
  /** A description of what to try if the server cannot be reached. */
  readonly remediation: string;
}

const TIMEOUT = 15_000;

function isTimeout(error: unknown): boolean {
  return codeOf(error) === "ABORT_ERR" || (error instanceof Error && error.name === "TimeoutError");
}

/** A client whose calls throw `cluster-unreachable` where there is no answer. */
export function openKube(access: KubeAccess, sleep: (milliseconds: number) => Promise<void>): KubeClient {
  const exchange = openExchange(access);
  return withPolicyLag(kubeClient({ name: access.name, sleep, exchange }), sleep);
}

const OTHER_SERVER =
  "another server answers there, or a proxy that opens TLS: exempt the host from the proxy (NO_PROXY), or correct the authority in the kubeconfig, if you use one";

/** Sends one request and returns its answer, whatever it is. Throws `cluster-unreachable` where there is none. */
export type KubeExchange = (request: HttpRequest) => Promise<HttpAnswer>;

export function openExchange(access: KubeAccess): KubeExchange {
  const { name, url } = access;
  const exchange = exchangeWith({ ...access, timeoutMilliseconds: TIMEOUT });
  return async (request) => {
    const token = await access.token?.();
    try {
      // A connection that was kept may be cut just as it is used; every call may be sent twice.
      return await exchange(request, token).catch((error: unknown) => {
        if (["ECONNRESET", "EPIPE"].includes(codeOf(error))) return exchange(request, token);
        throw error;
      });
    } catch (cause) {
      const { timeoutMilliseconds: limit } = request;
      if (limit !== undefined && isTimeout(cause)) {
        // The server is reached: it waits for a webhook itself.
        const hanging = `Cluster ${name} does not answer to a pod within ${limit / 1000} s: a webhook for pods hangs; find it with kubectl get mutatingwebhookconfiguration,validatingwebhookconfiguration, and give ours less time with outrigger register --timeout`;
        throw new OutriggerError("cluster-unreachable", hanging, { cause });
      }
      const host = URL.canParse(url) ? new URL(url).host : url;
      const message = `Cannot reach the API server of cluster ${name} at ${host}: ${exchangeProblem(cause)}; ${isOtherServer(cause) ? OTHER_SERVER : access.remediation}`;
      throw new OutriggerError("cluster-unreachable", message, { path: url, cause });
    }
  };
}
