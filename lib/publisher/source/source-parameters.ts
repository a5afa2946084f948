// Reading `source/` from Parameter Store: the tree as one moment had it, its texts as they are in files, and the
// version of every parameter. Knows nothing of what the texts mean.

import type { CallOptions, Layout, Parameter, ParameterReader } from "@outrigger/aws";
import { readAll } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { checkSourcePath, type SourceTree } from "@outrigger/injector";
import { isPushInProgress, type Manifest, parseManifest } from "./push-manifest.ts";
import { fromStored } from "./tag-translation.ts";
import { treeDigest } from "./tree-digest.ts";

/** What was stored below `source/`. */
export interface SourceSnapshot {
  /** Texts as they are in files; without the manifest. */
  readonly tree: SourceTree;
  /** Path → version of its parameter. */
  readonly versions: Readonly<Record<string, number>>;
  /** Path → when it was written, in milliseconds since 1970, where the store says so. */
  readonly modified: Readonly<Record<string, number>>;
  readonly manifest: Manifest | undefined;
  /** Of the manifest's parameter; 0 where there is none. */
  readonly manifestVersion: number;
  /** When the manifest was written, in milliseconds since 1970, where there is one and the store says so. */
  readonly manifestModified?: number;
  /** There is a parameter of that name, and it is no manifest. */
  readonly isManifestDamaged: boolean;
  /** When the newest of it was written, in milliseconds since 1970, where the store says so. */
  readonly lastModified: number | undefined;
}

/** How often a tree that changes while it is read is read again. */
const TRIES = 5;

export interface SourceReadOptions extends CallOptions {
  /**
   * For who replaces all of it: a text that is in no file's writing is given as it is stored, names that mean nothing are
   * kept like others, and an invalid manifest is treated as missing.
   */
  readonly isReplaced?: boolean;
}

/**
 * Reads the whole tree, page by page, until two consecutive readings agree: then all of it was stored at the same time.
 *
 * @throws OutriggerError `tree-changed` if it keeps changing; `tree-invalid` for a parameter that is no String,
 * whose name means nothing, or whose text is in no file's writing; `store-corrupt` for an invalid manifest
 */
export async function readSourceParameters(
  store: ParameterReader,
  layout: Layout,
  options: SourceReadOptions = {},
): Promise<SourceSnapshot> {
  let before = await readAll(store, layout.source, options);
  for (let tries = 1; tries < TRIES; tries++) {
    const after = await readAll(store, layout.source, options);
    if (sameParameters(before, after)) return sourceSnapshotOf(after, layout, options.isReplaced === true);
    before = after;
  }
  throw new OutriggerError(
    "tree-changed",
    `Cannot read ${layout.source}: it was changed each of the ${TRIES} times that it was read; try again when the edits are done`,
    { path: layout.source },
  );
}

function sameParameters(before: readonly Parameter[], after: readonly Parameter[]): boolean {
  return (
    before.length === after.length &&
    before.every((parameter, index) => {
      const { name, version, value } = after[index] as Parameter;
      return parameter.name === name && parameter.version === version && parameter.value === value;
    })
  );
}

/** The tree that parameters hold. `isReplaced` as in SourceReadOptions. */
function sourceSnapshotOf(parameters: readonly Parameter[], layout: Layout, isReplaced: boolean): SourceSnapshot {
  const texts: [string, string][] = [];
  const versions: [string, number][] = [];
  const modified: [string, number][] = [];
  let manifest: Manifest | undefined;
  for (const parameter of parameters) {
    const path = parameter.name.slice(layout.source.length + 1);
    if (path === "manifest") {
      manifest = isReplaced ? unlessDamaged(() => parseManifest(parameter)) : parseManifest(parameter);
      continue;
    }
    const text = isReplaced ? unlessDamaged(() => textOf(parameter, path)) : textOf(parameter, path);
    texts.push([path, text ?? parameter.value]);
    versions.push([path, parameter.version]);
    if (parameter.lastModified !== undefined) modified.push([path, parameter.lastModified]);
  }
  const stored = parameters.find(({ name }) => name === layout.sourceParameter("manifest"));
  const times = parameters.flatMap(({ lastModified }) => (lastModified === undefined ? [] : [lastModified]));
  return {
    tree: Object.fromEntries(texts),
    versions: Object.fromEntries(versions),
    modified: Object.fromEntries(modified),
    manifest,
    manifestVersion: stored?.version ?? 0,
    ...defined({ manifestModified: stored?.lastModified }),
    isManifestDamaged: manifest === undefined && stored !== undefined,
    lastModified: times.length === 0 ? undefined : Math.max(...times),
  };
}

function unlessDamaged<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function textOf({ name, type, value }: Parameter, path: string): string {
  if (type !== "String") {
    throw invalid(name, `it is a ${type}; delete it and make it again as a String (source trees hold no secrets)`);
  }
  try {
    checkSourcePath(path);
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    throw new OutriggerError("tree-invalid", `${cause.message}; delete ${name}`, { path: name, cause });
  }
  return fromStored(value, name);
}

function invalid(path: string, remedy: string): OutriggerError {
  return new OutriggerError("tree-invalid", `Cannot read ${path}: ${remedy}`, { path });
}

/**
 * Whether parameters below `source/` are part of a push that is not complete. A tree or a manifest that cannot be read is refused
 * when it is published.
 *
 * @param now milliseconds since 1970
 */
export function isPushing(parameters: readonly Parameter[], layout: Layout, now: number): boolean {
  try {
    const { manifest, tree } = sourceSnapshotOf(parameters, layout, true);
    return isPushInProgress(manifest, treeDigest(tree), now);
  } catch (error) {
    if (error instanceof OutriggerError) return false;
    throw error;
  }
}
