// The Istio releases whose injection Outrigger reproduces, oldest first. `development` is Istio's development line, after all
// of them.

export const ISTIO_RELEASES = ["1.28", "1.29", "1.30", "1.31", "development"] as const;

export type IstioRelease = (typeof ISTIO_RELEASES)[number];

/** The newest patch of each release whose templates were compared. `development` has no images of its own. */
export const NEWEST_PATCH: Readonly<Record<IstioRelease, string>> = {
  "1.28": "1.28.10",
  "1.29": "1.29.6",
  "1.30": "1.30.3",
  "1.31": "1.31.0",
  development: "1.31.0",
};

export function isIstioRelease(text: unknown): text is IstioRelease {
  return ISTIO_RELEASES.some((release) => release === text);
}

/**
 * Whether a release is `first` or a later one.
 *
 * @example
 * ```ts
 * isSince("1.30", "1.30") // => true
 * isSince("1.30", "1.29") // => false
 * isSince("1.30", "development") // => true
 * ```
 */
export function isSince(first: IstioRelease, release: IstioRelease): boolean {
  return ISTIO_RELEASES.indexOf(release) >= ISTIO_RELEASES.indexOf(first);
}
