// Owns looking at the webhook's endpoint from this machine: its certificate, and how long calls take.
import { randomBytes } from "node:crypto";
import { connect } from "node:tls";
import { defined } from "../../defined.ts";
import { OutriggerError } from "../../errors.ts";
import { type AgentFor, exchangeProblem, exchangeWith } from "../http-exchange.ts";
import { testOnce } from "../self-test.ts";
import type { CallFacts, TlsFacts } from "./facts.ts";

const TIMEOUT = 10_000;

/** Connects and reads the certificate, which has to be one that an API server trusts. */
export async function readTls(url: string, ca: string | undefined): Promise<TlsFacts> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port || 443), servername: hostname, timeout: TIMEOUT };
    const socket = connect({ ...options, ...(ca === undefined ? {} : { ca }) }, () => {
      const validTo = Date.parse(socket.getPeerCertificate().valid_to);
      const milliseconds = Math.round(performance.now() - started);
      resolve({ protocol: socket.getProtocol() ?? "", validTo, milliseconds });
      socket.destroy();
    });
    const fail = (cause: unknown) => {
      socket.destroy();
      const message = `Cannot connect to ${hostname}: ${exchangeProblem(cause)}`;
      reject(new OutriggerError("endpoint-unfit", message, { cause }));
    };
    socket.on("error", fail);
    socket.on("timeout", () => fail(undefined));
  });
}

const CALLS = 3;

interface CallSettings {
  readonly caBundle?: string;
  readonly timeoutSeconds: number;
  /** The way to the webhook where it leads through a proxy. */
  readonly agentFor?: AgentFor;
}

/**
 * Calls the webhook as an API server does.
 *
 * @param url with the cluster's token, or the base: without a token, the constant answer to an unknown one is expected
 */
export async function readCalls(
  url: string,
  settings: CallSettings & { readonly withToken: boolean },
): Promise<CallFacts> {
  const { withToken, timeoutSeconds } = settings;
  const milliseconds: number[] = [];
  let problem: string | undefined;
  for (let call = 0; call < CALLS && problem === undefined; call++) {
    const started = performance.now();
    problem = withToken ? (await testOnce(url, settings)).problem : await problemWithoutToken(url, settings);
    milliseconds.push(Math.round(performance.now() - started));
  }
  return { milliseconds, withToken, timeoutSeconds, ...(problem === undefined ? {} : { problem }) };
}

async function problemWithoutToken(
  base: string,
  { caBundle, timeoutSeconds, agentFor }: CallSettings,
): Promise<string | undefined> {
  const { origin, pathname } = new URL(base);
  const trust = defined({ ca: caBundle, agentFor });
  const exchange = exchangeWith({ url: origin, timeoutMilliseconds: timeoutSeconds * 1000, ...trust });
  const path = `${pathname.replace(/\/$/, "")}/t/${randomBytes(32).toString("base64url")}/inject`;
  try {
    const { status } = await exchange({ method: "POST", path, body: "{}", contentType: "application/json" });
    return status === 404 ? undefined : `it answers HTTP ${status} to an unknown token, and should answer 404`;
  } catch (cause) {
    return exchangeProblem(cause);
  }
}
