// Looking up every image that a release injects, some at a time.
import type { Release, SourceTree } from "@outrigger/injector";
import { type InjectedName, injectedNames } from "./injected-names.ts";
import { type RegistryPorts, type ResolvedImage, resolveImage } from "./resolve-image.ts";

/** An image that is injected, and whether it exists. */
export interface VerifiedImage extends InjectedName {
  readonly found: ResolvedImage;
}

/** Images that are looked up, and how many at a time. */
const MOST = 50;
const AT_ONCE = 4;

/**
 * Looks up the images of releases in their registries, each once.
 *
 * @param layers the shipped tree and those over it: their samples are injected, and their lines named
 */
export async function verifyImages(
  releases: readonly Release[],
  layers: readonly SourceTree[],
  ports: RegistryPorts,
): Promise<readonly VerifiedImage[]> {
  const all = releases.flatMap((release) => injectedNames(release, layers).images);
  const names = [...new Map(all.map((named) => [named.name, named])).values()];
  const verified: VerifiedImage[] = [];
  const next = [...names.slice(0, MOST).entries()];
  const work = async () => {
    for (let item = next.shift(); item !== undefined; item = next.shift()) {
      const [index, named] = item;
      verified[index] = { ...named, found: await resolveImage(named.name, ports) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const why = `more than ${MOST} images are injected, and this one was not looked up`;
  return [...verified, ...names.slice(MOST).map((named) => ({ ...named, found: { kind: "unknown", why } as const }))];
}

/** `docker.io/istoi/proxyv2:1.31.1 (values/10-mine:1): Docker Hub shows no …` */
export function describeImage({ name, place, found }: VerifiedImage): string {
  const at = place === undefined ? "" : ` (${place})`;
  if (found.kind !== "found") return `${name}${at}: ${found.why}`;
  return found.digest === undefined || name.endsWith(found.digest) ? name : `${name}@${found.digest}`;
}
