// The built command line tool as a process: exit codes, signals and pipes, which main() in a test cannot show.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startFakeServer } from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const EXECUTABLE = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "dist/outrigger.mjs");
const POD = "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(EXECUTABLE, argv, { env: { ...process.env, ...env } });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, out, err })),
  );
  return { child, ended };
}

describe("outrigger", () => {
  it("exits 0, 3 or 2 when it is done, cannot do it, or is called wrongly", async () => {
    const ends = await Promise.all(
      [["--version"], ["inject", "-f", "/gone"], ["nonsense"]].map((argv) => start(argv).ended),
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 3, 2]);
    expect(ends[1]?.err).toBe("Cannot read /gone: there is no such file or directory\n");
  });

  it("injects from standard input to standard output", async () => {
    const { child, ended } = start(["inject", "-f", "-"]);
    child.stdin.end(POD);
    const { code, out, err } = await ended;
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("name: istio-proxy");
  });

  it("reads the shipped release, which is a file of its own", async () => {
    const { code, out, err } = await start(["diff", "shipped", "shipped"]).ended;
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^shipped is release \w+, shipped is release \w+/);
  });

  describe("against AWS", () => {
    let server: Awaited<ReturnType<typeof startFakeServer>>;
    let env: Record<string, string>;
    beforeAll(async () => {
      server = await startFakeServer();
      for (const [name, Value] of [
        ["source/mesh", "a: 1"],
        ["serve/head", "{}"],
      ] as const) {
        await server.service.call("PutParameter", { Name: `/outrigger/dev/${name}`, Value, Type: "String" });
      }
      env = {
        AWS_ENDPOINT_URL: server.url,
        AWS_REGION: "eu-west-1",
        AWS_ACCESS_KEY_ID: "a",
        AWS_SECRET_ACCESS_KEY: "a",
      };
    });
    afterAll(() => server.close());

    it("talks through the SDK that is in it", async () => {
      const directory = mkdtempSync(join(tmpdir(), "outrigger-pull-"));
      const { code, out, err } = await start(["pull", directory], env).ended;
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain("added    mesh.yaml\n");
      rmSync(directory, { recursive: true });
    });

    it("passes on every warning of the process but the SDK's own about versions of Node to come", async () => {
      const old = `Object.defineProperty(process, "version", { value: "v20.19.0" });`;
      const warn = `process.emitWarning("The disk is on fire", "FireWarning");`;
      const script = `data:text/javascript,${encodeURIComponent(old + warn)}`;
      const run = (more: Readonly<Record<string, string>> = {}) =>
        start(["channel"], { ...env, NODE_OPTIONS: `--import=${script}`, ...more }).ended;
      const { code, err } = await run();
      expect(code).toBe(0);
      expect(err.replace(/^\(node:\d+\) /, "")).toBe(
        "FireWarning: The disk is on fire\n(Use `node --trace-warnings ...` to show where the warning was created)\n",
      );
      // A user who wants to see the SDK's warning can.
      const { err: all } = await run({ AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "false" });
      expect(all).toContain("NodeVersionSupportWarning");
    });
  });

  it("ends quietly when nobody reads on", async () => {
    const { child, ended } = start(["inject", "-f", "-"]);
    child.stdout.destroy();
    child.stdin.end(POD.replace("image: web", `image: ${"x".repeat(1_000_000)}`));
    const { code, err } = await ended;
    expect([code, err]).toEqual([0, ""]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("stops serving and exits 0 on %s", async (signal) => {
    const state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
    const { child, ended } = start(["dev", "--port", "0"], { XDG_STATE_HOME: state });
    child.stdout.on("data", (chunk) => {
      if (String(chunk).includes("Try it")) child.kill(signal);
    });
    const { code, out, err } = await ended;
    rmSync(state, { recursive: true });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/Stopped\n$/);
  });
});
