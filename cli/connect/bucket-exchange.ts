// How requests for objects of the release bucket leave this machine: through the proxy that is set for their host, if any.
import { request } from "node:https";
import { exchangeOnce } from "@outrigger/aws";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { Io } from "../terminal/io.ts";
import { chooseProxy } from "./choose-proxy.ts";

type Exchange = typeof exchangeOnce;

/** @throws OutriggerError `usage` from the function, for a proxy that is not supported */
export function bucketExchange(env: Io["env"]): Exchange {
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
