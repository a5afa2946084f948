// The Istio releases whose injection Outrigger reproduces, oldest first. `development` is Istio's development line, after all
// of them. And how a release goes together with a control plane's.

/** The releases, oldest first. */
export const ISTIO_RELEASES = ["1.28", "1.29", "1.30", "1.31", "development"] as const;

/** The value of `istio` in the config: a minor release, or Istio's development line. */
export type IstioRelease = (typeof ISTIO_RELEASES)[number];

/** Whether a value is the name of a release that is reproduced. */
export function isIstioRelease(text: unknown): text is IstioRelease {
  return ISTIO_RELEASES.some((release) => release === text);
}

/**
 * Whether a release, the development line where none is named, is `first` or a later one.
 *
 * @example
 * ```ts
 * isSince("1.30", "1.30") // => true
 * isSince("1.30", "1.29") // => false
 * isSince("1.30", "development") // => true
 * ```
 */
export function isSince(first: IstioRelease, release: IstioRelease = "development"): boolean {
  return ISTIO_RELEASES.indexOf(release) >= ISTIO_RELEASES.indexOf(first);
}

/**
 * 30 of `1.30.2`, `1.30-distroless` and `v1.30.0-rc.1`; undefined for the tag of a build that is named otherwise.
 *
 * @example
 * ```ts
 * taggedMinor("1.29.2-distroless") // => 29
 * taggedMinor("nightly") // => undefined
 * ```
 */
export function taggedMinor(tag: string): number | undefined {
  const digits = /^v?1\.(\d{1,3})(?:[.-]|$)/.exec(tag)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** How proxies and a control plane of different releases go together. */
export interface Skew {
  /** `unknown`: the version says no release, as that of a build of one's own. */
  readonly kind: "none" | "supported" | "proxies-ahead" | "proxies-behind" | "unknown";
  /** One sentence, and what to do where something is to be done. */
  readonly message: string;
}

/**
 * Compares the release that is injected with the version of a cluster's istiod, `1.30.2` or the tag of its image.
 *
 * @param release `1.30`, the tag of a proxy's image, or `development`
 * @example
 * ```ts
 * describeSkew("1.30", "1.30.2").kind // => "none"
 * describeSkew("1.29", "1.30.2-distroless").kind // => "supported"
 * describeSkew("1.31", "1.30.2").kind // => "proxies-ahead"
 * describeSkew("1.28", "1.30.2").kind // => "proxies-behind"
 * ```
 */
export function describeSkew(release: string, istiodVersion: string): Skew {
  const istiodMinor = taggedMinor(istiodVersion.trim());
  if (istiodMinor === undefined) {
    const message = `istiod's version ${JSON.stringify(istiodVersion)} names no release; compare it with ${release} yourself`;
    return { kind: "unknown", message };
  }
  const istiod = `1.${istiodMinor}`;
  if (release === "development") {
    const message = `Templates of Istio's development line are injected, and istiod is ${istiod}: set istio: "${istiod}" in config.yaml unless you test that line`;
    return { kind: "proxies-ahead", message };
  }
  const minor = taggedMinor(release.trim());
  if (minor === undefined) {
    const message = `The proxies' version ${JSON.stringify(release)} names no release; compare it with istiod ${istiod} yourself`;
    return { kind: "unknown", message };
  }
  const proxies = `1.${minor}`;
  const ahead = minor - istiodMinor;
  if (ahead === 0) return { kind: "none", message: `Proxies and istiod are of Istio ${proxies}` };
  if (ahead > 0) {
    const message = `Proxies of Istio ${proxies} are ahead of istiod ${istiod}, which Istio does not support: upgrade istiod first, or set istio: "${istiod}" in config.yaml`;
    return { kind: "proxies-ahead", message };
  }
  if (ahead === -1) {
    const message = `Proxies of Istio ${proxies} are one release behind istiod ${istiod}, which Istio supports: move the channel to ${istiod} next`;
    return { kind: "supported", message };
  }
  const message = `Proxies of Istio ${proxies} are ${-ahead} releases behind istiod ${istiod}, and Istio supports one: upgrade them one release at a time`;
  return { kind: "proxies-behind", message };
}
