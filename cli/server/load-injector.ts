// The way from directories to something that injects: the shipped tree, and over it the user's own.
import { resolve } from "node:path";
import { compileRelease, type InjectRequest, injectPod, loadRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import type { Io } from "../terminal/io.ts";

/** The directories that make up the source tree, the lowest first. */
export function treeDirectories(directory: string | undefined, io: Io): readonly string[] {
  return directory === undefined ? [io.templates] : [io.templates, resolve(io.cwd, directory)];
}

/** Reads, compiles and loads; whatever is wrong in a tree is thrown as an OutriggerError that says where. */
export async function loadInjector(directories: readonly string[]) {
  const release = compileRelease(await Promise.all(directories.map((directory) => readSourceTree(directory))));
  const injector = loadRelease(release);
  const inject = (request: InjectRequest) => injectPod(injector, request);
  return { inject, release: releaseDigest(release), warnings: release.warnings };
}
