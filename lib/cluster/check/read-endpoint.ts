// Looking at the webhook's endpoint from this machine: its certificate, and how long calls take.
import { randomBytes } from "node:crypto";
import { request } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from "node:tls";
import { defined, OutriggerError } from "@outrigger/base";
import { type AgentFor, exchangeProblem, proxyProblem } from "../kube/http-exchange.ts";
import { countOwnTime, withinOwnTime } from "../kube/own-time.ts";
import { post, refusedBefore, testOnce } from "../register/self-test.ts";

const TIMEOUT = 10_000;

export interface TlsOptions {
  /** PEM of the authority, where it is not a public one. */
  readonly ca?: string | undefined;
  readonly agentFor?: AgentFor | undefined;
  /** The host to connect to, in place of the URL's. */
  readonly connectTo?: string | undefined;
}

/** Connects and reads the certificate, which has to be one that an API server trusts. */
export function readTls(url: string, options: TlsOptions = {}) {
  return withinOwnTime(TIMEOUT, (signal) => readTlsUntil(signal, url, options));
}

function readTlsUntil(signal: AbortSignal, url: string, { ca, agentFor, connectTo }: TlsOptions) {
  const { hostname } = new URL(url);
  const started = performance.now();
  // `TLSv1.3`, and milliseconds since 1970.
  return new Promise<{ protocol: string; validTo: number; milliseconds: number }>((resolve, reject) => {
    const fail = (cause: unknown) => {
      sent.destroy();
      const message = `Cannot connect to ${hostname}: ${exchangeProblem(cause)}`;
      reject(new OutriggerError("endpoint-unfit", message, { cause }));
    };
    // Never ended, so that nothing is sent once the connection is made.
    const options = { agent: agentFor?.(url) ?? false, ...identityOf(hostname), signal };
    const sent = request(url, { ...options, ...defined({ ca, hostname: connectTo }) });
    sent.on("error", fail);
    // The answer is the proxy's: no server answers what was not asked.
    sent.on("response", ({ statusCode }) => fail(proxyProblem(statusCode)));
    sent.on("socket", (socket) => {
      socket.once("secureConnect", () => {
        const secure = socket as TLSSocket;
        const validTo = Date.parse(secure.getPeerCertificate().valid_to);
        const milliseconds = Math.round(performance.now() - started);
        resolve({ protocol: secure.getProtocol() ?? "", validTo, milliseconds });
        sent.destroy();
      });
    });
  });
}

/** Whose certificate it has to be, wherever the connection goes. TLS asks by name only: an address is compared, and not sent. */
function identityOf(hostname: string) {
  // As a URL has it: an IPv6 address is in brackets.
  const address = hostname.replace(/^\[/, "").replace(/\]$/, "");
  if (isIP(address) === 0) return { servername: hostname };
  return {
    checkServerIdentity: (_host: string, certificate: PeerCertificate) => checkServerIdentity(address, certificate),
  };
}

const CALLS = 3;

type CallSettings = Parameters<typeof testOnce>[1];

/**
 * Calls the webhook as an API server does.
 *
 * @param url with the cluster's token, or the base: without a token, the constant answer to an unknown one is expected
 * @returns with `isInjected`, whether the pod that is sent gets anything
 */
export async function readCalls(url: string, settings: CallSettings & { readonly withToken: boolean }) {
  const { withToken, timeoutSeconds } = settings;
  const milliseconds: number[] = [];
  let problem: string | undefined;
  let isInjected = false;
  for (let call = 0; call < CALLS && problem === undefined; call++) {
    const started = performance.now();
    const own = countOwnTime(50);
    const answer = withToken ? await testOnce(url, settings) : { problem: await problemWithoutToken(url, settings) };
    problem = answer.problem;
    isInjected ||= "addsProxy" in answer;
    own.stop();
    // Where many clusters are checked at once, what this process does meanwhile is not the endpoint's.
    milliseconds.push(Math.round(Math.min(performance.now() - started, own.passed())));
  }
  return { milliseconds, withToken, isInjected, timeoutSeconds, ...defined({ problem }) };
}

async function problemWithoutToken(base: string, settings: CallSettings): Promise<string | undefined> {
  const path = `${new URL(base).pathname.replace(/\/$/, "")}/t/${randomBytes(32).toString("base64url")}/inject`;
  try {
    const { status } = await post(base, path, "{}", settings);
    if (status === 403) return refusedBefore(base);
    return status === 404 ? undefined : `it answers HTTP ${status} to an unknown token, and should answer 404`;
  } catch (cause) {
    return exchangeProblem(cause);
  }
}
