// The objects of buckets, whose requests leave this machine through the proxy that is set for their host, if any.
import { request } from "node:https";
import { setTimeout } from "node:timers/promises";
import { exchangeOnce, signedObjectStore } from "@outrigger/aws";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { Io } from "../terminal/io.ts";
import type { awsCredentials } from "./aws-credentials.ts";
import { chooseProxy } from "./choose-proxy.ts";

type Exchange = typeof exchangeOnce;

/**
 * The objects of a Region's buckets.
 *
 * @param timeout of a request, in milliseconds
 * @throws OutriggerError from a call, `usage` for a proxy that is not supported
 */
export function bucketStore(
  region: string,
  credentials: ReturnType<typeof awsCredentials>,
  { env, timeout }: { readonly env: Io["env"]; readonly timeout: number },
): ReturnType<typeof signedObjectStore> {
  return signedObjectStore({
    env: { ...env, AWS_REGION: region },
    credentials: () => credentials(),
    exchange: bucketExchange(env),
    attempts: 4,
    timeout,
    sleep: (milliseconds) => setTimeout(milliseconds),
  });
}

function bucketExchange(env: Io["env"]): Exchange {
  return async (url, options) => {
    const proxy = url.protocol === "https:" ? chooseProxy(url.href, env) : undefined;
    return proxy === undefined ? exchangeOnce(url, options) : throughProxy(url, options, new HttpsProxyAgent(proxy));
  };
}

function throughProxy(
  url: URL,
  { method = "GET", headers, body, signal }: Parameters<Exchange>[1],
  agent: HttpsProxyAgent<string>,
): ReturnType<Exchange> {
  return new Promise((resolve, reject) => {
    const sent = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    const call = request(
      url,
      { method, headers: sent, agent, ...(signal === undefined ? {} : { signal }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }))
          .on("error", reject);
      },
    );
    call.on("error", reject).end(body);
  });
}
