// Types a scene into a pseudo-terminal, which util-linux's `script` makes, with the built command line.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { projectRoot } from "../build/bundled-release.ts";
import type { Scene } from "./scenes.ts";
import { COLUMNS, type TypedCommand } from "./terminal-svg.ts";

type Environment = Readonly<Record<string, string>>;

/** A command that fails is part of a scene: its message is what the picture shows. */
export async function recordScene({ files, commands, hasDeployment }: Scene): Promise<readonly TypedCommand[]> {
  const home = mkdtempSync(join(tmpdir(), "outrigger-scene-"));
  const folder = join(home, "reader");
  const programs = join(home, "bin");
  for (const made of [folder, programs]) mkdirSync(made);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const program = join(programs, "outrigger");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(projectRoot, "dist/outrigger.mjs")}" "$@"\n`);
  chmodSync(program, 0o755);
  const path = `${programs}${delimiter}${process.env["PATH"]}`;
  const environment = { HOME: home, PATH: path, TERM: "xterm-256color", LANG: "C.UTF-8", USER: "you" };
  const deployment = hasDeployment === true ? await startDeployment(folder, environment) : undefined;
  try {
    const env = { ...environment, ...deployment?.exported };
    return commands.map((command) => ({ command, output: typed(command, folder, env) }));
  } finally {
    deployment?.process.kill("SIGTERM");
    rmSync(home, { recursive: true, force: true });
  }
}

function typed(command: string, cwd: string, env: Environment): string {
  // The exit code of `script` is that of the command only when asked for, and a scene may end with 1.
  const words = ["-q", "-c", `stty cols ${COLUMNS} rows 50; ${command}`, "/dev/null"];
  return execFileSync("script", words, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

async function startDeployment(cwd: string, env: Environment) {
  const words = ["start", "--store", "ssm-fake", "--port", "0", "--no-studio"];
  const server: ChildProcess = spawn("outrigger", words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    server.on("exit", (code) => reject(new Error(`outrigger start ended with ${code}: ${text}`)));
    server.stdout?.on("data", (chunk) => {
      text += String(chunk);
      const found = /^\s*export (.*)\n/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const exported = Object.fromEntries([...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  return { process: server, exported: exported as Environment };
}
