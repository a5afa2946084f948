// A person with the built command line, kubectl and an empty folder, on what `outrigger start --fake` gives, who follows pages.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, vi } from "vitest";
import { codeBlocks, isShell, ROOT, textOf } from "../pages/code-blocks.ts";
import { runProgram } from "../support/run-program.ts";

export const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.warn("kubectl is not installed: pages are not followed on the fake cluster");

/** Matches the commands that a page says to leave out on a fake. */
const OF_AWS = /^outrigger (deploy|undeploy) .*\n|^aws .*\\\n.*\n/gm;

/** Pods of the fake that are ready when it is up: two of them are istiod's. */
const PODS = 10;
const PODS_WITHOUT_MESH = 8;

export interface Newcomer {
  /** Empty at first. */
  readonly folder: string;
  /** What the fake printed when it was ready. */
  readonly printed: string;
  readonly run: (script: string) => Promise<{ readonly code: number; readonly output: string }>;
  /** The output of a script that must end well. */
  readonly done: (script: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Packs the command line and installs it as a page says; returns the path of `outrigger`. */
export function installPacked(place: string): string {
  // What the package is for a deploy is test/infra/deploy/installed.test.ts.
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", place], { cwd: ROOT });
  const install = blocksOf("docs/tasks/install.md")
    .flatMap((block) => block.split("\n"))
    .find((line) => line.startsWith("npm install --global"));
  const env = { ...process.env, npm_config_prefix: join(place, "installed"), npm_config_offline: "true" };
  execFileSync("bash", ["-ec", String(install)], { cwd: place, env, stdio: "ignore" });
  return join(place, "installed/bin/outrigger");
}

/**
 * @param executable the command `outrigger`
 * @param tree the path of a tree with `mesh: none`, which is what is served first; left out, the shipped one is
 */
export async function newcomer(executable: string, tree?: string): Promise<Newcomer> {
  const home = mkdtempSync(join(tmpdir(), "outrigger-newcomer-"));
  const folder = join(home, "reader");
  for (const made of [join(home, "bin"), folder]) mkdirSync(made);
  symlinkSync(executable, join(home, "bin/outrigger"));
  const path = `${join(home, "bin")}${delimiter}${process.env["PATH"]}`;
  const own = { PATH: path, HOME: home, USER: "ada" };
  const options = ["--port", "0", "--no-studio", ...(tree === undefined ? [] : ["--dir", tree])];
  const server = spawn(executable, ["start", "--fake", ...options], { cwd: home, env: own });
  let out = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const close = async () => {
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  await vi.waitFor(() => expect(out).toContain("  unset "), { timeout: 120_000 });
  const assignments = (/^ {2}export (.*)$/m.exec(out)?.[1] ?? "").split(" ");
  const env = { ...own, ...Object.fromEntries(assignments.map((one) => one.split("=") as [string, string])) };
  const run = async (script: string) => {
    const words = ["-e", "-o", "pipefail", "-c", `exec 2>&1\n${script}`];
    const { code, out: output } = await runProgram("bash", words, { cwd: folder, env, timeout: 280_000 });
    return { code, output };
  };
  const done = async (script: string) => {
    const { code, output } = await run(script);
    expect(code, `${script}\n${output}`).toBe(0);
    return output;
  };
  const isUp = async () => {
    const { output } = await run("kubectl get pods -A -o jsonpath='{.items[*].status.conditions[0].status}'");
    expect(output.split(" ").filter((status) => status === "True")).toHaveLength(
      tree === undefined ? PODS : PODS_WITHOUT_MESH,
    );
  };
  await vi.waitFor(isUp, { timeout: 120_000, interval: 1000 });
  return { folder, printed: out, run, done, close };
}

/** The shell blocks of a page, without what needs AWS itself. */
export function blocksOf(page: string): readonly string[] {
  return codeBlocks(textOf(page))
    .filter((block) => isShell(block) && !block.marks.includes("server"))
    .map(({ text }) => text.replace(OF_AWS, ""))
    .filter((text) => text.trim() !== "");
}
