import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "@outrigger/studio";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Studio, startStudio } from "./studio-server.ts";
import { directoryWorkspace } from "./studio-workspace.ts";

const EXAMPLE = { name: "a", title: "A", summary: "An example.", tree: { mesh: "a: 1\n" } };

const EMPTY = JSON.stringify({ edits: [{ path: "values/9-a", base: null, text: null }] });
const LARGEST = 8 * 1024 * 1024;

const PAGE = { type: "text/html; charset=utf-8", body: "page" };

describe("the studio's server", () => {
  let directory: string;
  let studio: Studio;
  let origin: string;
  let cookie: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-studio-"));
    writeFileSync(join(directory, "mesh.yaml"), "a: 1\n");
    studio = await startStudio({
      port: 0,
      page: (path, nonce) => (path === "/" ? { ...PAGE, body: nonce } : undefined),
      workspace: directoryWorkspace(directory, async () => ({ config: "policy: enabled" })),
      examples: async () => [EXAMPLE],
    });
    origin = new URL(studio.url).origin;
    const opened = await fetch(studio.url, { redirect: "manual" });
    expect({ status: opened.status, location: opened.headers.get("location") }).toEqual({ status: 303, location: "/" });
    const set = opened.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    cookie = set.split(";")[0] as string;
  });
  afterAll(async () => {
    await studio.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = { cookie }) => fetch(origin + path, { headers });
  const put = (edit: unknown, headers: Record<string, string> = {}) =>
    fetch(`${origin}/api/entries`, {
      method: "PUT",
      headers: { cookie, origin, "content-type": "application/json", ...headers },
      body: typeof edit === "string" ? edit : JSON.stringify({ edits: [edit], why: "" }),
    });

  /** The status of a request whose path and host are sent as they are. */
  const rawStatus = (path: string, host = new URL(origin).host) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const asked = httpRequest({ hostname, port, path, headers: { cookie, host } });
      asked.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject);
      asked.end();
    });

  it("is at one of its own ports where none is named: a browser finds by it what it keeps", async () => {
    const own = await startStudio({
      page: () => undefined,
      workspace: directoryWorkspace(directory, async () => ({})),
      examples: async () => [],
    });
    await own.close();
    expect(new URL(own.url).port).toMatch(/^845\d$/);
  });

  it("gives the workspace to who has the key, and to nobody else", async () => {
    expect(await (await get("/api/workspace")).json()).toEqual({
      name: directory,
      kind: "directory",
      canSave: true,
      shipped: { config: "policy: enabled" },
      saved: { mesh: "a: 1\n" },
      faults: [],
      cluster: null,
      preview: null,
    });
    const { preview } = (await (await get("/api/workspace?preview")).json()) as Workspace;
    expect(preview).toMatchObject({ key: expect.any(String), findings: [{ path: "mesh" }] });
    for (const path of ["/", "/api/workspace", "/api/changes", "/open", "/open?key=", "/open?key=wrong"]) {
      const response = await get(path, {});
      expect({ path, status: response.status }).toEqual({ path, status: 403 });
      expect(response.headers.get("set-cookie")).toBeNull();
    }
  });

  it("gives the examples to who has the key, and to nobody else", async () => {
    expect(await (await get("/api/examples")).json()).toEqual([EXAMPLE]);
    expect((await get("/api/examples", {})).status).toBe(403);
  });

  it("refuses another site that names it by a name of its own", async () => {
    expect(await rawStatus("/api/workspace", `evil.example:${new URL(origin).port}`)).toBe(421);
  });

  it("saves what is still as it was when the edit began", async () => {
    expect(await (await put({ path: "mesh", base: "a: 1\n", text: "a: 2\n" })).json()).toEqual({ saved: true });
    expect(readFileSync(join(directory, "mesh.yaml"), "utf8")).toBe("a: 2\n");
    const late = await put({ path: "mesh", base: "a: 1\n", text: "a: 3\n" });
    expect({ status: late.status, body: await late.json() }).toEqual({
      status: 409,
      body: { saved: false, current: { mesh: "a: 2\n" } },
    });
    expect(readFileSync(join(directory, "mesh.yaml"), "utf8")).toBe("a: 2\n");
  });

  it("saves all edits of a request, or none", async () => {
    const both = (base: string) =>
      fetch(`${origin}/api/entries`, {
        method: "PUT",
        headers: { cookie, origin, "content-type": "application/json" },
        body: JSON.stringify({
          edits: [
            { path: "values/30-c", base: null, text: "z: 1\n" },
            { path: "mesh", base, text: "a: 9\n" },
          ],
        }),
      });
    expect(await (await both("a: 7\n")).json()).toEqual({ saved: false, current: { mesh: "a: 2\n" } });
    expect(readdirSync(directory)).not.toContain("values");
    expect(await (await both("a: 2\n")).json()).toEqual({ saved: true });
    expect(readFileSync(join(directory, "values/30-c.yaml"), "utf8")).toBe("z: 1\n");
    await put({ path: "mesh", base: "a: 9\n", text: "a: 2\n" });
  });

  it("keeps one of two edits that are saved at once, and refuses the other", async () => {
    const answers = await Promise.all(
      ["x: 1\n", "x: 2\n"].map(async (text) => (await put({ path: "values/10-a", base: null, text })).json()),
    );
    const kept = readFileSync(join(directory, "values/10-a.yaml"), "utf8");
    expect(answers).toContainEqual({ saved: true });
    expect(answers).toContainEqual({ saved: false, current: { "values/10-a": kept } });
  });

  it("removes an entry", async () => {
    await put({ path: "values/20-b", base: null, text: "y: 1\n" });
    expect((await put({ path: "values/20-b", base: "y: 1\n", text: null })).status).toBe(200);
    expect(() => readFileSync(join(directory, "values/20-b.yaml"))).toThrow("ENOENT");
  });

  it.each([
    ["a path that leaves the tree", { path: "../evil", base: null, text: "" }, 422],
    ["a path of no entry", { path: "values/../../evil", base: null, text: "" }, 422],
    ["a wrong type", { path: "mesh", base: null, text: 1 }, 422],
    ["no JSON", "{", 422],
    ["a byte order mark", `\u{feff}${EMPTY}`, 422],
    ["one byte too many", EMPTY.padEnd(LARGEST + 1), 422],
  ])("refuses %s", async (_what, edit, status) => {
    const response = await put(edit);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      code: expect.any(String),
      message: expect.stringMatching(/^Cannot read /),
    });
  });

  it("writes through no link that leads out of the directory, and reads through none", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outrigger-outside-"));
    writeFileSync(join(outside, "secret.hbs"), "secret");
    symlinkSync(outside, join(directory, "partials"));
    try {
      for (const [path, base] of [
        ["partials/secret", "secret"],
        ["partials/new", null],
      ] as const) {
        const response = await put({ path, base, text: "evil" });
        const body = await response.text();
        expect({ path, status: response.status, body }).toMatchObject({ status: 422 });
        expect(body).not.toContain('secret"');
      }
      const read = await get("/api/workspace");
      const shown = await read.text();
      expect(shown).not.toContain('"secret"');
      expect(shown).toContain("it is a link to a place outside the tree");
      expect(readdirSync(outside)).toEqual(["secret.hbs"]);
      expect(readFileSync(join(outside, "secret.hbs"), "utf8")).toBe("secret");
    } finally {
      rmSync(join(directory, "partials"));
      rmSync(outside, { recursive: true });
    }
    // A link to a file is replaced, not followed.
    const file = join(directory, ".elsewhere");
    writeFileSync(file, "[]\n");
    symlinkSync(file, join(directory, "namespaces.yaml"));
    await put({ path: "namespaces", base: "[]\n", text: "{}\n" });
    expect(readFileSync(file, "utf8")).toBe("[]\n");
    rmSync(join(directory, "namespaces.yaml"));
  });

  it("gives no file of the machine for a path that leaves the page's folder", async () => {
    for (const path of [
      "/../../etc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/..%2fmain.js",
      "//etc/passwd",
      "/constructor",
    ]) {
      expect({ path, status: await rawStatus(path) }).toEqual({ path, status: 404 });
    }
  });

  it("takes no more of a body than an edit can have", async () => {
    const response = await put(
      `{"edits": [{"path": "mesh", "base": null, "text": "${"a".repeat(9 * 1024 * 1024)}"}]}`,
    ).catch(() => "cut");
    if (response !== "cut") expect((response as Response).status).toBe(422);
    expect(statSync(join(directory, "mesh.yaml")).size).toBeLessThan(100);
    expect((await get("/api/workspace")).status).toBe(200);
  });

  it("takes names of a prototype as names", async () => {
    for (const path of ["__proto__", "constructor", "toString"]) {
      expect((await put({ path, base: null, text: "a: 1\n" })).status).toBe(422);
    }
    expect(await (await put({ path: "values/constructor", base: null, text: "a: 1\n" })).json()).toEqual({
      saved: true,
    });
    await put('{"edits": [{"path": "mesh", "__proto__": {"base": "a: 2\\n"}, "text": "evil"}]}');
    const { saved } = (await (await get("/api/workspace")).json()) as { readonly saved: Record<string, string> };
    expect(saved["values/constructor"]).toBe("a: 1\n");
    expect(saved["mesh"]).not.toBe("evil");
    expect(({} as Record<string, unknown>)["base"]).toBeUndefined();
  });

  it("refuses a form of another site: its content type, its origin", async () => {
    const edit = { path: "mesh", base: "a: 2\n", text: "evil" };
    expect((await put(edit, { "content-type": "text/plain" })).status).toBe(422);
    expect((await put(edit, { origin: "http://evil.example" })).status).toBe(403);
    expect((await put(edit, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(readFileSync(join(directory, "mesh.yaml"), "utf8")).not.toContain("evil");
  });

  it("sends a policy that takes nothing from elsewhere, with every answer", async () => {
    for (const path of ["/", "/nothing", "/open"]) {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src 'self';");
      expect(policy).not.toMatch(/unsafe-(inline|eval)|https?:|\*/);
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-embedder-policy")).toBe("require-corp");
    }
    const nonce = await (await get("/")).text();
    expect((await get("/")).headers.get("content-security-policy")).toContain(`'nonce-${nonce}'`);
  });

  it("reports a change that another program makes in the directory", async () => {
    const response = await get("/api/changes");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    writeFileSync(join(directory, "proxyconfigs.yaml"), "[]\n");
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: changed\n\n");
    await reader.cancel();
  });
});

describe("the studio's beat", () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[string, number | undefined, number]>([
    ["when the workspace looked for changes last", 12_345, 12_345],
    ["the time, where changes are reported as they happen", undefined, Date.parse("2026-01-01T00:00:00Z")],
  ])("tells every page that hears nothing else %s", async (_, looked, told) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: Date.parse("2026-01-01T00:00:00Z") });
    const workspace = directoryWorkspace(undefined, async () => ({}));
    const studio = await startStudio({
      port: 0,
      page: () => undefined,
      workspace: { ...workspace, ...(looked !== undefined && { lookedAt: () => looked }) },
      examples: async () => [],
    });
    try {
      const opened = await fetch(studio.url, { redirect: "manual" });
      const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
      const { body } = await fetch(new URL("/api/changes", studio.url), { headers: { cookie } });
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      let heard = "";
      const hear = async () => {
        while (!heard.includes("event: beat")) heard += new TextDecoder().decode((await reader.read()).value);
      };
      const hearing = hear();
      await vi.advanceTimersToNextTimerAsync();
      await hearing;
      const [, at] = /event: beat\ndata: (\d+)\n\n/.exec(heard) ?? [];
      expect(Number(at)).toBeGreaterThanOrEqual(told);
      expect(Number(at) - told).toBeLessThan(looked === undefined ? 3_600_000 : 1);
    } finally {
      await studio.close();
    }
  });
});
