// The kubeconfigs that our reader and client-go read: `node --import tsx test/kubeconfig/cases.ts` writes cases.json for read.go.
import { writeFileSync } from "node:fs";

export interface KubeconfigCase {
  readonly name: string;
  /** File → text, below one folder. */
  readonly files: Readonly<Record<string, string>>;
  /** $KUBECONFIG. */
  readonly kubeconfig?: readonly string[];
  /** --kubeconfig. */
  readonly explicit?: string;
  readonly context?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const CA = "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n";
const b64 = (text: string) => Buffer.from(text).toString("base64");
const EXEC = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args: ["eks", "get-token"] };
const V1 = { ...EXEC, apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" };

/** A kubeconfig of one context, cluster and user. */
function config(user: Fields = { token: "t" }, cluster: Fields = {}, rest: Fields = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server: "https://k.test", ...cluster } }],
    users: [{ name: "u", user }],
    ...rest,
  });
}

const one = (name: string, text: string, more: Readonly<Record<string, string>> = {}): KubeconfigCase => ({
  name,
  files: { config: text, ...more },
  kubeconfig: ["config"],
});
const user = (name: string, fields: Fields, more: Readonly<Record<string, string>> = {}) =>
  one(name, config(fields), more);
const cluster = (name: string, fields: Fields, more: Readonly<Record<string, string>> = {}) =>
  one(name, config({ token: "t" }, fields), more);
const several = (
  name: string,
  files: Readonly<Record<string, string>>,
  kubeconfig: readonly string[],
  context?: string,
) => ({
  name,
  files,
  kubeconfig,
  ...(context === undefined ? {} : { context }),
});

const OTHER = JSON.stringify({
  "current-context": "d",
  contexts: [{ name: "d", context: { cluster: "l", user: "v" } }],
  clusters: [{ name: "l", cluster: { server: "https://l.test" } }],
  users: [{ name: "v", user: { token: "other" } }],
});

