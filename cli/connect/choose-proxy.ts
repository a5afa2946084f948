// Through which proxy a URL is reached, and the agents for it: HTTPS_PROXY, HTTP_PROXY and NO_PROXY by the rules of Go's net/http,
// which kubectl follows. Pure: the environment is passed in.
import { BlockList, isIP, isIPv6 } from "node:net";
import { usageError } from "@outrigger/base";
import { HttpsProxyAgent } from "https-proxy-agent";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy's URL, or undefined where there is none.
 *
 * @param given a kubeconfig's `proxy-url`, which counts whatever the environment says
 * @throws OutriggerError `usage` for a proxy that is not supported; its message contains no password
 * @example
 * ```ts
 * chooseProxy("https://k8s.test", { HTTPS_PROXY: "proxy:3128" }) // => "http://proxy:3128/"
 * chooseProxy("https://k8s.test", { HTTPS_PROXY: "proxy:3128", NO_PROXY: ".test" }) // => undefined
 * ```
 */
export function chooseProxy(url: string, environment: Environment, given?: string): string | undefined {
  if (given !== undefined && given !== "") return supported(given, "proxy-url of the kubeconfig");
  const { protocol } = new URL(url);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = environment[name] || environment[name.toLowerCase()];
  const exceptions = environment["NO_PROXY"] || environment["no_proxy"] || "";
  return proxy === undefined || proxy === "" || isDirect(url, exceptions) ? undefined : supported(proxy, name);
}

function supported(proxy: string, source: string): string {
  const text = proxy.includes("://") ? proxy : `http://${proxy}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  const kind = url === undefined ? "it is not a URL" : `${url.protocol}// is not supported`;
  throw usageError(`Cannot use the proxy in ${source}: ${kind}; give an http:// or https:// proxy`);
}

/** Whether a URL is reached without a proxy of the environment: this machine always is. */
function isDirect(url: string, exceptions: string): boolean {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (["localhost", "::1"].includes(host) || isInRange("127.0.0.0/8", host)) return true;
  const place = `${host}:${port || (protocol === "https:" ? "443" : "80")}`;
  return exceptions
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .some((one) => one === "*" || (one !== "" && covers(one, host, place)));
}

/** `name`, `.name`, `*.name`, each with or without a port; an address or a range of addresses. */
function covers(exception: string, host: string, place: string): boolean {
  if (isIP(host) !== 0) return exception === place || isInRange(exception, host);
  const [, name = "", port] = /^([^:]*)(:\d+)?$/.exec(exception) ?? [];
  if (port !== undefined && !place.endsWith(port)) return false;
  const suffix = name.replace(/^\*(?=\.)/, "");
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isInRange(range: string, address: string): boolean {
  const [network = "", bits] = range.split("/");
  if (isIP(network) === 0 || isIP(network) !== isIP(address)) return false;
  if (bits === undefined) return network === address;
  const [family, longest] = isIPv6(network) ? (["ipv6", 128] as const) : (["ipv4", 32] as const);
  if (!/^\d+$/.test(bits) || Number(bits) > longest) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

/**
 * An agent for each server that is reached through a proxy.
 *
 * @param given the proxy of a kubeconfig's cluster
 */
export function proxyAgents(env: Environment, given?: string): (url: string) => HttpsProxyAgent<string> | undefined {
  return (url) => {
    const proxy = chooseProxy(url, env, given);
    return proxy === undefined ? undefined : new HttpsProxyAgent(proxy, { keepAlive: true });
  };
}
