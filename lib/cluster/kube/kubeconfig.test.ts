import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readKubeconfig } from "./kubeconfig.ts";
import type { KubeconfigSource } from "./kubeconfig-entry.ts";

const PEM = "-----BEGIN CERTIFICATE-----";
const CONFIG = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "prod",
  contexts: [
    { name: "prod", context: { cluster: "c1", user: "u1" } },
    { name: "test", context: { cluster: "c2", user: "u2" } },
  ],
  clusters: [
    { name: "c1", cluster: { server: "https://one.test", "certificate-authority-data": btoa(PEM) } },
    {
      name: "c2",
      cluster: { server: "https://two.test", "certificate-authority": "ca.pem", "tls-server-name": "k8s" },
    },
  ],
  users: [
    { name: "u1", user: { token: "secret" } },
    { name: "u2", user: { "client-certificate-data": btoa("CERT"), "client-key": "keys/key.pem" } },
  ],
};

function source(changes: Partial<KubeconfigSource> & { readonly texts?: Readonly<Record<string, unknown>> } = {}) {
  const { texts = { "/home/config": CONFIG }, ...rest } = changes;
  const readText = async (file: string, besides?: string) => {
    const name = besides === undefined ? file : `/home/${file}`;
    const text = texts[name];
    if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    return typeof text === "string" ? text : JSON.stringify(text);
  };
  const run = async () => {
    throw new Error("no plugin");
  };
  return { files: ["/home/config"], readText, run, ...rest };
}

/** The config with the first user's credentials replaced. */
function withUser(user: JsonObject) {
  return { texts: { "/home/config": { ...CONFIG, users: [{ name: "u1", user }] }, "/home/token": "from file\n" } };
}

const EXEC = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args: ["eks", "get-token"] };

const V1 = "client.authentication.k8s.io/v1";

