// A deployment's bucket: requests for objects of S3, signed, without the SDK, whose client for S3 is larger than both functions that
// use this. Objects are read, and by publishing written, listed and deleted.
import { isOwnError, OutriggerError, objectOf } from "@outrigger/base";
import { storeError } from "../parameter-store/store-error.ts";
import type { Answer } from "../signed/answer-reader.ts";
import { type Body, type Exchange, exchangeOnce, type Method } from "../signed/exchange-once.ts";
import { bucketEndpoint, type Environment } from "../signed/service-endpoint.ts";
import { type Credentials, credentialsOf, sha256, signRequest } from "../signed/sign-request.ts";
import type { ListedObject, ObjectReader, ObjectStore, StoredObject } from "./object-store.ts";

interface ObjectCallOptions {
  readonly env: Environment;
  /** The bucket's name; a function where that has to be found out first, which gives undefined where there is nothing in it yet. */
  readonly bucket: string | (() => Promise<string | undefined>);
  /** The credentials; those of the environment where it is left out. */
  readonly credentials?: () => Credentials | Promise<Credentials>;
  /** exchangeOnce where it is left out. */
  readonly exchange?: Exchange;
}

interface ObjectRequest {
  readonly method: Method;
  readonly key: string;
  /** The headers by lower-case name, which are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name → value. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal?: AbortSignal | undefined;
}

type Verb = Parameters<typeof storeError>[1];

/**
 * One request.
 *
 * @param place the key that its errors are about
 * @throws OutriggerError as the port says, except for an object that does not exist. Its cause has the `name`, `message` and `status` that S3
 * gave
 */
type ObjectCall = (verb: Verb, request: ObjectRequest, place?: string) => Promise<Answer>;

function signedObjectCaller({
  env,
  bucket,
  credentials = () => credentialsOf(env),
  exchange = exchangeOnce,
}: ObjectCallOptions): ObjectCall {
  const region = env["AWS_REGION"] ?? "";
  const send = async ({ key, method, headers: own = {}, query = {}, body = "", signal }: ObjectRequest) => {
    const name = await nameOf(bucket);
    if (name === undefined) return NOTHING;
    const url = new URL(key.split("/").map(encoded).join("/"), bucketEndpoint(name, env));
    // A signature takes them in the order of their names.
    const names = Object.keys(query).sort();
    const search = names.map((name) => `${encoded(name)}=${encoded(query[name] ?? "")}`);
    url.search = search.join("&");
    const unsigned = { ...own, host: url.host, "x-amz-content-sha256": sha256(body) };
    const target = { method, path: url.pathname, query: search.join("&") };
    const signing = { service: "s3", region, credentials: await credentials(), date: new Date() };
    const headers = signRequest(unsigned, body, { ...signing, ...target });
    return assertAnswered(await exchange(url, { method, headers, body, signal }));
  };
  return (verb, request, place = request.key) =>
    send(request).catch(async (error: unknown) => {
      throw storeError(error, verb, [await placeOf(bucket, place)]);
    });
}

/** The answer for an object that does not exist. */
const NOTHING: Answer = { status: 404, body: "", tag: "" };

async function nameOf(bucket: ObjectCallOptions["bucket"]): Promise<string | undefined> {
  // No name is no bucket, and no host.
  return typeof bucket === "string" ? bucket || undefined : bucket();
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

/**
 * The reading of objects with the credentials of the environment. Tries once, until its signal aborts: retries and time limits are its
 * caller's.
 */
export function signedObjectReader(options: ObjectCallOptions): ObjectReader {
  const call = signedObjectCaller(options);
  return {
    getObject: async (key, { signal } = {}) => objectIn(await call("read", { key, method: "GET", signal })),
  };
}

function objectIn({ status, body: text, tag }: Answer): StoredObject | undefined {
  return status === 404 ? undefined : { text, tag };
}

/** The port, where files may be written too. */
interface SignedObjectStore extends ObjectStore {
  /** Writes a file over whatever is there. */
  readonly putFile: (key: string, bytes: Uint8Array) => Promise<void>;
}

/** The bucket, without the SDK. */
export function signedObjectStore(options: ObjectCallOptions & Patience): SignedObjectStore {
  const call = signedObjectCaller(options);
  const asked: ObjectCall = (verb, request, place) =>
    persistently(request.signal, options, (signal) => call(verb, { ...request, signal }, place));
  /** Every page of a listing, from the element in which it says where the next one begins. */
  const pages = async (
    key: string,
    kind: Readonly<Record<string, string>>,
    marks: Marks,
    signal: AbortSignal | undefined,
  ) => {
    const found: string[] = [];
    for (let next: Readonly<Record<string, string>> | undefined = {}; next !== undefined; ) {
      const query = { ...kind, ...next, prefix: key };
      const { body } = await asked("read", { key: "", method: "GET", query, signal }, key);
      found.push(body);
      next = textIn(body, "IsTruncated") === "true" ? nextPage(body, marks) : undefined;
    }
    return found;
  };
  const objects: SignedObjectStore = {
    async getObject(key, { signal } = {}) {
      try {
        return objectIn(await asked("read", { key, method: "GET", signal }));
      } catch (error) {
        if (await isMissing(error, key, objects)) return undefined;
        throw error;
      }
    },
    async putObject({ key, text: body, replaces }, { signal } = {}) {
      const headers =
        replaces === undefined ? {} : replaces === null ? { "if-none-match": "*" } : { "if-match": replaces };
      try {
        const { status } = await asked("write", { key, method: "PUT", headers, body, signal });
        // What the write was to replace is gone.
        return status !== 404;
      } catch (error) {
        if (replaces !== undefined && isAnotherThere(error)) return false;
        throw error;
      }
    },
    async putFile(key, bytes) {
      await asked("write", { key, method: "PUT", body: bytes });
    },
    async deleteObject(key, { signal } = {}) {
      await asked("delete", { key, method: "DELETE", signal });
    },
    async listObjects(key, { signal } = {}) {
      const marks = { "continuation-token": "NextContinuationToken" };
      return (await pages(key, { "list-type": "2" }, marks, signal)).flatMap(objectsIn);
    },
    async emptyFolder(key, { signal } = {}) {
      const marks = { "key-marker": "NextKeyMarker", "version-id-marker": "NextVersionIdMarker" };
      for (const page of await pages(key, { versions: "" }, marks, signal))
        for (const { key, versionId } of versionsIn(page))
          await asked("delete", { key, method: "DELETE", query: { versionId }, signal });
    },
  };
  return objects;
}

async function placeOf(bucket: ObjectCallOptions["bucket"], key: string): Promise<string> {
  // Where even the name is not known, that is what the error is about.
  return `s3://${(await nameOf(bucket).catch(() => undefined)) ?? ""}/${key}`;
}

/** Whether a conditional write was refused for what is there. */
function isAnotherThere(error: unknown): boolean {
  return error instanceof OutriggerError && objectOf(error.cause)["status"] === 412;
}

/** Parameter of a request → element of the page before that holds its value. */
type Marks = Readonly<Record<string, string>>;

function nextPage(body: string, marks: Marks): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(marks).map(([name, element]) => [name, textIn(body, element)] as const);
  return found.every(([, value]) => value === "") ? undefined : Object.fromEntries(found);
}

/** Whether an object is missing and not forbidden: without the right to list a bucket, S3 gives the same answer for both. */
async function isMissing(error: unknown, key: string, objects: ObjectStore): Promise<boolean> {
  if (!isOwnError(error, "store-denied")) return false;
  const listed = await objects.listObjects(key).catch(() => undefined);
  return listed !== undefined && !listed.some((each) => each.key === key);
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
      if (isOver || !isOwnError(error, "store-unavailable")) throw error;
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

function versionsIn(xml: string): readonly { readonly key: string; readonly versionId: string }[] {
  return xml
    .split(/<(?:Version|DeleteMarker)>/)
    .slice(1)
    .map((version) => ({ key: textIn(version, "Key"), versionId: textIn(version, "VersionId") }))
    .filter(({ key }) => key !== "");
}
