// Reading kubeconfig files as kubectl does: several files, contexts, certificates inline or in files, tokens, and plugins
// that issue credentials. Files and plugins are passed in; error messages contain no credential.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  OutriggerError,
  objectOf,
  objectsOf,
} from "@outrigger/base";
import { parseYaml } from "@outrigger/yaml";
import type { KubeAccess } from "./kube-access.ts";

export interface KubeconfigSource {
  /** The files, the first of which wins where two say something of the same name. */
  readonly files: readonly string[];
  /** Left out: the current one. */
  readonly context?: string;
  /** A file's text, its name relative to the directory of another where there is one; throws where there is none. */
  readonly readText: (file: string, besides?: string) => Promise<string>;
  /** Runs a plugin and gives what it prints. */
  readonly run: (
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    plugin: PluginRun,
  ) => Promise<string>;
  /** Whether a person can answer a plugin's questions. */
  readonly isInteractive?: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface PluginRun {
  /** The kubeconfig: a command with a slash is relative to it. */
  readonly nextTo: string;
  /** Whether the plugin gets the terminal. */
  readonly isInteractive: boolean;
}

export interface KubeconfigAccess extends KubeAccess {
  /** The cluster's own proxy. */
  readonly proxyUrl?: string;
}

/** @throws OutriggerError `cluster-denied`, naming the file or entry and the way out */
export async function readKubeconfig(source: KubeconfigSource): Promise<KubeconfigAccess> {
  const texts = await Promise.all(source.files.map((file) => readConfig(source, file)));
  const context = source.context ?? texts.map(({ config }) => config["current-context"]).find(isName);
  if (context === undefined || context === "") {
    throw refused(`${source.files.join(", ")} has no current context: name one with --context`);
  }
  const { entry } = find(texts, "contexts", context, "context", source);
  const cluster = find(texts, "clusters", entry["cluster"], "cluster", source);
  const user = find(texts, "users", entry["user"], "user", source);
  const { server } = cluster.entry;
  if (!isName(server) || !URL.canParse(server)) throw refused(`cluster ${cluster.name} has no server`);
  return {
    name: context,
    url: server,
    ...given("ca", await pem(source, cluster, "certificate-authority")),
    ...given("serverName", nameOf(cluster.entry["tls-server-name"])),
    ...(cluster.entry["insecure-skip-tls-verify"] === true ? { insecure: true } : {}),
    ...given("proxyUrl", nameOf(cluster.entry["proxy-url"])),
    ...(await credentialsOf(source, user, cluster)),
    remediation: "check the network and the server in the kubeconfig",
  };
}

interface Config {
  readonly file: string;
  readonly config: JsonObject;
}

interface Entry {
  readonly file: string;
  readonly name: string;
  readonly entry: JsonObject;
}

async function readConfig({ readText }: KubeconfigSource, file: string): Promise<Config> {
  const text = await readText(file).catch((cause: unknown) => {
    throw refused(`there is no kubeconfig ${file}, or it may not be read: name one with --kubeconfig`, cause);
  });
  const config = parseYaml(text, file);
  if (!isObject(config)) throw refused(`${file} is no kubeconfig`);
  return { file, config };
}

/** An entry by its name: `clusters: [{name, cluster: {…}}]`. */
function find(
  configs: readonly Config[],
  list: string,
  name: JsonValue | undefined,
  kind: string,
  { files }: KubeconfigSource,
): Entry {
  for (const { file, config } of configs) {
    const entries = objectsOf(config[list]);
    const found = entries.find((item) => item["name"] === name)?.[kind];
    if (isName(name) && isObject(found)) return { file, name, entry: found };
  }
  const known = configs.flatMap(({ config }) => objectsOf(config[list]));
  const names = known.map((item) => String(item["name"])).slice(0, 10);
  throw refused(`${files.join(", ")} has no ${kind} ${JSON.stringify(name)}; there are ${names.join(", ") || "none"}`);
}

type Credentials = Pick<KubeAccess, "token" | "certificate" | "key">;

async function credentialsOf(source: KubeconfigSource, user: Entry, cluster: Entry): Promise<Credentials> {
  const { entry } = user;
  const { exec, token, tokenFile } = entry;
  if (isObject(exec)) return pluginCredentials(source, user, exec, cluster);
  const pair = {
    ...given("certificate", await pem(source, user, "client-certificate")),
    ...given("key", await pem(source, user, "client-key")),
  };
  if (isName(token)) return { ...pair, token: async () => token };
  if (isName(tokenFile)) {
    const text = await readNextTo(source, user, tokenFile);
    return { ...pair, token: async () => text.trim() };
  }
  if (pair.certificate !== undefined) return pair;
  throw refused(`user ${user.name} has no token, certificate or plugin that is known here`);
}

/** PEM text: inline as base64, or in a file relative to the kubeconfig. */
async function pem(source: KubeconfigSource, from: Entry, key: string): Promise<string | undefined> {
  const inline = from.entry[`${key}-data`];
  if (isName(inline)) return Buffer.from(inline, "base64").toString("utf8");
  const file = from.entry[key];
  return isName(file) ? readNextTo(source, from, file) : undefined;
}

async function readNextTo({ readText }: KubeconfigSource, from: Entry, file: string): Promise<string> {
  return readText(file, from.file).catch((cause: unknown) => {
    throw refused(`${file}, which ${from.file} names, cannot be read`, cause);
  });
}

/** `aws eks get-token` and its like: run again when the credential that it gave is about to end. */
async function pluginCredentials(
  source: KubeconfigSource,
  user: Entry,
  exec: JsonObject,
  cluster: Entry,
): Promise<Credentials> {
  const now = source.now ?? Date.now;
  let status = await runPlugin(source, user, exec, cluster);
  const { token, clientCertificateData, clientKeyData } = status;
  const pair =
    isName(clientCertificateData) && isName(clientKeyData)
      ? { certificate: clientCertificateData, key: clientKeyData }
      : {};
  if (isName(token)) {
    const fresh = async () => {
      if (now() >= endOf(status)) status = await runPlugin(source, user, exec, cluster);
      return nameOf(status["token"]) ?? token;
    };
    return { ...pair, token: fresh };
  }
  if (pair.certificate !== undefined) return pair;
  throw refused(
    `the plugin ${String(exec["command"])} of user ${user.name} gave no credential: run it by itself to see what it prints`,
  );
}

/** A call takes a while: a credential that ends in a few seconds is not used any more. */
const MARGIN = 5000;

function endOf({ expirationTimestamp }: JsonObject): number {
  const end = isName(expirationTimestamp) ? Date.parse(expirationTimestamp) : Number.NaN;
  return Number.isNaN(end) ? Number.POSITIVE_INFINITY : end - MARGIN;
}

async function runPlugin(source: KubeconfigSource, user: Entry, exec: JsonObject, cluster: Entry): Promise<JsonObject> {
  const { command, args, env, apiVersion = V1BETA1, interactiveMode } = exec;
  if (!isName(command)) throw refused(`user ${user.name} has a plugin without a command`);
  if (apiVersion !== V1 && apiVersion !== V1BETA1) {
    throw refused(`the plugin ${command} of user ${user.name} is of ${String(apiVersion)}: update it to ${V1}`);
  }
  if (interactiveMode === "Always" && source.isInteractive !== true) {
    throw refused(`the plugin ${command} of user ${user.name} asks questions: run this command in a terminal`);
  }
  const isInteractive = interactiveMode !== "Never" && source.isInteractive === true;
  const words = listOf(args).map(String);
  const variables = objectsOf(env).map(({ name, value }) => [String(name), String(value)]);
  const known = exec["provideClusterInfo"] === true ? { cluster: await clusterInfo(source, cluster) } : {};
  const info = { kind: "ExecCredential", apiVersion, spec: { interactive: isInteractive, ...known } };
  const environment = {
    ...(Object.fromEntries(variables) as Record<string, string>),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  };
  const plugin = { nextTo: user.file, isInteractive };
  const printed = await source.run(command, words, environment, plugin).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const hint = isName(exec["installHint"]) ? `: ${exec["installHint"].trim().slice(0, 500)}` : "";
    if (isMissing) throw refused(`the plugin ${command} of user ${user.name} is not installed${hint}`, cause);
    throw refused(`the plugin ${command} of user ${user.name} failed: run it by itself to see why`, cause);
  });
  return statusOf(printed);
}

