// Moto, an AWS emulator that others wrote, as a process of a test: found, started on a free loopback port, stopped.
import { spawn } from "node:child_process";
import { endProcess } from "./end-process.ts";
import { findPython } from "./find-python.ts";

export interface MotoServer {
  /** The value for AWS_ENDPOINT_URL. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export const findMoto = () => findPython("moto", "flask");

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
  return { url, stop: () => endProcess(child) };
}
