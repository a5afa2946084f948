// Owns writing a tree to the deployment: what is carried over, and the order of writes by which a push that ends half-way
// is never published.
import { OutriggerError } from "../../lib/errors.ts";
import { MAX_NAMES, type ParameterStore, type Tier } from "../../lib/parameter-store/parameter-store.ts";
import { MAX_VALUE } from "../../lib/parameter-store/parts.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import { type Manifest, manifestText } from "../../lib/source/push-manifest.ts";
import { readSourceParameters } from "../../lib/source/source-parameters.ts";
import { treeDigest } from "../../lib/source/tree-digest.ts";
import type { Deployment } from "../deployment.ts";
import { storedText } from "./stored-text.ts";
import { textAt } from "./three-way.ts";

export interface Push {
  /** What the store has in the end. */
  readonly tree: SourceTree;
  /** Entries that are written, or deleted where the tree has them not. */
  readonly paths: readonly string[];
  readonly by: string;
  /** What it is for, where that was said. */
  readonly why?: string;
  readonly now: () => Date;
  readonly report: (text: string) => void;
}

/**
 * Writes a tree: the manifest that announces it, the entries, and the manifest that says that it is complete. If it is
 * interrupted, a publish refuses the incomplete tree, and pushing again completes it.
 *
 * @returns the tree's digest
 * @throws OutriggerError `parameter-refused` for a text that no parameter holds, before anything is written;
 * `tree-changed` where others wrote at the same time
 */
export async function pushTree(deployment: Pick<Deployment, "store" | "target">, push: Push): Promise<string> {
  const { store, target } = deployment;
  const { tree, paths, by, why, now, report } = push;
  const digest = treeDigest(tree);
  const stored = paths.map((path) => {
    const text = textAt(tree, path);
    return [path, text === undefined ? undefined : storedText(path, text)] as const;
  });
  const manifest = (state: Manifest["state"]) => ({
    name: target.layout.sourceParameter("manifest"),
    text: manifestText({ state, digest, by, at: now().toISOString(), ...(why !== undefined && { why }) }),
  });
  await write(store, manifest("pushing"));
  for (const [index, [path, text]] of stored.entries()) {
    if (text === undefined) continue;
    report(`Writing ${path} (${index + 1} of ${stored.length})`);
    await write(store, { name: target.layout.sourceParameter(path), text });
  }
  const gone = stored.flatMap(([path, text]) => (text === undefined ? [target.layout.sourceParameter(path)] : []));
  for (let index = 0; index < gone.length; index += MAX_NAMES) {
    report(`Deleting ${gone.length}`);
    await store.deleteParameters(gone.slice(index, index + MAX_NAMES));
  }
  report("Checking what was written");
  await requireTree(deployment, digest);
  await write(store, manifest("complete"));
  return digest;
}

/** On the standard tier wherever it will do. A parameter that is on the advanced one cannot go back, and stays there. */
async function write(store: ParameterStore, { name, text }: { readonly name: string; readonly text: string }) {
  const put = (tier: Tier) => store.putParameter({ name, value: text, overwrite: true, tier });
  if (new TextEncoder().encode(text).length > MAX_VALUE.Standard) return put("Advanced");
  try {
    return await put("Standard");
  } catch (error) {
    if (!(error instanceof OutriggerError) || error.code !== "parameter-refused") throw error;
    return put("Advanced");
  }
}

async function requireTree({ store, target }: Pick<Deployment, "store" | "target">, digest: string): Promise<void> {
  const { tree, manifest } = await readSourceParameters(store, target.layout);
  if (treeDigest(tree) === digest && manifest?.digest === digest) return;
  throw new OutriggerError(
    "tree-changed",
    `Cannot complete the push to ${target.layout.source}: another writer changed it at the same time; nothing of it is published: run "outrigger pull" and "outrigger push" again`,
    { path: target.layout.source },
  );
}
