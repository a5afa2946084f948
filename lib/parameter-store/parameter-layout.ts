// Owns the names of parameters: what stands where below the prefix. Knows nothing of what the values say.

/** Names below one prefix, `/outrigger/<stage>` (no slash at its end). */
export interface Layout {
  readonly prefix: string;
  /** Everything that people edit is below it. */
  readonly source: string;
  /** `config`, `values/00-default`, `templates/sidecar`, `manifest`: as in a SourceTree. */
  readonly sourceParameter: (path: string) => string;
  readonly releases: string;
  readonly releasePart: (digest: string, index: number) => string;
  /** Beside a release's parts: who made it, when, why, and from what. */
  readonly releaseOrigin: (digest: string) => string;
  readonly channels: string;
  readonly channel: (name: string) => string;
  readonly clusters: string;
  readonly cluster: (name: string) => string;
  readonly images: string;
  readonly snapshotPart: (digest: string, index: number) => string;
  readonly head: string;
  readonly mirrorPart: (index: number) => string;
}

/** The most parts of an image: with the head, one call's ten names. */
export const MAX_PARTS = 9;

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
    images: `${prefix}/images`,
    snapshotPart: (digest, index) => `${prefix}/images/${digest}/${index}`,
    head: `${prefix}/serve/head`,
    mirrorPart: (index) => `${prefix}/serve/${index}`,
  };
}
