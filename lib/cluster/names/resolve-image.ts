// Whether an image exists: its manifest is asked for, by the OCI distribution API, with the token that the registry gives to
// anonymous callers. Reads only, and no image is pulled.
import { defined, OutriggerError, objectOf } from "@outrigger/base";
import { type AgentFor, exchangeProblem } from "../kube/http-exchange.ts";
import { type ImageReference, isDockerHub, parseImage } from "./image-reference.ts";
import { followTo, type RegistryAnswer, registryExchange, registryUrl } from "./registry-exchange.ts";

/** What is known of an image. */
export type ResolvedImage =
  | { readonly kind: "found"; readonly digest?: string }
  /** No such repository or tag, or an invalid name. */
  | { readonly kind: "missing"; readonly why: string }
  /** The registry cannot be asked, or not without credentials. */
  | { readonly kind: "unknown"; readonly why: string };

export interface RegistryPorts {
  /** The way to a registry through a proxy. */
  readonly agentFor?: AgentFor | undefined;
  /** What a registry of one's own takes in `Authorization`; undefined for a public one. */
  readonly authorizationFor?: (image: ImageReference) => Promise<string | undefined>;
  /** For one image, with tokens and redirects. */
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
    const why = error instanceof OutriggerError ? error.message : `${image.host}: ${exchangeProblem(error)}`;
    return { kind: "unknown", why };
  }
}

async function askFor(image: ImageReference, signal: AbortSignal, ports: RegistryPorts): Promise<RegistryAnswer> {
  const { agentFor, authorizationFor } = ports;
  const own = await authorizationFor?.(image);
  const asked = { method: "HEAD", accept: MANIFESTS, signal, agentFor } as const;
  const url = registryUrl(image.host, `/v2/${image.repository}/manifests/${image.reference}`);
  const answer = await registryExchange(url, { ...asked, ...defined({ authorization: own }) });
  const challenge = own === undefined && answer.status === 401 ? challengeOf(answer) : undefined;
  if (challenge === undefined) return answer;
  const token = await anonymousToken(challenge, image, signal, agentFor);
  return registryExchange(answer.url, { ...asked, authorization: `Bearer ${token}` });
}

interface Challenge {
  readonly realm: URL;
  readonly service?: string;
  readonly scope?: string;
}

/** `Bearer realm="https://…",service="…",scope="…"`; undefined for another scheme. */
function challengeOf({ headers, url }: RegistryAnswer): Challenge | undefined {
  const text = headers["www-authenticate"] ?? "";
  if (!/^bearer /i.test(text) || text.length > 4096) return undefined;
  const said = new Map(
    [...text.matchAll(/\b(realm|service|scope)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const realm = said.get("realm");
  if (realm === undefined) return undefined;
  return { realm: followTo(realm, url), ...defined({ service: said.get("service"), scope: said.get("scope") }) };
}

/** Asked for without credentials: the giver of tokens learns nothing but the image's name. */
async function anonymousToken(
  { realm, service, scope }: Challenge,
  { repository }: ImageReference,
  signal: AbortSignal,
  agentFor: RegistryPorts["agentFor"],
): Promise<string> {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set("service", service);
  url.searchParams.set("scope", scope ?? `repository:${repository}:pull`);
  const { status, body } = await registryExchange(url, { method: "GET", accept: "application/json", signal, agentFor });
  const { token, access_token } = status === 200 ? tokensIn(body) : {};
  const given = [token, access_token].find((each) => typeof each === "string" && /^[\x21-\x7e]{1,65536}$/.test(each));
  if (typeof given === "string") return given;
  throw new OutriggerError("endpoint-unfit", `${url.host} gives no token to read it without credentials (${status})`);
}

function tokensIn(body: string) {
  try {
    return objectOf(JSON.parse(body));
  } catch {
    return {};
  }
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
  if (isDockerHub(image)) return { kind: "missing", why: `Docker Hub shows no ${repository} without credentials` };
  return { kind: "unknown", why: `${url.host} does not show ${repository} without credentials` };
}
