// Reading the trees that commands compare: a directory, the deployment's, the shipped one.
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { Io } from "../terminal/io.ts";

export function shippedTree(io: Io): Promise<SourceTree> {
  return readSourceTree(io.templates);
}

/** The tree of a directory that may yet have to be made. */
export async function directoryTree(
  directory: string,
  leaveOut?: Parameters<typeof readSourceTree>[1],
): Promise<SourceTree> {
  try {
    await access(directory);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
  }
  return readSourceTree(directory, leaveOut);
}

/** The directory that a command's argument names: the one that it is run in where it names none. */
export function directoryOf(argument: string | undefined, io: Io): string {
  return resolve(io.cwd, argument ?? ".");
}
