// Reading kubeconfig files as client-go does: several files, contexts, authorities, and a pod's own service account where there
// is no file. Files and plugins are passed in; error messages contain no credential. test/kubeconfig compares with client-go.
import { defined, isObject, type JsonObject, type JsonValue, objectsOf } from "@outrigger/base";
import { parseYaml } from "@outrigger/yaml";
import { type AgentFor, codeOf } from "./http-exchange.ts";
import { type KubeAccess, openExchange, openKube } from "./kube-access.ts";
import type { KubeClient } from "./kube-client.ts";
import { credentialsOf } from "./kubeconfig-credentials.ts";
import type { KubeconfigSource } from "./kubeconfig-entry.ts";
import { type Entry, isName, nameOf, pem, refused } from "./kubeconfig-entry.ts";

/** The connection, with the cluster's own proxy. */
export type KubeconfigAccess = KubeAccess & { readonly proxyUrl?: string };

/** @throws OutriggerError `cluster-denied`, naming the file or entry and the way out */
export async function readKubeconfig(source: KubeconfigSource): Promise<KubeconfigAccess> {
  const texts = (await Promise.all(source.files.map((file) => readConfig(source, file)))).flat();
  const isEmpty = texts.every(({ config }) => LISTS.every((list) => objectsOf(config[list]).length === 0));
  const pod = isEmpty && source.context === undefined ? await inClusterAccess(source) : undefined;
  if (pod !== undefined) return pod;
  if (texts.length === 0) {
    throw refused(
      `there is no kubeconfig ${source.files.join(", ")}, or it may not be read: name one with --kubeconfig`,
    );
  }
  const context = source.context ?? texts.map(({ config }) => config["current-context"]).find(isName);
  if (context === undefined || context === "") {
    throw refused(`${source.files.join(", ")} has no current context: name one with --context`);
  }
  const { entry } = find(texts, "context", context, source);
  const cluster = find(texts, "cluster", entry["cluster"], source);
  // A context without a user comes as nobody, to kubectl proxy for example.
  const user = lookUp(texts, "user", entry["user"]) ?? { file: "", name: "", entry: {} };
  const url = serverOf(cluster);
  return {
    name: context,
    url,
    ...(await trustOf(source, cluster)),
    ...defined({ proxyUrl: proxyOf(cluster) }),
    ...(await credentialsOf(source, user, cluster, url.startsWith("https:"))),
    remediation: "check the network and the server in the kubeconfig",
  };
}

/** The names of the contexts that kubeconfig files have, as `kubectl config get-contexts` lists them. */
export async function kubeconfigContexts(source: KubeconfigSource): Promise<readonly string[]> {
  const texts = (await Promise.all(source.files.map((file) => readConfig(source, file)))).flat();
  return texts.flatMap(({ config }) => objectsOf(config["contexts"])).flatMap(({ name }) => nameOf(name) ?? []);
}

const LISTS = ["contexts", "clusters", "users"] as const;

interface Config {
  readonly file: string;
  readonly config: JsonObject;
}

async function readConfig({ readText, isExplicit }: KubeconfigSource, file: string): Promise<readonly Config[]> {
  const text = await readText(file).catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT" && isExplicit !== true) return undefined;
    throw refused(`there is no kubeconfig ${file}, or it may not be read: name one with --kubeconfig`, cause);
  });
  if (text === undefined) return [];
  const config = parseYaml(text, file) ?? {};
  if (!isObject(config)) throw refused(`${file} is no kubeconfig`);
  return [{ file, config }];
}

/** An entry by its name: `clusters: [{name, cluster: {…}}]`. */
function lookUp(configs: readonly Config[], kind: string, name: JsonValue | undefined): Entry | undefined {
  for (const { file, config } of configs) {
    const found = objectsOf(config[`${kind}s`]).find((item) => item["name"] === name)?.[kind];
    if (isName(name) && isObject(found)) return { file, name, entry: found };
  }
  return undefined;
}

function find(configs: readonly Config[], kind: string, name: JsonValue | undefined, { files }: KubeconfigSource) {
  const found = lookUp(configs, kind, name);
  if (found !== undefined) return found;
  const known = configs.flatMap(({ config }) => objectsOf(config[`${kind}s`]));
  const names = known.map((item) => String(item["name"])).slice(0, 10);
  throw refused(`${files.join(", ")} has no ${kind} ${JSON.stringify(name)}; there are ${names.join(", ") || "none"}`);
}

