// The names of parameters and objects: what is stored where below the prefix. Knows nothing about the values.

/** Names below one prefix, `/outrigger/<stage>` (no slash at its end). */
export type Layout = ReturnType<typeof layoutOf>;

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
export function layoutOf(prefix: string) {
  return {
    prefix,
    /** Everything that people edit is below it. */
    source: `${prefix}/source`,
    /** `config`, `values/00-default`, `templates/sidecar`, `manifest`: as in a SourceTree. */
    sourceParameter: (path: string) => `${prefix}/source/${path}`,
    releases: `${prefix}/releases`,
    releasePart: (digest: string, index: number) => `${prefix}/releases/${digest}/${index}`,
    /** Next to a release's parts: who made it, when, why, and from what. */
    releaseOrigin: (digest: string) => `${prefix}/releases/${digest}/origin`,
    channels: `${prefix}/channels`,
    channel: (name: string) => `${prefix}/channels/${name}`,
    clusters: `${prefix}/clusters`,
    cluster: (name: string) => `${prefix}/clusters/${name}`,
    snapshots: `${prefix}/images`,
    snapshotPart: (digest: string, index: number) => `${prefix}/images/${digest}/${index}`,
    head: `${prefix}/serve/head`,
    /** The order of changes: below the publisher's own `serve/`. */
    changes: `${prefix}/serve/changes`,
    change: (number: number) => `${prefix}/serve/changes/${String(number).padStart(12, "0")}`,
    /** Held by the one call that waits for edits to stop. */
    editTurn: `${prefix}/serve/edit-turn`,
    /** The parameter with what the last look at all records has found settled. */
    settled: `${prefix}/serve/settled`,
    mirrorPart: (index: number) => `${prefix}/serve/${index}`,
    /** Keys in the release bucket, with a slash at the end: what is too large for parameters. */
    objects: `${prefix.slice(1)}/objects/`,
    object: (digest: string) => `${prefix.slice(1)}/objects/${digest}`,
  } as const;
}
