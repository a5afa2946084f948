// Writing a tree to the deployment: what is carried over, and the order of writes by which a push that ends half-way
// is never published.
import { setTimeout } from "node:timers/promises";
import { MAX_NAMES, MAX_VALUE } from "@outrigger/aws";
import { defined, OutriggerError, ownError, readUntil } from "@outrigger/base";
import { type SourceTree, storedOrOwn, storedText } from "@outrigger/injector";
import { type Manifest, manifestText, readSourceParameters, treeDigest } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { announcePush } from "./announce-push.ts";
import { textAt } from "./three-way.ts";
import { isLarge, writeParameter } from "./write-parameter.ts";

export interface Push {
  /** The tree that the store has in the end. */
  readonly tree: SourceTree;
  /** Entries that are written, or deleted where the tree has them not. */
  readonly paths: readonly string[];
  /** The tree that the store has now. */
  readonly there: SourceTree;
  /** The manifest's version as the push was planned; left out where whatever is there is replaced. */
  readonly manifestVersion?: number;
  /** Write what a standard parameter does not hold as an advanced one: those cost money, and never become standard again. */
  readonly advanced?: true;
  readonly by: string;
  readonly why?: string;
  /** A timer where it is left out. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  readonly report: (text: string) => void;
}

/**
 * Writes a tree: the manifest that announces it, the entries, and the manifest that says that it is complete. If it is
 * interrupted, a publish refuses the incomplete tree, and pushing again completes it.
 *
 * @returns the version of the manifest that says that it is complete
 * @throws OutriggerError `parameter-refused` for a text that no parameter holds, before anything is written;
 * the same for one that Parameter Store refuses, after what was written is taken back; `tree-changed` where others wrote at
 * the same time
 */
export async function pushTree(deployment: Pick<Deployment, "store" | "target">, push: Push): Promise<number> {
  const { store, target } = deployment;
  const { tree, by, why, report } = push;
  const digest = treeDigest(tree);
  const stored = requireStorable(push);
  const name = target.layout.sourceParameter("manifest");
  const manifest = (state: Manifest["state"], of: string) =>
    manifestText(defined({ state, digest: of, by, at: new Date().toISOString(), why }));
  await announcePush(store, name, manifest("pushing", digest), push.manifestVersion);
  const written = new Map<string, string>();
  try {
    for (const [index, [path, text]] of stored.entries()) {
      if (text === undefined) continue;
      report(`Writing ${path} (${index + 1} of ${stored.length})`);
      await writeParameter(store, { name: target.layout.sourceParameter(path), text });
      written.set(path, text);
    }
  } catch (cause) {
    const { code, message, path } = ownError(cause, "parameter-refused");
    report("Taking back what was written");
    if (!(await isTakenBack(written, manifest("complete", treeDigest(push.there)), push, deployment))) throw cause;
    throw new OutriggerError(code, `${message}; nothing of the push is left there`, defined({ path, cause }));
  }
  const gone = stored.flatMap(([path, text]) => (text === undefined ? [target.layout.sourceParameter(path)] : []));
  for (let at = 0; at < gone.length; at += MAX_NAMES) {
    report(`Deleting (${at + 1} of ${gone.length})`);
    await store.deleteParameters(gone.slice(at, at + MAX_NAMES));
  }
  report("Checking what was written");
  await requireTree(deployment, digest, push.sleep ?? setTimeout);
  return writeParameter(store, { name, text: manifest("complete", digest) });
}

/**
 * The texts of a push as they are stored; undefined is one that is deleted.
 *
 * @throws OutriggerError `tree-invalid`, `tag-unclosed` or `parameter-refused` for one that is not stored
 */
export function requireStorable({ tree, paths, there, advanced }: Pick<Push, "tree" | "paths" | "there" | "advanced">) {
  return paths.map((path) => {
    const text = textAt(tree, path);
    const stored = text === undefined ? undefined : storedText(path, text);
    const isAdvanced = advanced === true || isLarge(storedOf(there, path));
    if (isLarge(stored) && !isAdvanced) throw tooLarge(path, stored as string);
    return [path, stored] as const;
  });
}

/**
 * Restores the entries that this push has written, as far as nobody has edited them since, and then the manifest: half a push
 * would keep back everyone's edits.
 *
 * @param complete the manifest of what was there, if none was
 */
async function isTakenBack(
  written: ReadonlyMap<string, string>,
  complete: string,
  { there, manifestVersion = 0 }: Push,
  { store, target }: Pick<Deployment, "store" | "target">,
): Promise<boolean> {
  try {
    for (const [path, text] of written) {
      const name = target.layout.sourceParameter(path);
      const [now] = await store.getParameters([name]);
      const before = storedOf(there, path);
      if (now?.value !== text) continue;
      if (before === undefined) await store.deleteParameters([name]);
      else await writeParameter(store, { name, text: before });
    }
    const name = target.layout.sourceParameter("manifest");
    const [before] = manifestVersion === 0 ? [] : await store.getParameters([`${name}:${manifestVersion}`]);
    await writeParameter(store, { name, text: before?.value ?? complete });
    return true;
  } catch (error) {
    ownError(error);
    return false;
  }
}

function storedOf(tree: SourceTree, path: string): string | undefined {
  const text = textAt(tree, path);
  return text === undefined ? undefined : storedOrOwn(path, text);
}

function tooLarge(path: string, text: string): OutriggerError {
  const size = Buffer.byteLength(text);
  const message = `Cannot push ${path}: it takes ${size} bytes, and a standard parameter holds ${MAX_VALUE.Standard}; make it shorter, move a part of it into a partial or another values file, or push it with --advanced, by which it becomes an advanced parameter: those cost money by the month and never become standard again`;
  return new OutriggerError("parameter-refused", message, { path });
}

/** Readings may be three seconds behind what was just written. */
const BEHIND = { pause: 500, tries: 7 };

async function requireTree(
  { store, target }: Pick<Deployment, "store" | "target">,
  digest: string,
  sleep: (milliseconds: number) => Promise<unknown>,
): Promise<void> {
  const isThere = async () => {
    const { tree, manifest } = await readSourceParameters(store, target.layout);
    return treeDigest(tree) === digest && manifest?.digest === digest;
  };
  if (await readUntil(isThere, (found) => found, { sleep, ...BEHIND })) return;
  const message = `Cannot complete the push to ${target.layout.source}: another writer changed it at the same time; nothing of it is published: run "outrigger pull" and "outrigger push" again`;
  throw new OutriggerError("tree-changed", message, { path: target.layout.source });
}
