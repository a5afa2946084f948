// The names of parameters and objects: what is stored where below the prefix. Knows nothing about the values.

/** Names below one prefix, `/outrigger/<stage>` (no slash at its end). */
export interface Layout {
  readonly prefix: string;
  /** Everything that people edit is below it. */
  readonly source: string;
  /** `config`, `values/00-default`, `templates/sidecar`, `manifest`: as in a SourceTree. */
  readonly sourceParameter: (path: string) => string;
  readonly releases: string;
  readonly releasePart: (digest: string, index: number) => string;
  /** Next to a release's parts: who made it, when, why, and from what. */
  readonly releaseOrigin: (digest: string) => string;
  readonly channels: string;
  readonly channel: (name: string) => string;
  readonly clusters: string;
  readonly cluster: (name: string) => string;
  readonly snapshots: string;
  readonly snapshotPart: (digest: string, index: number) => string;
  readonly head: string;
  /** The order of changes: below the publisher's own `serve/`. */
  readonly changes: string;
  readonly change: (number: number) => string;
  /** Held by the one call that waits for edits to stop. */
  readonly editTurn: string;
  /** What the last look at all records has found settled. */
  readonly settled: string;
  readonly mirrorPart: (index: number) => string;
  /** Keys in the release bucket, with a slash at the end: what is too large for parameters. */
  readonly objects: string;
  readonly object: (digest: string) => string;
}

/** The most parts of a snapshot: with the head, one call's ten names. */
export const MAX_PARTS = 9;

/**
 * The names below a prefix.
 *
 * @example
 * ```ts
 * layoutOf("/outrigger/dev").head // => "/outrigger/dev/serve/head"
 * layoutOf("/outrigger/dev").snapshotPart("1f2e", 0) // => "/outrigger/dev/images/1f2e/0"
 * ```
 */
export function layoutOf(prefix: string): Layout {
  return {
    prefix,
    source: `${prefix}/source`,
    sourceParameter: (path) => `${prefix}/source/${path}`,
    releases: `${prefix}/releases`,
    releasePart: (digest, index) => `${prefix}/releases/${digest}/${index}`,
    releaseOrigin: (digest) => `${prefix}/releases/${digest}/origin`,
    channels: `${prefix}/channels`,
    channel: (name) => `${prefix}/channels/${name}`,
    clusters: `${prefix}/clusters`,
    cluster: (name) => `${prefix}/clusters/${name}`,
    snapshots: `${prefix}/images`,
    snapshotPart: (digest, index) => `${prefix}/images/${digest}/${index}`,
    head: `${prefix}/serve/head`,
    changes: `${prefix}/serve/changes`,
    change: (number) => `${prefix}/serve/changes/${String(number).padStart(12, "0")}`,
    editTurn: `${prefix}/serve/edit-turn`,
    settled: `${prefix}/serve/settled`,
    mirrorPart: (index) => `${prefix}/serve/${index}`,
    objects: `${prefix.slice(1)}/objects/`,
    object: (digest) => `${prefix.slice(1)}/objects/${digest}`,
  };
}
