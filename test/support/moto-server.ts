// Moto, an AWS emulator that others wrote, as a process of a test: found, started on a free loopback port, stopped.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requiredVersion } from "./required-version.ts";

export interface MotoServer {
  /** What AWS_ENDPOINT_URL has to be. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The Python that has moto: `.runtime/python`, which `.ci/run` makes, or the one on the path; or what is lacking. */
export function findMoto(): { readonly python: string; readonly lacking?: string } {
  const own = fileURLToPath(new URL("../../.runtime/python/bin/python", import.meta.url));
  const required = requiredVersion("moto");
  for (const python of [own, "python3"]) {
    if (python === own && !existsSync(own)) continue;
    try {
      const asked = "import importlib.metadata as m; m.version('flask'); print(m.version('moto'))";
      const version = execFileSync(python, ["-c", asked], { stdio: "pipe", timeout: 20_000, encoding: "utf8" });
      if (version.startsWith(required)) return { python };
    } catch {
      // Not this one.
    }
  }
  return { python: "", lacking: `no Python with moto ${required}x: pip install -r test/support/requirements.txt` };
}

/** Starts it, or a script that starts it, and waits until it listens. */
export async function startMoto(python: string, script?: string): Promise<MotoServer> {
  const program = script === undefined ? ["-m", "moto.server"] : [script];
  const child = spawn(python, [...program, "-H", "127.0.0.1", "-p", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, MOTO_EC2_LOAD_DEFAULT_AMIS: "false" },
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`moto has ended: ${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-4000);
      const listening = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  });
  return { url, stop: () => stopped(child) };
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
