// A person with the built command line, kubectl and an empty folder, on what `outrigger start --fake` gives, who follows pages.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, vi } from "vitest";
import { codeBlocks, isShell, textOf } from "../pages/code-blocks.ts";
import { runProgram } from "../support/run-program.ts";

export const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.warn("kubectl is not installed: pages are not followed on the fake cluster");

/** Matches the commands that a page says to leave out on a fake. */
const OF_AWS = /^outrigger (deploy|undeploy) .*\n|^aws .*\\\n.*\n/gm;

/** Pods of the fake that are ready when it is up. */
const PODS = 10;

export interface Newcomer {
  /** Empty at first. */
  readonly folder: string;
  readonly run: (script: string) => Promise<{ readonly code: number; readonly output: string }>;
  /** The output of a script that must end well. */
  readonly done: (script: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** @param executable the command `outrigger` */
export async function newcomer(executable: string): Promise<Newcomer> {
  const home = mkdtempSync(join(tmpdir(), "outrigger-newcomer-"));
  const folder = join(home, "reader");
  for (const made of [join(home, "bin"), folder]) mkdirSync(made);
  symlinkSync(executable, join(home, "bin/outrigger"));
  const path = `${join(home, "bin")}${delimiter}${process.env["PATH"]}`;
  const own = { PATH: path, HOME: home, USER: "ada" };
  const server = spawn(executable, ["start", "--fake", "--port", "0", "--no-studio"], { cwd: home, env: own });
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
    expect(output.split(" ").filter((status) => status === "True")).toHaveLength(PODS);
  };
  await vi.waitFor(isUp, { timeout: 120_000, interval: 1000 });
  return { folder, run, done, close };
}

/** The shell blocks of a page, without what needs AWS itself. */
export function blocksOf(page: string): readonly string[] {
  return codeBlocks(textOf(page))
    .filter((block) => isShell(block) && !block.marks.includes("server"))
    .map(({ text }) => text.replace(OF_AWS, ""))
    .filter((text) => text.trim() !== "");
}
