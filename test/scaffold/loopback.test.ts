// Servers of tests, as API servers call them.
import { createServer } from "node:https";
import { expect, it } from "vitest";
import { closing, listening } from "../support/loopback.ts";

it("keep an idle connection open for longer than an API server does: 90 s", async () => {
  const server = createServer();
  await listening(server);
  expect(server.keepAliveTimeout).toBeGreaterThan(90_000);
  await closing(server);
});
