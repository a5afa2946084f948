// Whether an image exists: its manifest is asked for, by the OCI distribution API, with the token that the registry gives to anonymous
// callers, or into private ones of Amazon ECR with the rights of the caller. Nobody vouches for a registry: requests are bounded in time and
// size, over TLS, and carry credentials for the host that they are for alone. Reads only, and no image is pulled.
import type { LambdaClient } from "@aws-sdk/client-lambda";
import { httpCall } from "@outrigger/aws";
import { defined, isOwnError, OutriggerError, objectOf, parseJson } from "@outrigger/base";
import { ecrAuthorization } from "../aws/ecr-token.ts";
import { type AgentFor, exchangeProblem } from "../kube/http-exchange.ts";

export type ResolvedImage =
  | { readonly kind: "found"; readonly digest?: string }
  /** No such repository or tag, or an invalid name. */
  | { readonly kind: "missing"; readonly why: string }
  /** The registry cannot be asked, or not without credentials. */
  | { readonly kind: "unknown"; readonly why: string };

export interface RegistryPorts {
  readonly agentFor?: AgentFor | undefined;
  /** Returns the `Authorization` for a private registry, or undefined for a public one. */
  readonly authorizationFor?: (image: ImageReference) => Promise<string | undefined>;
  /** The longest time that one image may take, with tokens and redirects. */
  readonly timeoutMilliseconds?: number;
}

const TIMEOUT = 15_000;

const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** @throws nothing that a registry causes */
export async function resolveImage(name: string, ports: RegistryPorts): Promise<ResolvedImage> {
  const image = parseImage(name);
  if (image === undefined) return { kind: "missing", why: "it is not a name of an image" };
  const signal = AbortSignal.timeout(ports.timeoutMilliseconds ?? TIMEOUT);
  try {
    return judge(image, await askFor(image, signal, ports));
  } catch (error) {
    const why = isOwnError(error) ? error.message : `${image.host}: ${exchangeProblem(error)}`;
    return { kind: "unknown", why };
  }
}

async function askFor(image: ImageReference, signal: AbortSignal, ports: RegistryPorts): Promise<RegistryAnswer> {
  const { agentFor, authorizationFor } = ports;
  const own = await authorizationFor?.(image);
  const asked = { method: "HEAD", accept: MANIFESTS, signal, agentFor } as const;
  const place = `${image.host}/v2/${image.repository}/manifests/${image.reference}`;
  const secure = new URL(`https://${place}`);
  // A registry on this machine may be without TLS, as container runtimes allow it.
  const url = isLoopback(secure) ? new URL(`http://${place}`) : secure;
  const answer = await registryExchange(url, { ...asked, ...defined({ authorization: own }) });
  const challenge = own === undefined && answer.status === 401 ? challengeOf(answer) : undefined;
  if (challenge === undefined) return answer;
  const token = await anonymousToken(challenge, image, signal, agentFor);
  return registryExchange(answer.url, { ...asked, authorization: `Bearer ${token}` });
}

