import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpCall } from "./http-call.ts";

describe("httpCall()", () => {
  const server = createServer((request, response) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    response.end(`${request.method} ${length} ${encoding}`);
  });
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => void server.close());

  const call = async (options: Omit<Parameters<typeof httpCall>[1], "limit">, limit = 100) => {
    const { port } = server.address() as AddressInfo;
    return (await httpCall(new URL(`http://127.0.0.1:${port}`), { ...options, limit })).bytes?.toString();
  };

  it.each(["POST", "PATCH", "DELETE"])("says how long the body of a %s is", async (method) => {
    expect(await call({ method, body: "{é}" })).toBe(`${method} 4 undefined`);
  });

  it("says no length where there is no body", async () => {
    expect(await call({ method: "GET" })).toBe("GET undefined undefined");
  });

  it("gives no bytes of an answer that is longer than its limit", async () => {
    const whole = "GET undefined undefined";
    expect([await call({}, whole.length), await call({}, whole.length - 1)]).toEqual([whole, undefined]);
  });
});
