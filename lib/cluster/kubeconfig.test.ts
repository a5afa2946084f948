import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { type KubeconfigSource, readKubeconfig } from "./kubeconfig.ts";

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
    if (text === undefined) throw new Error("ENOENT");
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

describe("readKubeconfig()", () => {
  it("takes the current context, with the authority and the token that stand in the file", async () => {
    const access = await readKubeconfig(source());
    expect(access).toMatchObject({ name: "prod", url: "https://one.test", ca: PEM });
    expect(await access.token?.()).toBe("secret");
  });

  it("takes the context that is named, with files beside it and a client certificate", async () => {
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
    ["the context is unknown", { context: "other" }, 'has no context "other"; there are prod, test'],
    ["a file beside it is gone", { context: "test" }, "ca.pem, which /home/config names, cannot be read"],
    ["the user has nothing", withUser({}), "has no token, certificate or plugin"],
    ["a plugin fails", withUser({ exec: EXEC }), "the plugin aws of user u1 failed: run it by itself"],
    [
      "a plugin prints nonsense",
      { ...withUser({ exec: EXEC }), run: async () => "secret nonsense" },
      "the plugin aws of user u1 gave no credential",
    ],
    [
      "it is behind a proxy",
      {
        texts: {
          "/home/config": {
            ...CONFIG,
            clusters: [{ name: "c1", cluster: { server: "https://x", "proxy-url": "http://p" } }],
          },
        },
      },
      "is behind a proxy",
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
