// Reading `source/` from Parameter Store: the tree as one moment had it, its texts as they are in files, and the
// version of every parameter. Knows nothing of what the texts mean.
import { type CallOptions, type Layout, type Parameter, type ParameterReader, readAll } from "@outrigger/aws";
import { defined, jsonEqual, OutriggerError, ownError, unlessOwnError } from "@outrigger/base";
import { checkSourcePath, fromStored, type SourceTree } from "@outrigger/injector";
import { isPushInProgress, type Manifest, parseManifest, treeDigest } from "./push-manifest.ts";

/** The source that was stored below `source/`. */
export interface SourceSnapshot {
  /** Texts as they are in files; without the manifest. */
  readonly tree: SourceTree;
  /** Path → version of its parameter. */
  readonly versions: Readonly<Record<string, number>>;
  /** Path → when it was written, in milliseconds since 1970, where the store says so. */
  readonly modified: Readonly<Record<string, number>>;
  readonly manifest: Manifest | undefined;
  /** The version of the manifest's parameter; 0 where there is none. */
  readonly manifestVersion: number;
  /** The time at which the manifest was written, in milliseconds since 1970, where there is one and the store says so. */
  readonly manifestModified?: number;
  /** Whether the manifest's parameter holds something else. */
  readonly isManifestDamaged: boolean;
  /** The time at which the newest entry was written, in milliseconds since 1970, where the store says so. */
  readonly lastModified: number | undefined;
}

const TRIES = 5;

export interface SourceReadOptions extends CallOptions {
  /**
   * Whether the caller replaces the whole tree. Then a text that is in no file's writing is given as it is stored, names that mean
   * nothing are kept like others, and an invalid manifest is treated as missing.
   */
  readonly isReplaced?: boolean;
  /** Takes what is wrong with an entry, which is then left out; without it, that is thrown. */
  readonly leaveOut?: (fault: OutriggerError) => void;
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
  const comparable = (read: readonly Parameter[]) => read.map(({ name, version, value }) => [name, version, value]);
  let before = await readAll(store, layout.source, options);
  for (let tries = 1; tries < TRIES; tries++) {
    const after = await readAll(store, layout.source, options);
    if (jsonEqual(comparable(before), comparable(after))) return sourceSnapshotOf(after, layout, options);
    before = after;
  }
  const message = `Cannot read ${layout.source}: it was changed each of the ${TRIES} times that it was read; try again when the edits are done`;
  throw new OutriggerError("tree-changed", message, { path: layout.source });
}

function sourceSnapshotOf(
  parameters: readonly Parameter[],
  layout: Layout,
  { isReplaced = false, leaveOut }: SourceReadOptions,
): SourceSnapshot {
  const isLenient = isReplaced || leaveOut !== undefined;
  const attempt = <Value>(read: () => Value) => (isLenient ? unlessOwnError(read, leaveOut) : read());
  const manifestName = layout.sourceParameter("manifest");
  const stored = parameters.find(({ name }) => name === manifestName);
  const manifest = stored && attempt(() => parseManifest(stored));
  const entries = parameters.flatMap((parameter) => {
    if (parameter === stored) return [];
    const path = parameter.name.slice(layout.source.length + 1);
    const text = attempt(() => textOf(parameter, path));
    return text === undefined && leaveOut !== undefined ? [] : [{ path, text: text ?? parameter.value, parameter }];
  });
  const modified = entries.flatMap(({ path, parameter: { lastModified } }) =>
    lastModified === undefined ? [] : [[path, lastModified] as const],
  );
  const times = parameters.flatMap(({ lastModified }) => lastModified ?? []);
  return {
    tree: Object.fromEntries(entries.map(({ path, text }) => [path, text])),
    versions: Object.fromEntries(entries.map(({ path, parameter }) => [path, parameter.version])),
    modified: Object.fromEntries(modified),
    manifest,
    manifestVersion: stored?.version ?? 0,
    ...defined({ manifestModified: stored?.lastModified }),
    isManifestDamaged: manifest === undefined && stored !== undefined,
    lastModified: times.length === 0 ? undefined : Math.max(...times),
  };
}

function textOf({ name, type, value }: Parameter, path: string): string {
  if (type !== "String") {
    const message = `Cannot read ${name}: it is a ${type}; delete it and make it again as a String (source trees hold no secrets)`;
    throw new OutriggerError("tree-invalid", message, { path: name });
  }
  try {
    checkSourcePath(path);
  } catch (cause) {
    throw new OutriggerError("tree-invalid", `${ownError(cause).message}; delete ${name}`, { path: name, cause });
  }
  return fromStored(value, name);
}

/**
 * Whether parameters below `source/` are part of a push that is not complete. A tree or a manifest that cannot be read is refused
 * when it is published.
 *
 * @param now milliseconds since 1970
 */
export function isPushing(parameters: readonly Parameter[], layout: Layout, now: number): boolean {
  const source = unlessOwnError(() => sourceSnapshotOf(parameters, layout, { isReplaced: true }));
  return source !== undefined && isPushInProgress(source.manifest, treeDigest(source.tree), now);
}
