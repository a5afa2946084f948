// Registries of all kinds on loopback: what exists, what does not, and what a hostile one is given.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { labCertificate } from "../../../test/eks/lab-certificate.ts";
import { ecrRegion, followTo, parseImage, resolveImage } from "./resolve-image.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;

type Answer = (request: IncomingMessage, response: ServerResponse, host: string) => void;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A registry, and the requests that it got. */
async function registry(answer: Answer) {
  const asked: { readonly method: string; readonly url: string; readonly authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, authorization: headers.authorization });
    answer(request, response, host);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  open.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { host, asked };
}

const end = (response: ServerResponse, status: number, headers: Record<string, string> = {}, body = "") =>
  void response.writeHead(status, headers).end(body);

/** Gives tokens to anonymous callers, and shows what is there to who has one. */
const ordinary: Answer = ({ url = "", headers }, response, host) => {
  if (url.startsWith("/token?")) return end(response, 200, {}, JSON.stringify({ token: "anonymous" }));
  if (headers.authorization !== "Bearer anonymous") {
    const challenge = `Bearer realm="http://${host}/token",service="test",scope="repository:istio/proxyv2:pull"`;
    return end(response, 401, { "www-authenticate": challenge });
  }
  return url === "/v2/istio/proxyv2/manifests/1.31.1"
    ? end(response, 200, { "docker-content-digest": DIGEST })
    : end(response, 404);
};

