// A Python program that answers a line of JSON with another, for a file of tests: loading what it imports takes longer than any answer.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The program, until it is ended. */
export interface LineServer {
  /** @throws Error where the program has ended, which said why on standard error */
  readonly ask: (question: unknown) => Promise<unknown>;
  readonly end: () => void;
}

/** @param script its name, next to this file */
export function startLineServer(python: string, script: string): LineServer {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(python, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error(`Cannot ask ${script}: it has ended, and said why above`);
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}