describe("readKubeconfig()", () => {
  it("names the cluster's proxy", async () => {
    const clusters = [{ name: "c1", cluster: { server: "https://x", "proxy-url": "http://p:3128" } }];
    const access = await readKubeconfig(source({ texts: { "/home/config": { ...CONFIG, clusters } } }));
    expect(access.proxyUrl).toBe("http://p:3128");
  });

  it("runs a plugin again when its credential is about to end, and not before", async () => {
    let [runs, time] = [0, Date.UTC(2026, 10, 22)];
    const run = async () => {
      runs++;
      const expirationTimestamp = new Date(time + 60_000).toISOString();
      return JSON.stringify({ status: { token: `token-${runs}`, expirationTimestamp } });
    };
    const access = await readKubeconfig(source({ ...withUser({ exec: EXEC }), run, now: () => time }));
    expect([await access.token?.(), await access.token?.(), runs]).toEqual(["token-1", "token-1", 1]);
    time += 54_000;
    expect(await access.token?.()).toBe("token-1");
    time += 2000;
    expect([await access.token?.(), await access.token?.(), runs]).toEqual(["token-2", "token-2", 2]);
  });

  it.each<[JsonObject, boolean, boolean]>([
    [{ apiVersion: EXEC.apiVersion }, true, true],
    [{ apiVersion: EXEC.apiVersion }, false, false],
    [{ interactiveMode: "IfAvailable" }, true, true],
    [{ interactiveMode: "Never" }, true, false],
    [{ interactiveMode: "Always" }, true, true],
  ])("gives the plugin with %j a terminal where there is one (%s): %s", async (mode, isInteractive, expected) => {
    const seen: unknown[] = [];
    const run: KubeconfigSource["run"] = async (_command, _args, env, plugin) => {
      seen.push([JSON.parse(env["KUBERNETES_EXEC_INFO"] ?? "").spec.interactive, plugin]);
      return JSON.stringify({ status: { token: "made" } });
    };
    await readKubeconfig(source({ ...withUser({ exec: { ...EXEC, apiVersion: V1, ...mode } }), run, isInteractive }));
    expect(seen).toEqual([[expected, { nextTo: "/home/config", isInteractive: expected }]]);
  });

  it("passes the cluster to the plugin where it asks for that", async () => {
    const seen: unknown[] = [];
    const run: KubeconfigSource["run"] = async (_command, _args, env) => {
      seen.push(JSON.parse(env["KUBERNETES_EXEC_INFO"] ?? "").spec.cluster);
      return JSON.stringify({ status: { token: "made" } });
    };
    const { texts } = withUser({ exec: { ...EXEC, provideClusterInfo: true } });
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }];
    const cluster = { ...CONFIG.clusters[0]?.cluster, "tls-server-name": "k8s", extensions };
    const config = { ...texts["/home/config"], clusters: [{ name: "c1", cluster }] };
    await readKubeconfig(source({ texts: { "/home/config": config }, run }));
    expect(seen).toEqual([
      {
        server: "https://one.test",
        "tls-server-name": "k8s",
        "certificate-authority-data": btoa(PEM),
        config: { audience: "a" },
      },
    ]);
  });

  it("takes the current context, with the authority and the token in the file", async () => {
    const access = await readKubeconfig(source());
    expect(access).toMatchObject({ name: "prod", url: "https://one.test", ca: PEM });
    expect(await access.token?.()).toBe("secret");
  });

  it("takes the context that is named, with files next to it and a client certificate", async () => {
    const texts = { "/home/config": CONFIG, "/home/ca.pem": "CA", "/home/keys/key.pem": "KEY" };
    const access = await readKubeconfig(source({ context: "test", texts }));
    expect(access).toMatchObject({
      url: "https://two.test",
      ca: "CA",
      certificate: "CERT",
      key: "KEY",
      serverName: "k8s",
    });
    expect(access.token).toBeUndefined();
  });

  it("reads YAML, and lets the first of several files win", async () => {
    const first = "current-context: mine\ncontexts:\n- name: mine\n  context: {cluster: c1, user: u1}\n";
    const texts = { "/a": first, "/home/config": CONFIG };
    expect(await readKubeconfig(source({ files: ["/a", "/home/config"], texts }))).toMatchObject({
      name: "mine",
      url: "https://one.test",
    });
  });

  it("reads a token from a file", async () => {
    const access = await readKubeconfig(source(withUser({ tokenFile: "token" })));
    expect(await access.token?.()).toBe("from file");
  });

  it("runs a plugin as kubectl does", async () => {
    const calls: unknown[] = [];
    const run: KubeconfigSource["run"] = async (command, args, env) => {
      calls.push([command, args, env["AWS_PROFILE"], JSON.parse(env["KUBERNETES_EXEC_INFO"] ?? "{}").kind]);
      return JSON.stringify({ kind: "ExecCredential", status: { token: "made" } });
    };
    const env = [{ name: "AWS_PROFILE", value: "ops" }];
    const access = await readKubeconfig(source({ ...withUser({ exec: { ...EXEC, env } }), run }));
    expect(await access.token?.()).toBe("made");
    expect(calls).toEqual([["aws", ["eks", "get-token"], "ops", "ExecCredential"]]);
  });

  it("takes a certificate from a plugin", async () => {
    const status = { clientCertificateData: "CERT", clientKeyData: "KEY" };
    const run = async () => JSON.stringify({ status });
    const access = await readKubeconfig(source({ ...withUser({ exec: EXEC }), run }));
    expect(access).toMatchObject({ certificate: "CERT", key: "KEY" });
  });

  it.each<[string, Parameters<typeof source>[0], string]>([
    ["there is no file", { files: ["/gone"] }, "there is no kubeconfig /gone"],
    ["it is no mapping", { texts: { "/home/config": "- a" } }, "is no kubeconfig"],
    [
      "there is no current context",
      { texts: { "/home/config": {} } },
      "has no current context: name one with --context",
    ],
    [
      "several files are empty",
      { files: ["/home/a", "/home/b"], texts: { "/home/a": "", "/home/b": {} } },
      "/home/a, /home/b has no current context: name one with --context",
    ],
    ["the context is unknown", { context: "other" }, 'has no context "other"; there are prod, test'],
    ["a file next to it is missing", { context: "test" }, "ca.pem, which /home/config names, cannot be read"],
    [
      "a user has an auth-provider",
      withUser({ "auth-provider": { name: "oidc" } }),
      "has an auth-provider, which Kubernetes has replaced",
    ],
    ["a user has a password", withUser({ username: "ann", password: "secret" }), "has a user name and a password"],
    ["a plugin fails", withUser({ exec: EXEC }), "the plugin aws of user u1 failed: run it by itself"],
    [
      "a plugin prints nonsense",
      { ...withUser({ exec: EXEC }), run: async () => "secret nonsense" },
      "the plugin aws of user u1 gave no credential",
    ],
    [
      "its plugin is too old",
      withUser({ exec: { ...EXEC, apiVersion: "client.authentication.k8s.io/v1alpha1" } }),
      "is of client.authentication.k8s.io/v1alpha1: update it",
    ],
    [
      "its plugin asks questions and there is no terminal",
      withUser({ exec: { ...EXEC, interactiveMode: "Always" } }),
      "run this command in a terminal",
    ],
    [
      "its plugin is not installed",
      {
        ...withUser({ exec: { ...EXEC, installHint: "brew install aws" } }),
        run: () => Promise.reject(Object.assign(new Error("spawn"), { code: "ENOENT" })),
      },
      "is not installed: brew install aws",
    ],
    [
      "there is no server",
      { texts: { "/home/config": { ...CONFIG, clusters: [{ name: "c1", cluster: {} }] } } },
      "cluster c1 has no server",
    ],
  ])("names the way out, and no credential, when %s", async (_what, changes, message) => {
    const reading = readKubeconfig(source(changes));
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.not.toThrow("secret");
  });
});

