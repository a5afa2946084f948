// Owns the connections through proxies: an agent for each server that is reached through one.
import { HttpsProxyAgent } from "https-proxy-agent";
import { chooseProxy } from "../lib/cluster/choose-proxy.ts";
import type { AgentFor } from "../lib/cluster/http-exchange.ts";
import type { Io } from "./io.ts";

/** @param given the proxy of a kubeconfig's cluster */
export function proxyAgents(env: Io["env"], given?: string): AgentFor {
  return (url) => {
    const proxy = chooseProxy(url, env, given);
    return proxy === undefined ? undefined : new HttpsProxyAgent(proxy, { keepAlive: true });
  };
}
