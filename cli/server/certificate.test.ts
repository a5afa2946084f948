import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findCertificate } from "./certificate.ts";

describe("findCertificate()", () => {
  let state: string;
  let reports: string[];
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
    reports = [];
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(state, { recursive: true, force: true });
  });

  const find = (host = "127.0.0.1", env: Record<string, string> = { XDG_STATE_HOME: state }) =>
    findCertificate(host, env, (line) => reports.push(line));
  const file = () => join(state, "outrigger", "localhost.pem");

  it("makes one for every name of this machine on first use, and keeps it for the owner only", async () => {
    const certificate = new X509Certificate((await find()).cert);
    expect(certificate.checkHost("localhost")).toBe("localhost");
    for (const address of ["127.0.0.1", "::1"]) expect(certificate.checkIP(address)).toBe(address);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(reports).toEqual([]);
  });

  it("gives the same one when it is asked again", async () => {
    const first = await find();
    const second = await find();
    expect(second.key.trim()).toBe(first.key.trim());
    expect(second.cert.trim()).toBe(first.cert.trim());
  });

  it("makes another when the kept one is damaged, of another key, or about to expire", async () => {
    const first = await find();
    writeFileSync(file(), "nonsense");
    const second = await find();
    expect(second.cert).not.toBe(first.cert);
    writeFileSync(file(), `${first.key}\n${second.cert}`);
    expect((await find()).cert.trim()).not.toBe(second.cert.trim());
    const kept = readFileSync(file(), "utf8");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 364 * 86_400_000 });
    await find();
    expect(readFileSync(file(), "utf8")).not.toBe(kept);
  });

  it("makes another when the kept one lacks the address to listen on", async () => {
    await find();
    expect(new X509Certificate((await find("192.0.2.7")).cert).checkIP("192.0.2.7")).toBe("192.0.2.7");
    expect(new X509Certificate((await find("box.example")).cert).checkHost("box.example")).toBe("box.example");
  });

  it("keeps it below the home directory when there is no state directory", async () => {
    await find("localhost", { HOME: state });
    expect(statSync(join(state, ".local/state/outrigger/localhost.pem")).isFile()).toBe(true);
  });

  it("says so and serves all the same when it cannot be kept", async () => {
    writeFileSync(join(state, "outrigger"), "in the way");
    expect(new X509Certificate((await find()).cert).checkHost("localhost")).toBe("localhost");
    await find("localhost", {});
    expect(reports).toEqual([expect.stringContaining("XDG_STATE_HOME"), expect.stringContaining("XDG_STATE_HOME")]);
  });
});