/** What a plugin gets to know of the cluster where it asks for that. */
async function clusterInfo(source: KubeconfigSource, cluster: Entry): Promise<JsonObject> {
  const { entry } = cluster;
  const ca = await pem(source, cluster, "certificate-authority");
  const extensions = objectsOf(entry["extensions"]);
  const config = extensions.find(({ name }) => name === "client.authentication.k8s.io/exec")?.["extension"];
  const said = ["server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url"].flatMap((key) =>
    entry[key] === undefined ? [] : [[key, entry[key]] as const],
  );
  return {
    ...(Object.fromEntries(said) as JsonObject),
    ...given("certificate-authority-data", ca === undefined ? undefined : Buffer.from(ca).toString("base64")),
    ...given("config", config),
  } as JsonObject;
}

const V1 = "client.authentication.k8s.io/v1";
const V1BETA1 = "client.authentication.k8s.io/v1beta1";

function statusOf(printed: string): JsonObject {
  try {
    const credential: unknown = JSON.parse(printed);
    const status = isObject(credential) ? credential["status"] : undefined;
    return objectOf(status);
  } catch {
    return {};
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function nameOf(value: unknown): string | undefined {
  return isName(value) ? value : undefined;
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}

function refused(why: string, cause?: unknown): OutriggerError {
  return new OutriggerError(
    "cluster-denied",
    `Cannot use the kubeconfig: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
