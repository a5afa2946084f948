import { createServer, type RequestListener, type Server } from "node:http";
import { globalAgent, createServer as secureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { labCertificate } from "../../test/eks/lab-certificate.ts";
import { fetchBytes } from "./fetch-bytes.ts";

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

let server: Server;
let answer: RequestListener;
let base: string;
beforeEach(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe("outrigger inject -f URL", () => {
  it("injects what the URL leads to, and writes it by the name in the URL", async () => {
    const cli = fakeCli(fakeAws().connect, SHIPPED);
    answer = ({ url }, response) => {
      if (url?.startsWith("/old") === true) response.writeHead(302, { location: "/pod.yaml?signature=s3cret" }).end();
      else response.end(POD);
    };
    const piped = await cli.run(`inject -f ${base}/old`);
    expect([piped.code, piped.err]).toEqual([0, ""]);
    expect(piped.out).toContain("name: istio-proxy");
    expect((await cli.run(`inject -f ${base}/pod.yaml?x=1 -o out/`)).code).toBe(0);
    expect(cli.read("out/pod.yaml")).toBe(piped.out);
    cli.remove(".");
  });
});

describe("fetchBytes()", () => {
  it.each<[string, RequestListener, string]>([
    ["refuses", (_request, response) => response.writeHead(404).end(), "the server answers 404"],
    [
      "leads in a circle",
      (_request, response) => response.writeHead(301, { location: "/again" }).end(),
      "it leads on more than 5 times",
    ],
    [
      "leads to a file",
      (_request, response) => response.writeHead(301, { location: "file:///etc/passwd" }).end(),
      "it leads to file://",
    ],
    ["ends in the middle", (_request, response) => void response.write("a", () => response.destroy()), "Cannot read"],
    ["does not answer", () => {}, "there was no whole answer in 0.2 s"],
    ["does not end", (_request, response) => void response.write("a"), "there was no whole answer in 0.2 s"],
    [
      "is too long",
      (_request, response) => {
        const more = () => response.write(Buffer.alloc(2 ** 20), (error) => error ?? more());
        more();
      },
      "it is longer than 16777216 bytes",
    ],
  ])("says so where the server %s, without the secrets of the URL", async (what, handler, message) => {
    answer = handler;
    const url = `${base.replace("//", "//ann:s3cret@")}/pod.yaml?signature=s3cret`;
    const patience = what === "is too long" ? undefined : 200;
    const failed = await fetchBytes(url, fakeIo({ env: {} }), patience).catch((error: Error) => error.message);
    expect(failed).toContain(`Cannot read ${base}/pod.yaml: `);
    expect(failed).toContain(message);
    expect(failed).not.toContain("s3cret");
  });

  it("says that nothing answers", async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    await expect(fetchBytes(`http://127.0.0.1:${port}/`, fakeIo({ env: {} }))).rejects.toThrow("nothing answers there");
  });

  it("follows from http to https and on, and never back to what others can read", async () => {
    const certificate = await labCertificate();
    const secure = secureServer(certificate, ({ url }, response) => {
      if (url === "/pod.yaml") return response.end(POD);
      return response.writeHead(302, { location: url === "/back" ? `${base}/pod.yaml` : "/pod.yaml" }).end();
    });
    await new Promise<void>((done) => secure.listen(0, "127.0.0.1", done));
    const there = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    answer = (_request, response) => response.writeHead(302, { location: `${there}/on` }).end();
    const { ca } = globalAgent.options;
    globalAgent.options.ca = certificate.cert;
    try {
      const read = async (url: string) => new TextDecoder().decode(await fetchBytes(url, fakeIo({ env: {} })));
      expect(await read(`${base}/begin`)).toBe(POD);
      await expect(read(`${there}/back`)).rejects.toThrow(
        `Cannot read ${there}/back: it leads to http://: name that one yourself, if you trust it`,
      );
    } finally {
      if (ca === undefined) delete globalAgent.options.ca;
      else globalAgent.options.ca = ca;
      secure.closeAllConnections();
      secure.close();
    }
  });
});
