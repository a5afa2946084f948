// The release bucket: requests for objects of S3, signed, without the SDK, whose client for S3 is larger than both functions that
// use this. Objects are read, and by publishing written, listed and deleted.
import { isOwnError } from "@outrigger/base";
import type { OutsideCall } from "../outside-call.ts";
import { storeError } from "../parameter-store/store-error.ts";
import type { Answer } from "../signed/answer-reader.ts";
import { type Body, type Exchange, exchangeOnce, type Method } from "../signed/exchange-once.ts";
import { bucketEndpoint, type Environment } from "../signed/service-endpoint.ts";
import { type Credentials, credentialsOf, sha256, signRequest } from "../signed/sign-request.ts";
import type { ListedObject, ObjectPlace, ObjectStore } from "./object-store.ts";

interface ObjectCallOptions {
  readonly env: Environment;
  /** The credentials; those of the environment where it is left out. */
  readonly credentials?: () => Credentials | Promise<Credentials>;
  /** exchangeOnce where it is left out. */
  readonly exchange?: Exchange;
}

interface ObjectRequest extends ObjectPlace {
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
type ObjectCall = (request: ObjectRequest) => Promise<Answer>;

export function signedObjectCaller({
  env,
  credentials = () => credentialsOf(env),
  exchange = exchangeOnce,
}: ObjectCallOptions) {
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

/** The patience that publishing asks of its client, as the SDK does it for parameters. */
interface Patience {
  /** The number of tries for a call that S3 did not answer, or answered with its own fault. */
  readonly attempts: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds until a try is given up. */
  readonly timeout: number;
}

/** The port, where files may be written too. */
interface SignedObjectStore extends ObjectStore {
  readonly putObject: OutsideCall<ObjectPlace & { readonly text: string | Uint8Array }, void>;
}

/** The release bucket, without the SDK. Buckets are of one Region, and each call names its own. */
export function signedObjectStore(options: ObjectCallOptions & Patience): SignedObjectStore {
  const call = signedObjectCaller(options);
  const asked = (verb: "read" | "write" | "delete", request: ObjectRequest, { bucket, key }: ObjectPlace = request) =>
    persistently(request.signal, options, async (signal) => {
      try {
        return await call({ ...request, signal });
      } catch (error) {
        throw storeError(error, verb, [`s3://${bucket}/${key}`]);
      }
    });
  const objects: SignedObjectStore = {
    async getObject(place, { signal } = {}) {
      try {
        const { status, body } = await asked("read", { ...place, method: "GET", signal });
        return status === 404 ? undefined : body;
      } catch (error) {
        if (await isMissing(error, place, objects)) return undefined;
        throw error;
      }
    },
    async putObject({ text: body, ...place }, { signal } = {}) {
      await asked("write", { ...place, method: "PUT", body, signal });
    },
    async deleteObject(place, { signal } = {}) {
      await asked("delete", { ...place, method: "DELETE", signal });
    },
    async listObjects(place, { signal } = {}) {
      const listed: ListedObject[] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const token: Record<string, string> = next === "" ? {} : { "continuation-token": next };
        const query = { ...token, "list-type": "2", prefix: place.key };
        const { body } = await asked("read", { ...place, key: "", method: "GET", query, signal }, place);
        listed.push(...objectsIn(body));
        next = textIn(body, "IsTruncated") === "true" ? textIn(body, "NextContinuationToken") || undefined : undefined;
      }
      return listed;
    },
  };
  return objects;
}

/** Whether an object is missing and not forbidden: without the right to list a bucket, S3 gives the same answer for both. */
async function isMissing(error: unknown, place: ObjectPlace, objects: ObjectStore): Promise<boolean> {
  if (!isOwnError(error, "store-denied")) return false;
  const listed = await objects.listObjects(place).catch(() => undefined);
  return listed !== undefined && !listed.some(({ key }) => key === place.key);
}

/** Milliseconds before the second try; each pause is twice as long as the one before. */
const PAUSE = 100;

async function persistently(
  outer: AbortSignal | undefined,
  { attempts, sleep, timeout }: Patience,
  perform: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const limit = AbortSignal.timeout(timeout);
    try {
      return await perform(outer === undefined ? limit : AbortSignal.any([limit, outer]));
    } catch (error) {
      const isOver = tries >= attempts || outer?.aborted === true;
      if (isOver || storeError(error, "read", []).code !== "store-unavailable") throw error;
    }
    await sleep(PAUSE * 2 ** (tries - 1));
  }
}

/** Keys of ours have no character that XML escapes. */
function objectsIn(xml: string): readonly ListedObject[] {
  return xml
    .split("<Contents>")
    .slice(1)
    .map((content) => ({ key: textIn(content, "Key"), lastModified: Date.parse(textIn(content, "LastModified")) }))
    .filter(({ key, lastModified }) => key !== "" && !Number.isNaN(lastModified));
}
