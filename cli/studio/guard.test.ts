import { describe, expect, it } from "vitest";
import { cookieName, refusalOf } from "./guard.ts";

const PORT = 8444;
const SESSION = "s".repeat(43);
const OWN = { host: "127.0.0.1:8444", cookie: `${cookieName(PORT)}=${SESSION}` };
const get = (headers: Record<string, string | undefined>, path = "/api/workspace") =>
  refusalOf(path, { method: "GET", headers }, PORT, SESSION)?.status;
const put = (headers: Record<string, string | undefined>) =>
  refusalOf("/api/entry", { method: "PUT", headers }, PORT, SESSION)?.status;

describe("refusalOf()", () => {
  it("answers the studio's own page", () => {
    expect(get(OWN)).toBeUndefined();
    expect(get({ ...OWN, host: "localhost:8444", "sec-fetch-site": "same-origin" })).toBeUndefined();
    expect(put({ ...OWN, origin: "http://127.0.0.1:8444", "sec-fetch-site": "same-origin" })).toBeUndefined();
  });

  it.each([
    ["another name of this machine", "evil.example:8444"],
    ["a name that begins like it", "127.0.0.1:8444.evil.example"],
    ["another port", "127.0.0.1:80"],
    ["no port", "127.0.0.1"],
    ["nothing", undefined],
  ])("refuses a request for %s", (_what, host) => {
    expect(get({ ...OWN, host })).toBe(421);
    expect(get({ host }, "/open")).toBe(421);
  });

  it.each(["cross-site", "same-site", "nonsense"])("refuses a request from a %s page", (site) => {
    expect(get({ ...OWN, "sec-fetch-site": site })).toBe(403);
  });

  it.each([
    "http://evil.example",
    "https://127.0.0.1:8444",
    "http://127.0.0.1:9999",
    "http://localhost:8444",
    "null",
    undefined,
  ])("refuses a write with the origin %s", (origin) => {
    expect(put({ ...OWN, origin })).toBe(403);
  });

  it("refuses a read with another origin", () => {
    expect(get({ ...OWN, origin: "http://evil.example" })).toBe(403);
  });

  it.each([
    ["no cookie", undefined],
    ["another value", `${cookieName(PORT)}=${"x".repeat(43)}`],
    ["the key", `${cookieName(PORT)}=${"k".repeat(43)}`],
    ["a part of it", `${cookieName(PORT)}=${SESSION.slice(1)}`],
    ["another studio's name", `${cookieName(1)}=${SESSION}`],
    ["an empty value", `${cookieName(PORT)}=`],
  ])("refuses %s", (_what, cookie) => {
    expect(get({ ...OWN, cookie })).toBe(403);
    expect(get({ ...OWN, cookie }, "/")).toBe(403);
  });

  it("finds its cookie among others", () => {
    expect(get({ ...OWN, cookie: `a=b; ${OWN.cookie}; c=d` })).toBeUndefined();
  });

  it("leaves the key of /open to /open", () => {
    expect(get({ host: OWN.host }, "/open")).toBeUndefined();
  });
});
