// What an image's name says: the registry that has it, the repository, and a tag or digest. Pure.

export interface ImageReference {
  /** The host that is asked, with its port: `registry-1.docker.io`. */
  readonly host: string;
  /** `istio/proxyv2` */
  readonly repository: string;
  /** A tag, or `sha256:…`, which wins. */
  readonly reference: string;
}

const DOCKER_HUB = "registry-1.docker.io";

const REPOSITORY = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;

/**
 * The parts of an image's name, as container runtimes read it; undefined for a name that none of them takes.
 *
 * @example
 * ```ts
 * parseImage("docker.io/istio/proxyv2:1.31.1")?.host // => "registry-1.docker.io"
 * parseImage("busybox")?.repository // => "library/busybox"
 * parseImage("Not An Image") // => undefined
 * ```
 */
export function parseImage(image: string): ImageReference | undefined {
  const [withTag, digest] = splitAt(image, image.indexOf("@"));
  const colon = withTag.lastIndexOf(":");
  const [named, tag] = splitAt(withTag, colon > withTag.lastIndexOf("/") ? colon : -1);
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  const [first = "", ...rest] = named.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = hasHost ? rest.join("/") : named;
  const isHub = !hasHost || first === "docker.io" || first === "index.docker.io";
  const repository = isHub && !path.includes("/") ? `library/${path}` : path;
  if (!REPOSITORY.test(repository) || repository.length > 255) return undefined;
  const host = isHub ? DOCKER_HUB : first.toLowerCase();
  if (!/^[a-z0-9.-]+(?::\d{1,5})?$/.test(host)) return undefined;
  return { host, repository, reference: digest ?? tag ?? "latest" };
}

/** What is before a place, and after it where there is one. */
function splitAt(text: string, at: number): readonly [string, string | undefined] {
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Docker Hub says "unauthorized" of what does not exist, as of what is private. */
export function isDockerHub({ host }: ImageReference): boolean {
  return host === DOCKER_HUB;
}

/** The Region of a private registry in Amazon ECR; undefined for any other. */
export function ecrRegion({ host }: Pick<ImageReference, "host">): string | undefined {
  return /^\d{12}\.dkr[.-]ecr(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|on\.aws)$/.exec(host)?.[1];
}
