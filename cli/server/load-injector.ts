// The way from directories to something that injects: the shipped tree, and over it the user's own.
import { resolve } from "node:path";
import type { InjectRequest, InjectResult } from "@outrigger/injector";
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import type { Io } from "../terminal/io.ts";

/** A release that is ready to inject. */
export interface LoadedInjector {
  readonly inject: (request: InjectRequest) => InjectResult;
  /** The release's name. */
  readonly release: string;
  /** What was noticed when it was compiled and does not keep it from serving. */
  readonly warnings: readonly string[];
}

/** The directories that make up the source tree, the lowest first. */
export function treeDirectories(directory: string | undefined, io: Io): readonly string[] {
  return directory === undefined ? [io.templates] : [io.templates, resolve(io.cwd, directory)];
}

/** Reads, compiles and loads; whatever is wrong in a tree is thrown as an OutriggerError that says where. */
export async function loadInjector(directories: readonly string[]): Promise<LoadedInjector> {
  const release = compileRelease(await Promise.all(directories.map((directory) => readSourceTree(directory))));
  const injector = loadRelease(release);
  const { warnings } = release;
  return { inject: (request) => injectPod(injector, request), release: releaseDigest(release), warnings };
}
