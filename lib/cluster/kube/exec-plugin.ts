// Plugins that issue credentials (client.authentication.k8s.io): run when a credential is needed, with what they ask to know.
import { defined, type JsonObject, listOf, objectOf, objectsOf, parseJson } from "@outrigger/base";
import { codeOf } from "./http-exchange.ts";
import { type Entry, isName, type KubeconfigSource, nameOf, pem, refused } from "./kubeconfig-entry.ts";

/** `aws eks get-token` and its like: run again when the credential that it gave is about to end. */
export async function pluginCredentials(source: KubeconfigSource, user: Entry, exec: JsonObject, cluster: Entry) {
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
  const { command, args, env, apiVersion, interactiveMode } = exec;
  if (!isName(command)) throw refused(`user ${user.name} has a plugin without a command`);
  if (apiVersion !== V1 && apiVersion !== V1BETA1) {
    throw refused(
      `the plugin ${command} of user ${user.name} is of ${apiVersion === undefined ? "no apiVersion" : String(apiVersion)}: update it to ${V1}`,
    );
  }
  const isKnown = interactiveMode === undefined ? apiVersion === V1BETA1 : MODES.has(String(interactiveMode));
  if (!isKnown) {
    throw refused(`the plugin ${command} of user ${user.name} needs an interactiveMode: ${[...MODES].join(", ")}`);
  }
  if (interactiveMode === "Always" && source.isInteractive !== true) {
    throw refused(`the plugin ${command} of user ${user.name} asks questions: run this command in a terminal`);
  }
  const isInteractive = interactiveMode !== "Never" && source.isInteractive === true;
  const words = listOf(args).map(String);
  const variables = objectsOf(env).map(({ name, value }) => [String(name), String(value)] as const);
  const known = exec["provideClusterInfo"] === true ? { cluster: await clusterInfo(source, cluster) } : {};
  const info = { kind: "ExecCredential", apiVersion, spec: { interactive: isInteractive, ...known } };
  const environment = { ...Object.fromEntries(variables), KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const plugin = { nextTo: user.file, isInteractive };
  const printed = await source.run(command, words, environment, plugin).catch((cause: unknown) => {
    const hint = isName(exec["installHint"]) ? `: ${exec["installHint"].trim().slice(0, 500)}` : "";
    const problem = codeOf(cause) === "ENOENT" ? `is not installed${hint}` : "failed: run it by itself to see why";
    throw refused(`the plugin ${command} of user ${user.name} ${problem}`, cause);
  });
  return objectOf(objectOf(parseJson(printed))["status"]);
}

async function clusterInfo(source: KubeconfigSource, cluster: Entry): Promise<JsonObject> {
  const { entry } = cluster;
  const ca = await pem(source, cluster, "certificate-authority");
  const extensions = objectsOf(entry["extensions"]);
  const config = extensions.find(({ name }) => name === "client.authentication.k8s.io/exec")?.["extension"];
  const said = ["server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url"].flatMap((key) =>
    entry[key] === undefined ? [] : [[key, entry[key]] as const],
  );
  const data = ca === undefined ? undefined : Buffer.from(ca).toString("base64");
  return { ...Object.fromEntries(said), ...defined({ "certificate-authority-data": data, config }) } as JsonObject;
}

const MODES: ReadonlySet<string> = new Set(["Never", "IfAvailable", "Always"]);
const V1 = "client.authentication.k8s.io/v1";
const V1BETA1 = "client.authentication.k8s.io/v1beta1";