describe("readKubeconfig() of several files", () => {
  const FIRST = {
    contexts: [{ name: "prod", context: { cluster: "c1", user: "u1" } }],
    clusters: [{ name: "c1", cluster: { server: "https://first.test" } }],
    users: [{ name: "u1", user: { token: "first" } }],
  };
  const files = ["/a", "/home/config"];

  it("takes each entry from the first file that has one of the name", async () => {
    const access = await readKubeconfig(source({ files, texts: { "/a": FIRST, "/home/config": CONFIG } }));
    expect(access).toMatchObject({ name: "prod", url: "https://first.test" });
    expect(access.ca).toBeUndefined();
    expect(await access.token?.()).toBe("first");
    const reversed = await readKubeconfig(
      source({ files: [...files].reverse(), texts: { "/a": FIRST, "/home/config": CONFIG } }),
    );
    expect(reversed.url).toBe("https://one.test");
    expect(await reversed.token?.()).toBe("secret");
  });

  it("takes the first current context that is a name", async () => {
    const other = { ...CONFIG, "current-context": "test" };
    const texts = {
      "/a": { ...FIRST, "current-context": "" },
      "/home/config": CONFIG,
      "/c": other,
      "/home/ca.pem": "",
      "/home/keys/key.pem": "",
    };
    expect((await readKubeconfig(source({ files: ["/a", "/home/config", "/c"], texts }))).name).toBe("prod");
    expect((await readKubeconfig(source({ files: ["/a", "/c", "/home/config"], texts }))).name).toBe("test");
  });

  it("passes over an entry that is not whole", async () => {
    const broken = { contexts: [{ name: "prod" }, "x"], clusters: "none", users: [{ name: "u1", user: "x" }] };
    const access = await readKubeconfig(source({ files, texts: { "/a": broken, "/home/config": CONFIG } }));
    expect(access.url).toBe("https://one.test");
    expect(await access.token?.()).toBe("secret");
  });
});

