// Running another program as a user would: it has the terminal until it ends.
import { spawn } from "node:child_process";
import type { RunProgram } from "../terminal/io.ts";

/** Signals reach the program directly: the terminal sends Ctrl-C to both, and it is the program that has to end in order. */
export const runProgram: RunProgram = (command, words, { cwd, env }) =>
  new Promise((resolve, reject) => {
    const ignore = () => {};
    process.on("SIGINT", ignore);
    const child = spawn(command, [...words], { cwd, env, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("SIGINT", ignore);
      resolve(code ?? 1);
    });
  });
