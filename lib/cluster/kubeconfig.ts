// Owns reading kubeconfig files as kubectl does: several files, contexts, certificates inline or in files, tokens, and plugins
// that issue credentials. Files and plugins are passed in; error messages contain no credential.
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { parseYaml } from "../kube/yaml.ts";
import type { KubeAccess } from "./kube-access.ts";

export interface KubeconfigSource {
  /** The files, the first of which wins where two say something of the same name. */
  readonly files: readonly string[];
  /** Left out: the current one. */
  readonly context?: string;
  /** A file's text, its name relative to the directory of another where there is one; throws where there is none. */
  readonly readText: (file: string, besides?: string) => Promise<string>;
  /** Runs a plugin and gives what it prints. */
  readonly run: (command: string, args: readonly string[], env: Readonly<Record<string, string>>) => Promise<string>;
}

/** @throws OutriggerError `cluster-denied`, naming the file or entry and the way out */
export async function readKubeconfig(source: KubeconfigSource): Promise<KubeAccess> {
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
  if (isName(cluster.entry["proxy-url"])) {
    throw refused(`cluster ${cluster.name} is behind a proxy, which is not supported: use kubectl (docs/register.md)`);
  }
  return {
    name: context,
    url: server,
    ...given("ca", await pem(source, cluster, "certificate-authority")),
    ...given("serverName", textOf(cluster.entry["tls-server-name"])),
    ...(cluster.entry["insecure-skip-tls-verify"] === true ? { insecure: true } : {}),
    ...(await credentialsOf(source, user)),
    wayOut: "check the network and the server in the kubeconfig",
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
    const entries = Array.isArray(config[list]) ? config[list].filter(isObject) : [];
    const found = entries.find((item) => item["name"] === name)?.[kind];
    if (isName(name) && isObject(found)) return { file, name, entry: found };
  }
  const known = configs.flatMap(({ config }) => (Array.isArray(config[list]) ? config[list].filter(isObject) : []));
  const names = known.map((item) => String(item["name"])).slice(0, 10);
  throw refused(`${files.join(", ")} has no ${kind} ${JSON.stringify(name)}; there are ${names.join(", ") || "none"}`);
}

type Credentials = Pick<KubeAccess, "token" | "certificate" | "key">;

async function credentialsOf(source: KubeconfigSource, user: Entry): Promise<Credentials> {
  const { entry } = user;
  const { exec, token, tokenFile } = entry;
  if (isObject(exec)) return runPlugin(source, user, exec);
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

/** `aws eks get-token` and its like. The plugin is run once: what is done here takes less than a token lives. */
async function runPlugin({ run }: KubeconfigSource, user: Entry, exec: JsonObject): Promise<Credentials> {
  const { command, args, env, apiVersion } = exec;
  if (!isName(command)) throw refused(`user ${user.name} has a plugin without a command`);
  const words = Array.isArray(args) ? args.map(String) : [];
  const variables = Array.isArray(env)
    ? env.filter(isObject).map(({ name, value }) => [String(name), String(value)])
    : [];
  const spec = { kind: "ExecCredential", apiVersion: apiVersion ?? API_VERSION, spec: { interactive: false } };
  const printed = await run(command, words, {
    ...(Object.fromEntries(variables) as Record<string, string>),
    KUBERNETES_EXEC_INFO: JSON.stringify(spec),
  }).catch((cause: unknown) => {
    throw refused(`the plugin ${command} of user ${user.name} failed: run it by itself to see why`, cause);
  });
  const status = statusOf(printed);
  const { token, clientCertificateData, clientKeyData } = status;
  if (isName(token)) return { token: async () => token };
  if (isName(clientCertificateData) && isName(clientKeyData)) {
    return { certificate: clientCertificateData, key: clientKeyData };
  }
  throw refused(
    `the plugin ${command} of user ${user.name} gave no credential: run it by itself to see what it prints`,
  );
}

const API_VERSION = "client.authentication.k8s.io/v1beta1";

function statusOf(printed: string): JsonObject {
  try {
    const credential: unknown = JSON.parse(printed);
    const status = isObject(credential) ? credential["status"] : undefined;
    return isObject(status) ? status : {};
  } catch {
    return {};
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textOf(value: unknown): string | undefined {
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