/** `Bearer realm="https://…",service="…",scope="…"`; undefined for another scheme. */
function challengeOf({ headers, url }: RegistryAnswer) {
  const text = headers["www-authenticate"] ?? "";
  if (!/^bearer /i.test(text) || text.length > 4096) return undefined;
  const said = new Map(
    [...text.matchAll(/\b(realm|service|scope)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const realm = said.get("realm");
  if (realm === undefined) return undefined;
  return { realm: followTo(realm, url), service: said.get("service"), scope: said.get("scope") };
}

/** Asked for without credentials: the giver of tokens learns nothing but the image's name. */
async function anonymousToken(
  { realm, service, scope }: NonNullable<ReturnType<typeof challengeOf>>,
  { repository }: ImageReference,
  signal: AbortSignal,
  agentFor: RegistryPorts["agentFor"],
): Promise<string> {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set("service", service);
  url.searchParams.set("scope", scope ?? `repository:${repository}:pull`);
  const { status, body } = await registryExchange(url, { method: "GET", accept: "application/json", signal, agentFor });
  const { token, access_token } = status === 200 ? objectOf(parseJson(body)) : {};
  const given = [token, access_token].find((each) => typeof each === "string" && /^[\x21-\x7e]{1,65536}$/.test(each));
  if (typeof given === "string") return given;
  throw new OutriggerError("endpoint-unfit", `${url.host} gives no token to read it without credentials (${status})`);
}

function judge(image: ImageReference, { status, headers, url }: RegistryAnswer): ResolvedImage {
  const { repository, reference } = image;
  if (status === 200) {
    const digest = [reference, headers["docker-content-digest"]].find(
      (each) => typeof each === "string" && /^sha256:[0-9a-f]{64}$/.test(each),
    );
    return { kind: "found", ...(typeof digest === "string" && { digest }) };
  }
  if (status === 404) return { kind: "missing", why: `${url.host} has no ${repository} with ${reference}` };
  if (status === 429) return { kind: "unknown", why: `${url.host} answers that it was asked too often` };
  if (status !== 401 && status !== 403) return { kind: "unknown", why: `${url.host} answers HTTP ${status}` };
  // It says "unauthorized" of what does not exist, as of what is private.
  if (image.host === DOCKER_HUB)
    return { kind: "missing", why: `Docker Hub shows no ${repository} without credentials` };
  return { kind: "unknown", why: `${url.host} does not show ${repository} without credentials` };
}

interface RegistryRequest {
  readonly method: "GET" | "HEAD";
  readonly accept: string;
  /** The header that authorizes at the URL's host, and at no host that it redirects to. */
  readonly authorization?: string;
  /** Gives the request up, with its redirects. */
  readonly signal: AbortSignal;
  readonly agentFor?: AgentFor | undefined;
}

type RegistryAnswer = Awaited<ReturnType<typeof exchange>>;

const MOST_REDIRECTS = 5;

/** A token's answer has some kilobytes. */
const MAX_BODY = 256 * 1024;

/**
 * Sends a request, and follows redirects.
 *
 * @throws OutriggerError `endpoint-unfit` where a redirect leads to no HTTPS URL, or too many do, or an answer is too large; Node's
 * own errors otherwise
 */
async function registryExchange(url: URL, request: RegistryRequest): Promise<RegistryAnswer> {
  let at = url;
  for (let followed = 0; followed <= MOST_REDIRECTS; followed++) {
    const { authorization, ...rest } = request;
    const isOwn = at.host === url.host && at.protocol === url.protocol;
    const answer = await exchange(at, { ...rest, ...(isOwn && defined({ authorization })) });
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
    at = followTo(location, at);
  }
  throw new OutriggerError("endpoint-unfit", `${url.host} redirects more than ${MOST_REDIRECTS} times`);
}

/**
 * The URL that a registry sends its client to.
 *
 * @throws OutriggerError `endpoint-unfit` where it is not HTTPS, except within this machine
 */
export function followTo(location: string, from: URL): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const isLocal = to !== undefined && isLoopback(to) && isLoopback(from);
  const isSafe = to?.protocol === "https:" && (!isLoopback(to) || isLocal);
  if (to !== undefined && to.username === "" && (isSafe || (isLocal && to.protocol === "http:"))) return to;
  throw new OutriggerError("endpoint-unfit", `${from.host} sends its clients to what is no HTTPS URL of a registry`);
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

async function exchange(url: URL, { method, accept, authorization, signal, agentFor }: RegistryRequest) {
  const headers = { accept, "user-agent": "outrigger", ...defined({ authorization }) };
  const answer = await httpCall(url, { method, headers, signal, agent: agentFor?.(url.href), limit: MAX_BODY });
  const { bytes } = answer;
  // `url` is who answered; the body of an answer to HEAD is empty.
  if (bytes !== undefined) return { ...answer, body: bytes.toString("utf8"), url };
  throw new OutriggerError("endpoint-unfit", `${url.host} answers more than ${MAX_BODY} bytes`);
}

export interface RegistryAccess {
  /** Makes the AWS client whose credentials ECR is asked with, when it is needed. */
  readonly client: () => Promise<Pick<LambdaClient, "config">>;
  /** The endpoint to ask in place of ECR's own API. */
  readonly ecrEndpoint?: string | undefined;
  readonly agentFor?: AgentFor | undefined;
}

/** A Region of ECR is asked for a token once. */
export function registryPorts({ client, ecrEndpoint: endpoint, agentFor }: RegistryAccess): RegistryPorts {
  const tokens = new Map<string, Promise<string>>();
  const askFor = async (region: string) => ecrAuthorization(await client(), region, endpoint, agentFor);
  return {
    agentFor,
    authorizationFor: async (image) => {
      const region = ecrRegion(image);
      if (region === undefined) return undefined;
      const token = tokens.get(region) ?? askFor(region);
      tokens.set(region, token);
      return token;
    },
  };
}

interface ImageReference {
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

/** Splits a text at a place: what is before it and, where there is one, what is after it. */
function splitAt(text: string, at: number): readonly [string, string | undefined] {
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The Region of a private registry in Amazon ECR; undefined for any other. */
export function ecrRegion({ host }: Pick<ImageReference, "host">): string | undefined {
  return /^\d{12}\.dkr[.-]ecr(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|on\.aws)$/.exec(host)?.[1];
}
