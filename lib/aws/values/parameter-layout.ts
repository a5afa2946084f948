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
 * layoutOf("/mesh/dev").snapshot("1f2e") // => "mesh/dev/objects/1f2e"
 * ```
 */
export function layoutOf(prefix: string) {
  return {
    prefix,
    /** Everything that people edit is below it. */
    source: `${prefix}/source`,
    /** `config`, `values/00-default`, `templates/sidecar`, `manifest`: as in a SourceTree. */
    sourceParameter: (path: string) => `${prefix}/source/${path}`,
    channels: `${prefix}/channels`,
    channel: (name: string) => `${prefix}/channels/${name}`,
    clusters: `${prefix}/clusters`,
    cluster: (name: string) => `${prefix}/clusters/${name}`,
    head: `${prefix}/serve/head`,
    /** The order of changes: below the publisher's own `serve/`. */
    changes: `${prefix}/serve/changes`,
    change: (number: number) => `${prefix}/serve/changes/${String(number).padStart(12, "0")}`,
    /** Held by the one call that waits for edits to stop. */
    editTurn: `${prefix}/serve/edit-turn`,
    /** The parameter with what the last look at all records has found settled. */
    settled: `${prefix}/serve/settled`,
    /** The number of the last change that an event was sent for. */
    announced: `${prefix}/serve/announced`,
    mirrorPart: (index: number) => `${prefix}/serve/${index}`,
    /** Keys in the bucket: this one and the next end with a slash. */
    objects: `${prefix.slice(1)}/objects/`,
    releases: `${prefix.slice(1)}/objects/releases/`,
    /** A release, and how it came about. */
    release: (digest: string) => `${prefix.slice(1)}/objects/releases/${digest}`,
    snapshot: (digest: string) => `${prefix.slice(1)}/objects/${digest}`,
    /** What `serve/head` says, for when Parameter Store cannot be read. */
    bucketHead: `${prefix.slice(1)}/objects/head`,
  } as const;
}