export const kubeconfigCases: readonly KubeconfigCase[] = [
  user("a token", { token: "t" }),
  user("no credential at all", {}),
  user("a token file", { tokenFile: "token" }, { token: " from file\n" }),
  user("a token and a token file", { token: "t", tokenFile: "token" }, { token: "from file\n" }),
  user("a token file in a folder", { tokenFile: "a/token" }, { "a/token": "deep" }),
  user("a token file that is missing", { tokenFile: "none" }),
  user("a certificate and key inline", { "client-certificate-data": b64("CERT"), "client-key-data": b64("KEY") }),
  user(
    "a certificate and key in files",
    { "client-certificate": "a.crt", "client-key": "a.key" },
    { "a.crt": "C", "a.key": "K" },
  ),
  user("a certificate without a key", { "client-certificate-data": b64("CERT") }),
  user("a certificate file that is missing", { "client-certificate": "none", "client-key-data": b64("KEY") }),
  user(
    "a certificate inline and in a file",
    {
      "client-certificate-data": b64("CERT"),
      "client-certificate": "a.crt",
      "client-key-data": b64("KEY"),
    },
    { "a.crt": "C" },
  ),
  user("a token and a certificate", {
    token: "t",
    "client-certificate-data": b64("CERT"),
    "client-key-data": b64("KEY"),
  }),
  user("a plugin", { exec: EXEC }),
  user("a plugin of v1", { exec: V1 }),
  user("a plugin of v1 without interactiveMode", { exec: { ...V1, interactiveMode: undefined } }),
  user("a plugin of v1alpha1", { exec: { ...EXEC, apiVersion: "client.authentication.k8s.io/v1alpha1" } }),
  user("a plugin without a version", { exec: { command: "aws" } }),
  user("a plugin without a command", { exec: { apiVersion: EXEC.apiVersion } }),
  user("a plugin with an unknown interactiveMode", { exec: { ...V1, interactiveMode: "Sometimes" } }),
  user("a plugin and a token", { exec: EXEC, token: "t" }),
  user("a plugin next to the file", { exec: { ...EXEC, command: "./bin/login" } }),
  user("a plugin and an auth-provider", { exec: EXEC, "auth-provider": { name: "oidc" } }),
  user("an auth-provider", { "auth-provider": { name: "oidc", config: {} } }),
  user("a user name and password", { username: "ann", password: "secret" }),
  user("a token and a user name", { token: "t", username: "ann", password: "secret" }),
  user("as", { token: "t", as: "ann" }),
  user("as with groups, uid and extra", {
    token: "t",
    as: "ann",
    "as-groups": ["dev", "ops"],
    "as-uid": "7",
    "as-user-extra": { team: ["a", "b"] },
  }),
  user("groups without as", { token: "t", "as-groups": ["dev"] }),
  user("as with a plugin", { exec: EXEC, as: "ann" }),
  cluster("an authority inline", { "certificate-authority-data": b64(CA) }),
  cluster("an authority in a file", { "certificate-authority": "pki/ca.crt" }, { "pki/ca.crt": CA }),
  cluster("an authority in a file that is missing", { "certificate-authority": "none" }),
  cluster(
    "an authority inline and in a file",
    { "certificate-authority-data": b64(CA), "certificate-authority": "ca.crt" },
    { "ca.crt": CA },
  ),
  cluster("insecure", { "insecure-skip-tls-verify": true }),
  cluster("insecure and an authority", { "insecure-skip-tls-verify": true, "certificate-authority-data": b64(CA) }),
  cluster("a server name", { "tls-server-name": "kubernetes" }),
  cluster("a proxy", { "proxy-url": "http://proxy.test:3128" }),
  cluster("a proxy of a scheme that is not known", { "proxy-url": "ftp://proxy.test" }),
  cluster("a server on another port", { server: "https://k.test:6443" }),
  cluster("a server with a path", { server: "https://k.test/k8s/clusters/c1" }),
  cluster("a server with a slash at its end", { server: "https://k.test/" }),
  cluster("a server over HTTP", { server: "http://127.0.0.1:8001" }),
  cluster("a server without a scheme", { server: "k.test:6443" }),
  cluster("no server", { server: "" }),
  one("no current context", config(undefined, undefined, { "current-context": "" })),
  one("a current context that is not there", config(undefined, undefined, { "current-context": "none" })),
  one("a context whose cluster is not there", config(undefined, undefined, { clusters: [] })),
  one("a context whose user is not there", config(undefined, undefined, { users: [] })),
  one(
    "a context without a user",
    config(undefined, undefined, { contexts: [{ name: "c", context: { cluster: "k" } }] }),
  ),
  one("no file but an empty one", ""),
  one("a file that is no YAML", "a: [b"),
  one("a file that is a list", "- a\n"),
  one("fields that are not known", config(undefined, undefined, { more: true, preferences: { colors: true } })),
  {
    ...one(
      "a named context",
      config(undefined, undefined, {
        contexts: [
          { name: "c", context: { cluster: "k", user: "u" } },
          { name: "e", context: { cluster: "m", user: "u" } },
        ],
        clusters: [{ name: "m", cluster: { server: "https://m.test" } }],
      }),
    ),
    context: "e",
  },
  several("two files", { a: config(), b: OTHER }, ["a", "b"]),
  several("two files, the context of the second", { a: config(), b: OTHER }, ["a", "b"], "d"),
  several("a missing file before one", { b: OTHER }, ["a", "b"]),
  several("an empty file before one", { a: "", b: OTHER }, ["a", "b"]),
  several("a file of comments before one", { a: "# nothing\n", b: OTHER }, ["a", "b"]),
  several("no file of several", {}, ["a", "b"]),
  several(
    "the current context of the first, a cluster of the second",
    {
      a: JSON.stringify({ "current-context": "d" }),
      b: OTHER,
    },
    ["a", "b"],
  ),
  several("the same user twice", { a: config({ token: "first" }), b: config({ token: "second" }) }, ["a", "b"]),
  several("the same user, with other fields", { a: config({ token: "first" }), b: config({ as: "ann" }) }, ["a", "b"]),
  several(
    "a file below a folder, with a file next to it",
    {
      "x/config": config({ tokenFile: "token" }),
      "x/token": "near",
      token: "far",
    },
    ["x/config"],
  ),
  { name: "an explicit file", files: { a: config(), b: OTHER }, kubeconfig: ["a"], explicit: "b" },
  { name: "an explicit file that is missing", files: { a: config() }, kubeconfig: ["a"], explicit: "b" },
];

if (process.argv[1]?.endsWith("cases.ts") === true) {
  writeFileSync(new URL("cases.json", import.meta.url), `${JSON.stringify(kubeconfigCases, undefined, 2)}\n`);
}
