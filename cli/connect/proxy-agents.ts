// The connections through proxies: an agent for each server that is reached through one.

import { HttpsProxyAgent } from "https-proxy-agent";
import type { Io } from "../terminal/io.ts";
import { chooseProxy } from "./choose-proxy.ts";

/** @param given the proxy of a kubeconfig's cluster */
export function proxyAgents(env: Io["env"], given?: string): (url: string) => HttpsProxyAgent<string> | undefined {
  return (url) => {
    const proxy = chooseProxy(url, env, given);
    return proxy === undefined ? undefined : new HttpsProxyAgent(proxy, { keepAlive: true });
  };
}
