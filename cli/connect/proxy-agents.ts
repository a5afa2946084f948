// The connections through proxies: an agent for each server that is reached through one.

import type { AgentFor } from "@outrigger/cluster";
import { chooseProxy } from "@outrigger/cluster";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { Io } from "../terminal/io.ts";

/** @param given the proxy of a kubeconfig's cluster */
export function proxyAgents(env: Io["env"], given?: string): AgentFor {
  return (url) => {
    const proxy = chooseProxy(url, env, given);
    return proxy === undefined ? undefined : new HttpsProxyAgent(proxy, { keepAlive: true });
  };
}
