import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it } from "vitest";
import { exchangeOnce } from "./exchange-once.ts";

let server: Server | SocketServer | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

async function listen(made: Server | SocketServer, scheme = "http"): Promise<URL> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return new URL(`${scheme}://localhost:${(made.address() as AddressInfo).port}`);
}

describe("exchangeOnce()", () => {
  it("sends headers and body in UTF-8, and says when they are sent", async () => {
    let seen: unknown;
    const url = await listen(
      createServer((request, response) => {
        let body = "";
        request
          .setEncoding("utf8")
          .on("data", (text: string) => {
            body += text;
          })
          .on("end", () => {
            seen = { method: request.method, path: request.url, headers: request.headers, body };
            response.end("é");
          });
      }),
    );
    let sent = 0;
    const answer = await exchangeOnce(url, {
      headers: { "x-a": "b" },
      body: '"€"',
      sent: () => {
        sent += 1;
      },
    });
    expect(answer).toEqual({ status: 200, tag: "", body: "é" });
    expect(sent).toBe(1);
    const headers = { host: url.host, "x-a": "b", connection: "close", "content-length": "5" };
    expect(seen).toEqual({ method: "POST", path: "/", headers, body: '"€"' });
  });

  it("takes a server for what its certificate says only", async () => {
    const { private: key, cert } = await generate([{ name: "commonName", value: "elsewhere.example" }]);
    const url = await listen(
      createSecureServer({ key, cert }, (_request, response) => response.end("{}")),
      "https",
    );
    await expect(exchangeOnce(url, { headers: {}, body: "" })).rejects.toThrow("self-signed certificate");
  });

  it("fails where the connection ends without an answer", async () => {
    const url = await listen(createSocketServer((socket) => socket.destroy()));
    await expect(exchangeOnce(url, { headers: {}, body: "" })).rejects.toThrow(
      /ECONNRESET|ended too early|closed before/,
    );
  });

  it("fails where nothing listens", async () => {
    const url = await listen(createServer());
    await new Promise((resolve) => server?.close(resolve));
    await expect(exchangeOnce(url, { headers: {}, body: "" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("does not send a header that would be two", async () => {
    const call = async () =>
      exchangeOnce(new URL("http://127.0.0.1:1"), { headers: { "x-a": "b\r\nx-c: d" }, body: "" });
    await expect(call()).rejects.toThrow("the header x-a has a character that HTTP does not allow");
  });

  it.each(["before", "after"])("gives up when its signal aborts %s the connection", async (when) => {
    const url = await listen(createSocketServer(() => {}));
    const controller = new AbortController();
    if (when === "before") controller.abort();
    const sent = () => controller.abort();
    const answer = exchangeOnce(url, { headers: {}, body: "", signal: controller.signal, sent });
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });
});
