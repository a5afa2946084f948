// The built command line tool against the fake store that it starts itself: the SDK, its credentials and its endpoint are
// those of the environment, as they are with AWS.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const EXECUTABLE = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "dist/outrigger.mjs");

describe("outrigger against outrigger start --fake", () => {
  let cwd: string;
  let server: ChildProcess;
  let out = "";
  let env: Record<string, string>;
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-e2e-"));
    const home = { PATH: process.env["PATH"] ?? "", HOME: cwd, USER: "ada" };
    server = spawn(EXECUTABLE, ["start", "--fake", "--http", "--port", "0"], { cwd, env: home });
    server.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    await vi.waitFor(() => expect(out).toContain("Outrigger is ready on"), { timeout: 120_000 });
    const line = /export (AWS_ENDPOINT_URL=.*)/.exec(out)?.[1] as string;
    env = { ...home, ...Object.fromEntries(line.split(" ").map((pair) => pair.split("=") as [string, string])) };
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGTERM");
    await ended;
    rmSync(cwd, { recursive: true, force: true });
  });

  const run = async (...argv: readonly string[]) => (await promisify(execFile)(EXECUTABLE, argv, { cwd, env })).stdout;

  it("pushes, publishes, serves, pulls and rolls back", async () => {
    mkdirSync(join(cwd, "mine/values"), { recursive: true });
    const values = "global: {hub: registry.example/e2e}\n";
    writeFileSync(join(cwd, "mine/values/10-mine.yaml"), values);
    expect(await run("push", "mine", "--publish")).toContain("stable serves ");

    const curl = /curl -sk (\S+) .* -d '(.*?)' \|/.exec(out) as RegExpExecArray;
    const patched = async () => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: curl[2] as string };
      const { response } = (await (await fetch(curl[1] as string, init)).json()) as { response: { patch: string } };
      return Buffer.from(response.patch, "base64").toString();
    };
    await vi.waitFor(async () => expect(await patched()).toContain("registry.example/e2e/"), { timeout: 60_000 });

    expect(await run("pull", "theirs")).toContain("values/10-mine.yaml");
    expect(readFileSync(join(cwd, "theirs/values/10-mine.yaml"), "utf8")).toBe(values);

    expect(await run("rollback", "stable")).toContain("pinned");
    await vi.waitFor(async () => expect(await patched()).not.toContain("registry.example/e2e/"), { timeout: 60_000 });
  });
});
