// Runs every command of the README, as a reader would: only ports and file names are others.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseYaml } from "@outrigger/yaml";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pattern, settled } from "../cli/page-steps.ts";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
/** Matches the line that the server prints first, as the page shows it. */
const READY = /^Outrigger is ready on .*$/m;
const PICTURE = join(ROOT, "docs/images/terminal/demo.svg");
const COMMANDS = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => (block as string).trim());
const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;
describe("README", () => {
  let directory: string;
  let server: ChildProcess;
  let port: number;
  let output = "";

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-readme-"));
    port = await freePort();
    server = spawn("npm", ["start", "--", "--port", String(port)], {
      cwd: ROOT,
      detached: true,
      env: { ...process.env, XDG_STATE_HOME: directory },
    });
    for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk) => (output += chunk));
    await vi.waitFor(() => expect(output).toContain("Outrigger is ready on"), { timeout: 170_000, interval: 20 });
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    process.kill(-(server.pid as number), "SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });

  it("has these commands, each of which is run below", () => {
    expect(COMMANDS).toEqual([
      "npm install && npm start -- --demo",
      "npm start",
      expect.stringMatching(/^curl -sk https:\/\/localhost:8443\/inject .* \| node -p '.*'$/),
      expect.stringMatching(/^cat > deployment\.yaml <<'EOF'\n[\s\S]*\nEOF\nnpx outrigger inject -f deployment\.yaml$/),
      "npm install && npm run ok",
    ]);
  });

  it("has the curl line that the server prints, and pasting it injects the sidecar", async () => {
    const line = (COMMANDS[2] as string).replace("8443", String(port));
    expect(output).toContain(`  ${line}\n`);
    const shown = settled(READY.exec(README)?.[0].replace("8443", String(port)) ?? "nothing");
    expect(settled(READY.exec(output)?.[0] ?? "")).toBe(shown);
    const patch: readonly { readonly op: string; readonly path: string }[] = JSON.parse(await paste(line));
    expect(patch).toContainEqual(expect.objectContaining({ op: "add", path: "/spec/initContainers" }));
    expect(JSON.stringify(patch)).toContain('"istio-proxy"');
    await vi.waitFor(() => expect(output).toMatch(/default\/hello +injected +sidecar/), {
      timeout: 60_000,
      interval: 20,
    });
  });

  it("shows what --demo prints", async () => {
    const shown = /--demo\n```\n\n```text\n([\s\S]*?)```/.exec(README)?.[1] ?? "nothing";
    const printed = await run("npx", ["outrigger", "start", "--demo"], ROOT);
    expect(settled(printed)).toMatch(pattern(settled(shown)));
    // The picture has the same, with long lines broken, and the sizes of the day when it was drawn: edit its text.
    const [, ...rows] = [...readFileSync(PICTURE, "utf8").matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, row = ""]) =>
      row.replaceAll(/<[^>]*>/g, ""),
    );
    const [drawn, now] = [rows.join(""), escaped(printed.replaceAll("\n", ""))].map((text) =>
      settled(text).replaceAll(/\d+ (?=characters|free)/g, "N "),
    );
    expect(drawn).toBe(now);
  });

  it("injects a deployment through npx", async () => {
    // The reader is in the checkout, which a test leaves as it is.
    const script = (COMMANDS[3] as string).replaceAll("deployment.yaml", join(directory, "deployment.yaml"));
    const out = await run("bash", ["-e", "-c", script]);
    expect(parseYaml(out, "out")).toMatchObject({
      kind: "Deployment",
      spec: {
        template: {
          spec: { initContainers: [{ name: "istio-init" }, { name: "istio-proxy" }], containers: [{ name: "web" }] },
        },
      },
    });
  });

  it("names scripts and pages that exist", () => {
    expect(SCRIPTS["test"]).toContain("vitest run"); // what runs this
    for (const [, script] of README.matchAll(/`npm run (\w+)`/g)) expect(SCRIPTS).toHaveProperty(script as string);
    for (const [, page] of README.matchAll(/\]\((?!http)([^)]+)\)/g))
      expect(existsSync(join(ROOT, (page as string).split("#", 1)[0] as string)), page as string).toBe(true);
  });

  /**
   * Runs a line in a shell, in a directory of no importance. If there is no curl, it sends the same request by other
   * means.
   */
  async function paste(line: string): Promise<string> {
    try {
      return await run("sh", ["-c", `command -v curl >/dev/null || exit 127; ${line}`], directory);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 127) throw error;
      const [, body = "", decode = ""] = /-d '(.*?)' \| node -p '(.*)'$/.exec(line) ?? [];
      const script = `process.env.NODE_TLS_REJECT_UNAUTHORIZED="0";fetch("https://localhost:${port}/inject",{method:"POST",headers:{"content-type":"application/json"},body:${JSON.stringify(body)}}).then(r=>r.text()).then(t=>process.stdout.write(t))`;
      const answer = await run("node", ["-e", script], directory);
      writeFileSync(join(directory, "answer.json"), answer);
      return run("sh", ["-c", `node -p '${decode}' < answer.json`], directory);
    }
  }
});

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function run(command: string, argv: readonly string[], cwd = ROOT): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, argv, { cwd, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(Object.assign(error, { message: `${error.message}\n${stderr}` }));
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
