import { type ExecFileOptions, execFile } from "node:child_process";

export interface Ended {
  /** 1 for a program that was ended, or could not be started. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. Its standard input is empty where none is given. */
export function runProgram(
  program: string,
  words: readonly string[],
  { input, ...options }: ExecFileOptions & { readonly input?: string } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, words, { maxBuffer: 64e6, ...options, encoding: "utf8" }, (error, out, err) =>
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, out, err }),
    );
    // It may end without reading any of it.
    child.stdin?.on("error", () => {}).end(input);
  });
}