/** The URL of a server: client-go takes HTTP where the scheme is left out. */
function serverOf({ entry, name }: Entry): string {
  const { server } = entry;
  const url = isName(server) ? (server.includes("://") ? server : `http://${server}`) : "";
  if (!URL.canParse(url)) throw refused(`cluster ${name} has no server`);
  return url.replace(/\/$/, "");
}

const PROXIES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:"]);

function proxyOf({ entry, name }: Entry): string | undefined {
  const proxy = nameOf(entry["proxy-url"]);
  if (proxy === undefined || (URL.canParse(proxy) && PROXIES.has(new URL(proxy).protocol))) return proxy;
  throw refused(`the proxy-url of cluster ${name} is no URL of an HTTP proxy`);
}

async function trustOf(source: KubeconfigSource, cluster: Entry): Promise<Partial<KubeAccess>> {
  const { entry, name } = cluster;
  const ca = await pem(source, cluster, "certificate-authority");
  const insecure = entry["insecure-skip-tls-verify"] === true;
  if (insecure && ca !== undefined) {
    throw refused(`cluster ${name} has an authority and insecure-skip-tls-verify: take one of them away`);
  }
  const authorities = ca ?? (insecure ? undefined : await machineAuthorities(source));
  const serverName = nameOf(entry["tls-server-name"]);
  return defined({ ca: authorities, serverName, insecure: insecure ? true : undefined });
}

/** Go takes the file of SSL_CERT_FILE in place of the machine's authorities. */
async function machineAuthorities({ env = {}, readText }: KubeconfigSource): Promise<string | undefined> {
  const file = env["SSL_CERT_FILE"];
  if (file === undefined || file === "") return undefined;
  return readText(file).catch((cause: unknown) => {
    throw refused(`${file}, which SSL_CERT_FILE names, cannot be read`, cause);
  });
}

/** The folder into which the kubelet puts what belongs to the service account. */
const FOLDER = ["", "var", "run", "secrets", "kubernetes.io", "serviceaccount"].join("/");

/** Undefined outside of a pod, or where the pod has no service account's token. */
async function inClusterAccess({ env = {}, readText }: KubeconfigSource): Promise<KubeconfigAccess | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return undefined;
  const readToken = () => readText(`${FOLDER}/token`);
  const token = await readToken().catch(() => undefined);
  if (token === undefined) return undefined;
  const ca = await readText(`${FOLDER}/ca.crt`).catch(() => undefined);
  return {
    name: "in-cluster",
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ...defined({ ca }),
    // The kubelet writes a new one before the old one ends.
    token: async () => (await readToken()).trim(),
    remediation: "check the network policies of the pod",
  };
}

interface KubeconfigPorts extends KubeconfigSource {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The way to the server through a proxy; gets the `proxy-url` of the kubeconfig's cluster, where it has one. */
  readonly agentFor?: (proxyUrl: string | undefined) => AgentFor;
}

/**
 * A client of the API server that a kubeconfig names, with its credentials, as kubectl reads them: several files, contexts,
 * certificates inline or in files, tokens, and plugins that issue credentials. Files and plugins are the caller's.
 *
 * @throws OutriggerError `cluster-denied`, naming the file or entry and the remedy
 */
export async function openKubeconfig({ sleep, ...ports }: KubeconfigPorts): Promise<KubeClient> {
  return openKube(await accessOf(ports), sleep);
}

/** The server that a kubeconfig names, for sending requests as they are: with its credentials, and whatever the answer is. */
export async function exchangeOfKubeconfig(ports: Omit<KubeconfigPorts, "sleep">) {
  const access = await accessOf(ports);
  return { name: access.name, url: access.url, exchange: openExchange(access) };
}

async function accessOf({ agentFor, ...source }: Omit<KubeconfigPorts, "sleep">): Promise<KubeAccess> {
  const { proxyUrl, ...access } = await readKubeconfig(source);
  return agentFor === undefined ? access : { ...access, agentFor: agentFor(proxyUrl) };
}
