// Looking up every image that a release injects, some at a time.
import { describeName, type InjectedName } from "./injected-names.ts";
import { type RegistryPorts, type ResolvedImage, resolveImage } from "./resolve-image.ts";

/** An image that is injected, and whether it exists. */
export interface VerifiedImage extends InjectedName {
  readonly found: ResolvedImage;
}

/** Images that are looked up, and how many at a time. */
const MOST = 50;
const AT_ONCE = 4;

/** Looks up images in their registries. */
export async function verifyImages(
  names: readonly InjectedName[],
  ports: RegistryPorts,
): Promise<readonly VerifiedImage[]> {
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
export function describeImage(image: VerifiedImage): string {
  const { name, found } = image;
  if (found.kind !== "found") return describeName(image, found.why);
  return found.digest === undefined || name.endsWith(found.digest) ? name : `${name}@${found.digest}`;
}
