// Reaching an API server as kubectl does, through the command line: a CONNECT proxy on loopback that alone knows the server's
// name, client certificates, the server's name in TLS, and plugins that issue credentials.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createProxy, type Server } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { readTls } from "@outrigger/cluster";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { proxyAgents } from "../connect/choose-proxy.ts";
import { main } from "../main.ts";
import { type Certificate, makeCertificate } from "../server/certificate.ts";

const HOST = "cluster.example";
const PASSWORD = "s3cret";

interface Seen {
  readonly authorization: string | undefined;
  readonly serverName: unknown;
  readonly certificate: string | undefined;
}

describe("reaching an API server", { timeout: 120_000 }, () => {
  let certificate: Certificate;
  let [server, proxy] = [] as unknown as [Server, Server];
  let cwd: string;
  const seen: Seen[] = [];
  const tunnels: string[] = [];
  let needsPassword = false;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-proxy-"));
    certificate = await makeCertificate([HOST, "localhost", "127.0.0.1"]);
    const { key, cert } = certificate;
    const options = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: false };
    server = createServer(options, ({ headers, socket }, response) => {
      const { servername } = socket as TLSSocket & { readonly servername: unknown };
      const { subject } = (socket as TLSSocket).getPeerCertificate();
      seen.push({ authorization: headers.authorization, serverName: servername, certificate: subject?.CN as string });
      response.end(JSON.stringify({ kind: "List", metadata: {}, items: [] }));
    }) as unknown as Server;
    proxy = createProxy();
    proxy.on("connect", (request, client: Socket) => {
      tunnels.push(`${request.url}`);
      const expected = `Basic ${btoa(`ann:${PASSWORD}`)}`;
      if (needsPassword && request.headers["proxy-authorization"] !== expected) {
        client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      const upstream = connect(portOf(server), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    });
    await Promise.all(
      [server, proxy].map((one) => new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve))),
    );
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(
      [server, proxy].map((one) => {
        one.closeAllConnections();
        return new Promise<void>((resolve) => one.close(() => resolve()));
      }),
    );
    rmSync(cwd, { recursive: true, force: true });
  });
  beforeEach(() => {
    seen.length = 0;
    tunnels.length = 0;
    needsPassword = false;
  });

  const portOf = (one: Server) => (one.address() as AddressInfo).port;
  const proxyUrl = () => `http://127.0.0.1:${portOf(proxy)}`;
  const off = async (
    cluster: object,
    user: object = { token: "static" },
    env: Readonly<Record<string, string>> = {},
    isTerminal = false,
  ) => {
    const config = {
      "current-context": "prod",
      contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { "certificate-authority-data": btoa(certificate.cert), ...cluster } }],
      users: [{ name: "u", user }],
    };
    writeFileSync(join(cwd, "config"), JSON.stringify(config));
    const io = fakeIo({ cwd, env: { PATH: process.env["PATH"] ?? "", ...env }, isTerminal });
    const code = await main(["off", "--kubeconfig", "config"], io);
    return { code, out: io.out(), err: io.err() };
  };
  const NOTHING_THERE =
    "prod has no objects of Outrigger; the mark outrigger-off stops a registration that is running\nprod no longer waits for Outrigger\n";
  const NOTHING = { code: 0, out: NOTHING_THERE, err: "" };

  it("goes through the proxy of the kubeconfig, also to this machine", async () => {
    const direct = { server: `https://127.0.0.1:${portOf(server)}` };
    expect(await off(direct)).toEqual(NOTHING);
    expect(tunnels).toEqual([]);
    expect(await off({ ...direct, "proxy-url": proxyUrl() })).toEqual(NOTHING);
    // One connection is kept for all calls.
    expect(tunnels).toEqual([`127.0.0.1:${portOf(server)}`]);
    expect(await off({ server: `https://${HOST}`, "proxy-url": proxyUrl() })).toEqual(NOTHING);
    expect(tunnels.at(-1)).toBe(`${HOST}:443`);
  });

  it("goes through the proxy of the environment, unless NO_PROXY names the server", async () => {
    const cluster = { server: `https://${HOST}` };
    expect(await off(cluster, undefined, { HTTPS_PROXY: proxyUrl() })).toEqual(NOTHING);
    expect(tunnels).toEqual([`${HOST}:443`]);
    const direct = await off(cluster, undefined, { HTTPS_PROXY: proxyUrl(), NO_PROXY: ".example" });
    expect([direct.code, direct.err]).toEqual([3, expect.stringContaining("Cannot reach the API server")]);
    expect(tunnels).toHaveLength(1);
  });

  it("signs in to the proxy, and says so where it has to", async () => {
    needsPassword = true;
    const cluster = { server: `https://${HOST}` };
    const refused = await off({ ...cluster, "proxy-url": proxyUrl() });
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining("the proxy asks for a name and a password"),
    ]);
    const signedIn = proxyUrl().replace("//", `//ann:${PASSWORD}@`);
    expect(await off({ ...cluster, "proxy-url": signedIn })).toEqual(NOTHING);
    const wrong = await off({ ...cluster, "proxy-url": signedIn.replace("ann", "bob") });
    expect(wrong.err).not.toContain(PASSWORD);
  });

  it("reads the certificate of a webhook through the proxy of the environment, unless NO_PROXY names it", async () => {
    const url = `https://${HOST}/dev`;
    const through = (env: Readonly<Record<string, string>>) =>
      readTls(url, { ca: certificate.cert, agentFor: proxyAgents(env) });
    const facts = { protocol: "TLSv1.3", validTo: expect.any(Number), milliseconds: expect.any(Number) };
    expect(await through({ HTTPS_PROXY: proxyUrl() })).toEqual(facts);
    expect(tunnels).toEqual([`${HOST}:443`]);
    // Directly the name is not known.
    const direct = through({ HTTPS_PROXY: proxyUrl(), NO_PROXY: HOST });
    await expect(direct).rejects.toThrow(`Cannot connect to ${HOST}: its name`);
    expect(tunnels).toHaveLength(1);
    needsPassword = true;
    await expect(through({ HTTPS_PROXY: proxyUrl() })).rejects.toThrow("the proxy asks for a name and a password");
    const signedIn = proxyUrl().replace("//", `//ann:${PASSWORD}@`);
    expect(await through({ HTTPS_PROXY: signedIn })).toEqual(facts);
    // Nothing is asked of the webhook.
    expect(seen).toEqual([]);
    await expect(readTls(url, { agentFor: proxyAgents({ HTTPS_PROXY: signedIn }) })).rejects.toThrow("not signed");
    const here = await readTls(`https://localhost:${portOf(server)}`, { ca: certificate.cert });
    expect(here).toEqual(facts);
  });

  it("compares the certificate with an address, and sends none as a name", async () => {
    const warnings: string[] = [];
    const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
    process.on("warning", note);
    const facts = { protocol: "TLSv1.3", validTo: expect.any(Number), milliseconds: expect.any(Number) };
    const read = (host: string, connectTo?: string) =>
      readTls(`https://${host}:${portOf(server)}`, { ca: certificate.cert, connectTo });
    expect(await read("127.0.0.1")).toEqual(facts);
    // The certificate is not for this address, wherever the connection goes.
    await expect(read("127.0.0.2", "127.0.0.1")).rejects.toThrow("Cannot connect to 127.0.0.2");
    await expect(read("[::1]", "127.0.0.1")).rejects.toThrow("Cannot connect to [::1]");
    await new Promise(setImmediate);
    process.off("warning", note);
    expect(warnings.filter((text) => text.includes("ServerName"))).toEqual([]);
  });

  it.each([false, true])(
    "shows a client certificate and the server's name (through a proxy: %s)",
    async (isProxied) => {
      const cluster = {
        server: `https://127.0.0.1:${portOf(server)}`,
        "tls-server-name": HOST,
        ...(isProxied ? { "proxy-url": proxyUrl() } : {}),
      };
      const { key, cert } = certificate;
      const user = { "client-certificate-data": btoa(cert), "client-key-data": btoa(key) };
      expect(await off(cluster, user)).toEqual(NOTHING);
      expect(tunnels).toHaveLength(isProxied ? 1 : 0);
      expect(seen[0]).toEqual({ authorization: undefined, serverName: HOST, certificate: expect.any(String) });
      const wrongName = await off({ ...cluster, "tls-server-name": "other.example" }, user);
      expect(wrongName.err).toContain("its certificate is for another name");
    },
  );

  it("shows what a plugin says while it fails, without a terminal too", async () => {
    const script = "#!/usr/bin/env node\nconsole.error('your session has ended: sign in again');\nprocess.exit(1);\n";
    writeFileSync(join(cwd, "ended"), script, { mode: 0o755 });
    const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "./ended" };
    const ran = await off({ server: `https://127.0.0.1:${portOf(server)}` }, { exec });
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining("your session has ended: sign in again")]);
  });

  it.each(["v1", "v1beta1"])("runs a plugin of %s with its variables, next to the kubeconfig", async (version) => {
    const script = [
      "#!/usr/bin/env node",
      "const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);",
      "const token = [process.env.WHO, spec.interactive, ...process.argv.slice(2)].join('-');",
      "console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token } }));",
    ];
    writeFileSync(join(cwd, "plugin"), script.join("\n"), { mode: 0o755 });
    const exec = {
      apiVersion: `client.authentication.k8s.io/${version}`,
      command: "./plugin",
      args: ["get-token"],
      env: [{ name: "WHO", value: "ann" }],
      interactiveMode: "IfAvailable",
    };
    const cluster = { server: `https://127.0.0.1:${portOf(server)}` };
    expect(await off(cluster, { exec })).toEqual(NOTHING);
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer ann-false-get-token"]));
    const gone = await off(cluster, { exec: { ...exec, command: "gone-plugin", installHint: "install it" } });
    expect([gone.code, gone.err]).toEqual([3, expect.stringContaining("is not installed: install it")]);
  });
});
