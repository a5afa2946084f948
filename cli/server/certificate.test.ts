import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findCertificate, makeCertificate } from "./certificate.ts";

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

  it("makes another when the kept one is not valid yet, and takes one that is for two days more", async () => {
    await find();
    const kept = readFileSync(file(), "utf8");
    const { validFrom, validTo } = new X509Certificate(kept.slice(kept.indexOf("-----BEGIN CERT")));
    const at = async (now: number) => {
      writeFileSync(file(), kept);
      vi.useFakeTimers({ toFake: ["Date"], now });
      await find();
      vi.useRealTimers();
      return readFileSync(file(), "utf8") === kept;
    };
    const day = 86_400_000;
    expect(await at(Date.parse(validFrom) - 1000)).toBe(false);
    expect(await at(Date.parse(validFrom) + 1000)).toBe(true);
    expect(await at(Date.parse(validTo) - 2 * day - 1000)).toBe(true);
    expect(await at(Date.parse(validTo) - 2 * day + 1000)).toBe(false);
  });

  it("keeps it in a directory that is the owner's, and names no address twice", async () => {
    await find("0.0.0.0");
    expect(statSync(join(state, "outrigger")).mode & 0o777).toBe(0o700);
    const { subjectAltName } = new X509Certificate((await find("localhost")).cert);
    expect(subjectAltName).toBe(
      "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:host.docker.internal",
    );
  });
});

describe("makeCertificate()", () => {
  it("is for servers of these names alone, valid from yesterday for a year, and signs no other", async () => {
    const made = new X509Certificate((await makeCertificate(["a.example", "192.0.2.7"])).cert);
    expect([made.subject, made.subjectAltName]).toEqual(["CN=localhost", "DNS:a.example, IP Address:192.0.2.7"]);
    expect(made.ca).toBe(false);
    expect(made.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    const days = (from: number, to: number) => Math.round((to - from) / 86_400_000);
    expect(days(Date.parse(made.validFrom), Date.now())).toBe(1);
    expect(days(Date.now(), Date.parse(made.validTo))).toBe(365);
  });
});
