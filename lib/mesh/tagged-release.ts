// Which minor release of Istio an image's tag names.

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
