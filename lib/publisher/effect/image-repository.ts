// Where an image comes from, and whether that looks like a slip of the keyboard. Pure.
import { nearestName } from "@outrigger/base";

/** Where Istio's images are published. */
const WELL_KNOWN = [
  "registry.istio.io/release",
  "registry.istio.io/testing",
  "docker.io/istio",
  "gcr.io/istio-release",
];

/** More edits than a slip makes. */
const SLIP = 2;

/**
 * Where an image comes from: its registry and path, without the last name, tag and digest.
 *
 * @example
 * ```ts
 * repositoryOf("registry.example:5000/istio/proxyv2:1.31.0@sha256:00") // => "registry.example:5000/istio"
 * repositoryOf("busybox") // => ""
 * ```
 */
export function repositoryOf(image: string): string {
  const [name = ""] = image.split("@");
  return name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
}

/**
 * The repository that is probably meant, where one differs from it by a slip: from what is served now, or from where Istio's images
 * are published.
 *
 * @example
 * ```ts
 * meantRepository("docker.io/istoi", "registry.example/istio") // => "docker.io/istio"
 * meantRepository("registry.example/mesh", "registry.example/istio") // => undefined
 * ```
 */
export function meantRepository(repository: string, served: string): string | undefined {
  if (repository === "" || WELL_KNOWN.includes(repository)) return undefined;
  const near = nearestName(repository, served === "" ? WELL_KNOWN : [served, ...WELL_KNOWN], SLIP);
  // A longer path is no slip.
  return near === undefined || Math.abs(near.length - repository.length) > SLIP ? undefined : near;
}
