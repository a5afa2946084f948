// `source/manifest`: how a push, which is many writes, marks its beginning and end, so that a tree in
// between is never published.
import { createHash } from "node:crypto";
import { type Parameter, readRecord, recordText } from "@outrigger/aws";
import { OutriggerError, objectOf } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";

/**
 * A push writes `pushing` with the digest of the tree to come, then the tree, then `complete`.
 *
 * | state      | the tree there is   | may be published                                        |
 * |------------|---------------------|---------------------------------------------------------|
 * | none       | any                 | yes: it was edited parameter by parameter               |
 * | `pushing`  | the announced one   | yes: all of the push is there but its last word         |
 * | `pushing`  | another             | no: part of the push is missing                         |
 * | `complete` | any                 | yes: what was edited since then is an edit like another |
 */
export interface Manifest {
  readonly state: "pushing" | "complete";
  /** treeDigest of what the push writes. */
  readonly digest: string;
  readonly by: string;
  /** The time of writing, ISO 8601, UTC. */
  readonly at: string;
  /** The purpose of the push, if it was said. */
  readonly why?: string;
}

/** The manifest as `source/manifest` keeps it. */
export function manifestText(manifest: Manifest): string {
  return recordText(manifest);
}

/** Throws `store-corrupt` for an invalid manifest, with the remedy: a push writes a new one. */
export function parseManifest(parameter: Parameter): Manifest {
  const value = readRecord(parameter);
  const { state, digest, by, at, why } = objectOf(value);
  const isState = state === "pushing" || state === "complete";
  if (isState && typeof digest === "string" && typeof by === "string" && typeof at === "string")
    return { state, digest, by, at, ...(typeof why === "string" ? { why } : {}) };
  const { name } = parameter;
  const message = `Cannot read ${name}: it must have a state, a digest, by and at; delete it, and push again`;
  throw new OutriggerError("store-corrupt", message, { path: name });
}

/** Throws `tree-half-pushed` if the manifest says that the tree is incomplete. */
export function checkManifest(manifest: Manifest | undefined, digest: string, name: string): void {
  if (manifest === undefined || manifest.state === "complete" || manifest.digest === digest) return;
  const message = `Cannot publish the source tree: a push by ${manifest.by}, begun at ${manifest.at}, is not complete; wait for it, or run "outrigger push" again`;
  throw new OutriggerError("tree-half-pushed", message, { path: name });
}

/** Milliseconds after which a push that is not complete is one that was given up. */
const PUSH_TIME = 10 * 60 * 1000;

/**
 * Whether a push has begun, not long ago, and is not complete. One whose tree is all there lacks only its last mark: it is
 * complete.
 *
 * @example
 * ```ts
 * isPushInProgress({ state: "pushing", digest: "a", by: "ann", at: "2026-01-01T00:00:00Z" }, "b", Date.parse("2026-01-01T00:05:00Z")) // => true
 * isPushInProgress({ state: "pushing", digest: "a", by: "ann", at: "2026-01-01T00:00:00Z" }, "b", Date.parse("2026-01-01T00:15:00Z")) // => false
 * isPushInProgress({ state: "pushing", digest: "a", by: "ann", at: "2026-01-01T00:00:00Z" }, "a", Date.parse("2026-01-01T00:05:00Z")) // => false
 * ```
 */
export function isPushInProgress(manifest: Manifest | undefined, tree: string, now: number): boolean {
  return manifest?.state === "pushing" && manifest.digest !== tree && now - Date.parse(manifest.at) < PUSH_TIME;
}

/**
 * The first 32 hexadecimal digits of the SHA-256 of the tree's texts by path, as they are in files. The manifest does not
 * count: it holds this digest.
 *
 * @example
 * ```ts
 * treeDigest({ mesh: "a" }).length // => 32
 * treeDigest({ mesh: "a" }) === treeDigest({ mesh: "a", manifest: "x" }) // => true
 * ```
 */
export function treeDigest(tree: SourceTree): string {
  const entries = Object.entries(tree).filter(([path]) => path !== "manifest");
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 32);
}
