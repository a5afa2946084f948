// How far the proxies' release may be from istiod's.

import { taggedMinor } from "./istio-release.ts";

/** The result of comparing the release of the proxies with that of the control plane. */
export interface Skew {
  /** `unknown` means that the version names no release, like that of a custom build. */
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