describe("resolveImage()", () => {
  it("finds what is there, with its digest, by the token of anonymous callers", async () => {
    const { host, asked } = await registry(ordinary);
    expect(await resolveImage(`${host}/istio/proxyv2:1.31.1`, {})).toEqual({ kind: "found", digest: DIGEST });
    expect(asked).toEqual([
      { method: "HEAD", url: "/v2/istio/proxyv2/manifests/1.31.1", authorization: undefined },
      { method: "GET", url: "/token?service=test&scope=repository%3Aistio%2Fproxyv2%3Apull", authorization: undefined },
      { method: "HEAD", url: "/v2/istio/proxyv2/manifests/1.31.1", authorization: "Bearer anonymous" },
    ]);
  });

  it("says that a tag or a repository is missing", async () => {
    const { host } = await registry(ordinary);
    expect(await resolveImage(`${host}/istio/proxyv2:1.31.9`, {})).toEqual({
      kind: "missing",
      why: `${host} has no istio/proxyv2 with 1.31.9`,
    });
    expect(await resolveImage("registry.example/Istio/proxyv2", {})).toMatchObject({ kind: "missing" });
  });

  it.each<[string, Answer, string]>([
    ["asks for credentials", (_, response) => end(response, 401), "does not show istio/proxyv2 without credentials"],
    [
      "asks for a password",
      (_, response) => end(response, 401, { "www-authenticate": "Basic" }),
      "without credentials",
    ],
    ["is asked too often", (_, response) => end(response, 429), "asked too often"],
    ["fails", (_, response) => end(response, 500), "answers HTTP 500"],
    ["cuts the connection", (_, response) => void response.destroy(), "the connection was cut"],
    ["never answers", () => {}, "it does not answer in time"],
    [
      "redirects forever",
      ({ url = "" }, response) => end(response, 307, { location: url }),
      "redirects more than 5 times",
    ],
    [
      "redirects into the network of its client",
      (_, response) => end(response, 307, { location: "http://169.254.169.254/latest/meta-data" }),
      "sends its clients to what is no HTTPS URL of a registry",
    ],
    [
      "names such a place for tokens",
      (_, response) => end(response, 401, { "www-authenticate": 'Bearer realm="file:///etc/passwd"' }),
      "sends its clients to what is no HTTPS URL",
    ],
    [
      "gives tokens without an end",
      ({ url = "" }, response, host) => {
        if (!url.startsWith("/token")) {
          return end(response, 401, { "www-authenticate": `Bearer realm="http://${host}/token"` });
        }
        response.writeHead(200);
        // Without an end, until the reader hangs up: Node 24 says that as an error only.
        const more = (error?: Error | null) =>
          void (error || response.destroyed || response.write("x".repeat(65_536), more));
        more();
      },
      "answers more than 262144 bytes",
    ],
    [
      "gives an invalid token",
      ({ url = "" }, response, host) =>
        url.startsWith("/token")
          ? end(response, 200, {}, JSON.stringify({ token: "a\r\nhost: other" }))
          : end(response, 401, { "www-authenticate": `Bearer realm="http://${host}/token"` }),
      "gives no token",
    ],
  ])("does not know where a registry %s", async (_what, answer, why) => {
    const { host } = await registry(answer);
    const found = await resolveImage(`${host}/istio/proxyv2:1`, { timeoutMilliseconds: 500 });
    expect(found).toEqual({ kind: "unknown", why: expect.stringContaining(why) });
  });

  it("does not believe an invalid digest", async () => {
    const { host } = await registry((_, response) => end(response, 200, { "docker-content-digest": "sha256:1; rm" }));
    expect(await resolveImage(`${host}/istio/proxyv2:1`, {})).toEqual({ kind: "found" });
  });

  it("gives credentials to the registry that they are for, and to nobody that it redirects to", async () => {
    const other = await registry((_, response) => end(response, 200, { "docker-content-digest": DIGEST }));
    const own = await registry(({ url = "" }, response) =>
      end(response, 307, { location: `http://${other.host}${url}` }),
    );
    const authorizationFor = async () => "Basic c2VjcmV0";
    const found = await resolveImage(`${own.host}/istio/proxyv2:1`, { authorizationFor });
    expect(found).toEqual({ kind: "found", digest: DIGEST });
    expect(own.asked.map(({ authorization }) => authorization)).toEqual(["Basic c2VjcmV0"]);
    expect(other.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it("asks nobody for a token where the registry refuses credentials of one's own", async () => {
    const { host, asked } = await registry(ordinary);
    const authorizationFor = async () => "Basic c2VjcmV0";
    expect(await resolveImage(`${host}/istio/proxyv2:1`, { authorizationFor })).toMatchObject({ kind: "unknown" });
    expect(asked).toHaveLength(1);
  });
});

describe("Docker Hub", () => {
  it("says unauthorized of what does not exist: docker.io/istoi is missing", async () => {
    const certificate = await labCertificate();
    const server = createTlsServer({ cert: certificate.cert, key: certificate.key }, (_, response) =>
      end(response, 401),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const asked: string[] = [];
    const agentFor = (url: string) => {
      asked.push(url);
      return agentTo(port, certificate.cert);
    };
    expect(await resolveImage("docker.io/istoi/proxyv2:1.31.1", { agentFor })).toEqual({
      kind: "missing",
      why: "Docker Hub shows no istoi/proxyv2 without credentials",
    });
    expect(asked).toEqual(["https://registry-1.docker.io/v2/istoi/proxyv2/manifests/1.31.1"]);
  });
});

/** The way to any host, which ends on this machine. */
function agentTo(port: number, ca: string): Agent {
  const agent = new Agent();
  agent.createConnection = () => connect({ host: "127.0.0.1", port, ca, servername: "localhost" });
  return agent;
}

describe("the names of images", () => {
  it.each([
    ["busybox", "registry-1.docker.io", "library/busybox", "latest"],
    ["istio/proxyv2:1.31.1", "registry-1.docker.io", "istio/proxyv2", "1.31.1"],
    ["docker.io/istio/proxyv2:1", "registry-1.docker.io", "istio/proxyv2", "1"],
    [`registry.example:5000/a/b:1@${DIGEST}`, "registry.example:5000", "a/b", DIGEST],
    ["localhost/a", "localhost", "a", "latest"],
  ])("%s is of %s", (name, host, repository, reference) => {
    expect(parseImage(name)).toEqual({ host, repository, reference });
  });

  it.each([
    "",
    "a b",
    "UPPER/case",
    "a:b c",
    "a@sha256:1",
    "a/../b",
    "user@host.example/a",
    "host.example:x/a",
    "a//b",
    "/a",
  ])("%j is none", (name) => {
    expect(parseImage(name)).toBeUndefined();
  });

  it.each([
    ["123456789012.dkr.ecr.eu-west-1.amazonaws.com", "eu-west-1"],
    ["123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"],
    ["123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn", "cn-north-1"],
    ["123456789012.dkr-ecr.eu-west-1.on.aws", "eu-west-1"],
    ["123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example", undefined],
    ["public.ecr.aws", undefined],
  ])("%s is of ECR in %s", (host, region) => {
    expect(ecrRegion({ host })).toBe(region);
  });

  it.each([
    ["https://registry.example", "http://registry.example/x"],
    ["https://registry.example", "https://127.0.0.1/x"],
    ["https://registry.example", "https://user:secret@other.example/x"],
    ["http://127.0.0.1:5000", "http://10.0.0.1/x"],
  ])("a registry at %s sends nobody to %s", (from, to) => {
    expect(() => followTo(to, new URL(from))).toThrow(expect.objectContaining({ code: "endpoint-unfit" }));
  });
});
