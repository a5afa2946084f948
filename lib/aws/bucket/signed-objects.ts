// Requests for objects of S3, signed, without the SDK, whose client for S3 is larger than both functions that use this. Knows
// their bodies as text, and their errors; what is read and written is its caller's.
import type { Answer } from "../signed/answer-reader.ts";
import type { Body, Exchange, Method } from "../signed/exchange-once.ts";
import { bucketEndpoint, type Environment } from "../signed/service-endpoint.ts";
import { type Credentials, credentialsOf, sha256, signRequest } from "../signed/sign-request.ts";
import type { ObjectPlace, ObjectReader } from "./object-store.ts";

export interface ObjectCallOptions {
  readonly env: Environment;
  /** Those of the environment where it is left out. */
  readonly credentials?: () => Credentials | Promise<Credentials>;
  readonly exchange: Exchange;
}

export interface ObjectRequest extends ObjectPlace {
  readonly method: Method;
  /** Name → value, in the order of the names. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One request.
 *
 * @throws Error with the `name` and `message` that S3 gave and the `status` it came with, except for an object that does not exist
 */
export type ObjectCall = (request: ObjectRequest) => Promise<Answer>;

export function signedObjectCaller({ env, credentials = () => credentialsOf(env), exchange }: ObjectCallOptions) {
  const region = env["AWS_REGION"] ?? "";
  const call: ObjectCall = async ({ bucket, key, method, query = {}, body = "", signal }) => {
    const url = new URL(key.split("/").map(encoded).join("/"), bucketEndpoint(bucket, env));
    const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    url.search = search.join("&");
    const unsigned = { host: url.host, "x-amz-content-sha256": sha256(body) };
    const target = { method, path: url.pathname, query: search.join("&") };
    const signing = { service: "s3", region, credentials: await credentials(), date: new Date() };
    const headers = signRequest(unsigned, body, { ...signing, ...target });
    return assertAnswered(await exchange(url, { method, headers, body, signal }));
  };
  return call;
}

/** The port's reading half. Tries once, until its signal aborts. */
export function objectReader(call: ObjectCall, failed: (error: unknown, place: ObjectPlace) => unknown): ObjectReader {
  return {
    async getObject(place, { signal } = {}) {
      try {
        const { status, body } = await call({ ...place, method: "GET", signal });
        return status === 404 ? undefined : body;
      } catch (error) {
        throw failed(error, place);
      }
    },
  };
}

/** RFC 3986's unreserved characters are left as they are. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function assertAnswered(answer: Answer): Answer {
  const { status, body } = answer;
  if (status >= 200 && status < 300) return answer;
  const name = textIn(body, "Code");
  if (status === 404 && name === "NoSuchKey") return answer;
  const isElsewhere = status >= 300 && status < 400;
  const message = isElsewhere ? "the bucket is in another Region than the deployment" : textIn(body, "Message");
  throw Object.assign(new Error(message || `status ${status}`), {
    name,
    // A redirect leads nowhere here: a second try cannot help.
    status: isElsewhere ? 400 : status,
  });
}

/** The text of the first element of a name: S3's errors are small and flat. */
export function textIn(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start === -1 || end === -1 ? "" : xml.slice(start + name.length + 2, end);
}
