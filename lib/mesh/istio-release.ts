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