describe("readKubeconfig() of one entry", () => {
  const withCluster = (cluster: JsonObject) => ({
    texts: {
      "/home/config": { ...CONFIG, clusters: [{ name: "c1", cluster: { server: "https://one.test", ...cluster } }] },
    },
  });
  const denied = expect.objectContaining({ code: "cluster-denied" });

  it("skips the check of the server's certificate only where that is asked for", async () => {
    expect(await readKubeconfig(source())).not.toHaveProperty("insecure");
    expect((await readKubeconfig(source(withCluster({ "insecure-skip-tls-verify": true })))).insecure).toBe(true);
    expect(await readKubeconfig(source(withCluster({ "insecure-skip-tls-verify": "true" })))).not.toHaveProperty(
      "insecure",
    );
  });

  it("takes what is in the file, or what lies next to it", async () => {
    const { texts } = withCluster({ "certificate-authority-data": btoa("INLINE"), "certificate-authority": "ca.pem" });
    await expect(readKubeconfig(source({ texts }))).rejects.toThrow(
      "c1 has both certificate-authority and certificate-authority-data",
    );
  });

  it("has no server name, authority or certificate where none is given", async () => {
    const access = await readKubeconfig(source(withCluster({ "tls-server-name": "" })));
    for (const key of ["ca", "serverName", "certificate", "key"]) expect(access).not.toHaveProperty(key);
  });

  it("refuses a server that is no URL, and no name at all", async () => {
    await expect(readKubeconfig(source(withCluster({ server: "one two" })))).rejects.toEqual(denied);
    await expect(readKubeconfig(source({ context: "" }))).rejects.toEqual(denied);
  });

  it("takes a token's file before the token, a token before a plugin, and a certificate next to each", async () => {
    const run = async () => JSON.stringify({ status: { token: "made" } });
    const token = async (user: JsonObject) => (await readKubeconfig(source({ ...withUser(user), run }))).token?.();
    expect(await token({ exec: EXEC, token: "t", tokenFile: "token" })).toBe("from file");
    expect(await token({ exec: EXEC, token: "t" })).toBe("t");
    expect(await token({ exec: EXEC })).toBe("made");
    const pair = { "client-certificate-data": btoa("CERT"), "client-key-data": btoa("KEY") };
    for (const more of [{ token: "t" }, { tokenFile: "token" }, { exec: EXEC }]) {
      const access = await readKubeconfig(source({ ...withUser({ ...pair, ...more }), run }));
      expect(access).toMatchObject({ certificate: "CERT", key: "KEY" });
      expect(access.token).toBeDefined();
    }
  });

  it("reads a token's file again each time", async () => {
    let text = "first";
    const { readText, ...rest } = source(withUser({ tokenFile: "token" }));
    const changing = async (file: string, besides?: string) => (file === "token" ? text : readText(file, besides));
    const access = await readKubeconfig({ ...rest, readText: changing });
    expect(await access.token?.()).toBe("first");
    text = "second";
    expect(await access.token?.()).toBe("second");
  });

  it("takes the authorities of SSL_CERT_FILE where the cluster names none", async () => {
    const env = { SSL_CERT_FILE: "/etc/ca.pem" };
    const texts = { ...withCluster({}).texts, "/etc/ca.pem": "MACHINE" };
    expect((await readKubeconfig(source({ texts, env }))).ca).toBe("MACHINE");
    const own = { ...withCluster({ "certificate-authority-data": btoa("OWN") }).texts, "/etc/ca.pem": "MACHINE" };
    expect((await readKubeconfig(source({ texts: own, env }))).ca).toBe("OWN");
    await expect(readKubeconfig(source({ ...withCluster({}), env }))).rejects.toThrow(
      "/etc/ca.pem, which SSL_CERT_FILE names, cannot be read",
    );
  });

  it("comes as the service account of its pod where there is no kubeconfig", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
    const texts = { [`${folder}/token`]: "sa\n", [`${folder}/ca.crt`]: "CA" };
    const access = await readKubeconfig(source({ texts, env }));
    expect(access).toMatchObject({ name: "in-cluster", url: "https://[fd00::1]:443", ca: "CA" });
    expect(await access.token?.()).toBe("sa");
    await expect(readKubeconfig(source({ texts: {}, env }))).rejects.toEqual(denied);
    await expect(readKubeconfig(source({ texts }))).rejects.toEqual(denied);
    // A kubeconfig, and a context that is asked for, count more.
    expect((await readKubeconfig(source({ texts: { ...texts, "/home/config": CONFIG }, env }))).name).toBe("prod");
    await expect(readKubeconfig(source({ texts, env, context: "prod" }))).rejects.toEqual(denied);
  });

  it("runs a plugin without arguments or variables, and names the version that it asks for", async () => {
    const calls: unknown[] = [];
    const run: KubeconfigSource["run"] = async (command, args, env) => {
      calls.push([command, args, Object.keys(env), JSON.parse(env["KUBERNETES_EXEC_INFO"] ?? "")]);
      return JSON.stringify({ status: { token: "made" } });
    };
    const version = (apiVersion: string) => ({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
    const v1 = { command: "p", apiVersion: V1, interactiveMode: "Never", args: "x", env: "y" };
    await readKubeconfig(source({ ...withUser({ exec: { command: "p", apiVersion: EXEC.apiVersion } }), run }));
    await readKubeconfig(source({ ...withUser({ exec: v1 }), run }));
    expect(calls).toEqual([
      ["p", [], ["KUBERNETES_EXEC_INFO"], version("client.authentication.k8s.io/v1beta1")],
      ["p", [], ["KUBERNETES_EXEC_INFO"], version(V1)],
    ]);
    await expect(readKubeconfig(source({ ...withUser({ exec: {} }), run }))).rejects.toEqual(denied);
  });

  it.each([
    JSON.stringify({ status: { clientCertificateData: "CERT" } }),
    JSON.stringify({ status: { clientKeyData: "KEY" } }),
    JSON.stringify({ status: "x" }),
    JSON.stringify(["x"]),
    "null",
  ])("refuses a plugin that prints %s", async (printed) => {
    await expect(readKubeconfig(source({ ...withUser({ exec: EXEC }), run: async () => printed }))).rejects.toEqual(
      denied,
    );
  });
});
