import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { exchangeWith } from "./http-exchange.ts";
import { countOwnTime, withinOwnTime } from "./own-time.ts";

/** Keeps the process from doing anything, as a machine does that does not run it. */
const standStill = (milliseconds: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

describe("countOwnTime()", () => {
  it("counts a standstill as one step", async () => {
    const time = countOwnTime(10);
    standStill(300);
    await pause(0);
    expect(time.passed()).toBeLessThan(100);
    while (time.passed() < 200) await pause(10);
    time.stop();
  });
});

describe("withinOwnTime()", () => {
  it("ends what does not end", async () => {
    const never = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("over"))));
    await expect(withinOwnTime(50, never)).rejects.toThrow("over");
  });

  it("takes an answer that came while this process stood still, and ends a call that has none", async () => {
    const server = createServer((request, response) => {
      if (request.url === "/never") return;
      standStill(600);
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const call = exchangeWith({ url: `http://127.0.0.1:${port}`, timeoutMilliseconds: 200 });
    expect(await call({ method: "GET", path: "/" })).toMatchObject({ status: 200 });
    await expect(call({ method: "GET", path: "/never" })).rejects.toMatchObject({ code: "ABORT_ERR" });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
