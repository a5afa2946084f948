import { afterAll, expect, it, vi } from "vitest";
import { isLost } from "../model/connection.ts";

afterAll(() => vi.unstubAllGlobals());

it("refresh() knows that the server is gone, although it was heard of a moment ago", async () => {
  // What fetch throws then.
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  vi.stubGlobal("PLAYGROUND", "null");
  const { refresh } = await import("./loading.ts");
  expect(isLost.value).toBe(false);
  await refresh();
  expect(isLost.value).toBe(true);
});
