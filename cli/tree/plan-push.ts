// What a push comes to before anything is written: what is carried over, what others have changed, and whether
// the result is a tree that can be published.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import { lintSource, type SourceTree } from "@outrigger/injector";
import { readSettledSource, treeDigest } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { treeDiff } from "../terminal/text-diff.ts";
import { readBase, requireNotEmptied } from "./base-file.ts";
import { threeWay } from "./three-way.ts";
import { describeSize, treeSize } from "./tree-size.ts";

type SourceSnapshot = Awaited<ReturnType<typeof readSettledSource>>;

export interface PushQuestion {
  readonly deployment: Deployment;
  /** Absolute. */
  readonly directory: string;
  readonly tree: SourceTree;
  readonly shipped: SourceTree;
  /** The store becomes what the directory is, whatever it has. */
  readonly force: boolean;
  /**
   * The directory is the only truth, as a checkout in a pipeline is: it replaces whatever was pushed before, and must not
   * replace what was edited since.
   */
  readonly isTruth: boolean;
  /** A timer where it is left out. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

export type PushPlan = Awaited<ReturnType<typeof planPush>>;

/**
 * Plans a push. Conflicts are for the caller to refuse: where there are any, the diff is of these, and otherwise of what is carried over.
 *
 * @throws OutriggerError `tree-half-pushed` where another push is in progress
 */
export async function planPush(question: PushQuestion) {
  const { deployment, directory, tree, shipped, force, isTruth } = question;
  const seen = isTruth ? { base: {}, manifestVersion: 0 } : await readBase(directory, deployment);
  const { base } = seen;
  const store = await readStore(question, seen);
  if (!force) requireNotEmptied(store.tree, base, "push", deployment, "write all of your files there with --force");
  const merge = threeWay(tree, store.tree, base, force || (isTruth && isUntouched(store, tree)));
  if (!force) await requireNoOtherPush(store, merge.result, deployment);
  if (isTruth && !force) requireFiles(tree, store.tree, deployment);
  const conflicts = isTruth ? [...merge.conflicts, ...merge.kept].sort() : merge.conflicts;
  const paths = conflicts.length > 0 ? conflicts : merge.carried;
  const diff = treeDiff({ name: "source", tree: store.tree }, { name: "yours", tree }, paths);
  const { findings, release } = lintSource([shipped, merge.result]);
  // An earlier push was broken off, or damaged: its last word is missing, if nothing else.
  const isHalfPushed = store.manifest?.state === "pushing" || store.isManifestDamaged;
  return {
    ...merge,
    stored: store.tree,
    conflicts,
    diff,
    isHalfPushed,
    findings,
    // Undefined where the resulting tree cannot be compiled.
    size: release && describeSize(treeSize(release, merge.result), merge.result),
    // Undefined where whatever is there is replaced.
    manifestVersion: force ? undefined : store.manifestVersion,
  };
}

/** A directory without a tree is a wrong path more often than it is meant. */
function requireFiles(tree: SourceTree, stored: SourceTree, { target }: Deployment): void {
  const paths = Object.keys(stored);
  if (Object.keys(tree).length > 0 || paths.length === 0) return;
  const named = `${paths.slice(0, 5).join(", ")}${paths.length > 5 ? `, and ${paths.length - 5} more` : ""}`;
  const message = `Cannot publish the directory: it holds no source tree, and ${target.layout.source} would be emptied (${named}); name the right directory, or use --force`;
  throw new OutriggerError("tree-changed", message, { path: target.layout.source });
}

/** Reads the tree that is overwritten: it need not be understood. */
async function readStore(
  { deployment: { store, target }, force, sleep }: PushQuestion,
  { base, manifestVersion }: Awaited<ReturnType<typeof readBase>>,
): Promise<SourceSnapshot> {
  const { source } = target.layout;
  const expected = force ? { paths: [], manifestVersion: 0 } : { paths: Object.keys(base), manifestVersion };
  try {
    return await readSettledSource(store, target.layout, { isReplaced: force, expected, ...defined({ sleep }) });
  } catch (error) {
    const { code, message, path = source } = ownError(error, "tree-invalid", "tag-unclosed", "store-corrupt");
    throw new OutriggerError(code, `${message}; or overwrite it with --force`, { path, cause: error });
  }
}

/** Whether the store has what was pushed last, or part of this very push. */
function isUntouched({ tree, manifest }: SourceSnapshot, pushed: SourceTree): boolean {
  if (manifest?.state === "pushing" && manifest.digest === treeDigest(pushed)) return true;
  return treeDigest(tree) === (manifest?.digest ?? treeDigest({}));
}

/** A push of one's own that was broken off is taken up again. */
async function requireNoOtherPush({ tree, manifest }: SourceSnapshot, result: SourceTree, deployment: Deployment) {
  const isWhole = manifest?.state !== "pushing" || treeDigest(tree) === manifest.digest;
  if (isWhole || treeDigest(result) === manifest.digest || manifest.by === (await deployment.caller())) return;
  const message = `Cannot push: a push by ${manifest.by}, begun at ${manifest.at}, is not complete; wait for it, or push with --force if it was broken off`;
  throw new OutriggerError("tree-half-pushed", message, { path: deployment.target.layout.sourceParameter("manifest") });
}
