import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PublisherRequest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { pendingRequest } from "./pending-request.ts";

const REQUEST = {
  action: "rollback",
  channel: "stable",
  id: "00000000-0000-4000-8000-000000000000",
  cause: { by: "ann", why: "" },
} as PublisherRequest;
const MINUTE = 60_000;

describe("pendingRequest()", () => {
  let state: string;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-02T03:04:05Z") });
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(state, { recursive: true });
  });
  const pending = (command: unknown, home = state) => {
    const found = pendingRequest(command, fakeIo({ env: { XDG_STATE_HOME: home } }));
    if (found === undefined) throw new Error("nothing is remembered");
    return found;
  };
  const folder = () => join(state, "outrigger", "requests");
  const only = () => join(folder(), readdirSync(folder())[0] as string);

  it("finds the request of the same command, and of no other", async () => {
    await pending({ a: 1 }).keep(REQUEST);
    expect(await pending({ a: 1 }).find()).toEqual(REQUEST);
    expect(await pending({ a: 2 }).find()).toBeUndefined();
  });

  it("finds nothing before one is kept, nor once it is forgotten", async () => {
    expect(await pending("x").find()).toBeUndefined();
    await pending("x").forget();
    await pending("x").keep(REQUEST);
    await pending("y").keep(REQUEST);
    await pending("x").forget();
    expect(await pending("x").find()).toBeUndefined();
    expect(await pending("y").find()).toEqual(REQUEST);
  });

  it("remembers for ten minutes, as the publisher does", async () => {
    await pending("x").keep(REQUEST);
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    expect(await pending("x").find()).toEqual(REQUEST);
    vi.setSystemTime(Date.now() + 1);
    expect(await pending("x").find()).toBeUndefined();
  });

  it.each([
    "",
    "nonsense",
    "[]",
    "null",
    '{"request":{}}',
    '{"at":"now","request":{}}',
    '{"at":9999999999999,"request":{}}',
  ])("takes a file that says %j for none", async (text) => {
    await pending("x").keep(REQUEST);
    writeFileSync(only(), text);
    expect(await pending("x").find()).toBeUndefined();
  });

  it("is read by its own user alone", async () => {
    await pending("x").keep(REQUEST);
    expect([folder(), only()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it("keeps nothing where it cannot write, and says nothing of it", async () => {
    writeFileSync(join(state, "file"), "");
    const unwritable = pending("x", join(state, "file"));
    await unwritable.keep(REQUEST);
    await unwritable.forget();
    expect(await unwritable.find()).toBeUndefined();
  });

  it("remembers nothing for a user without a home", () => {
    expect(pendingRequest("x", fakeIo({ env: {} }))).toBeUndefined();
  });
});
