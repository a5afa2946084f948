// The release bucket as publishing takes it: objects are read, written, listed and deleted.
import { defined, isOwnError } from "@outrigger/base";
import { storeError } from "../parameter-store/store-error.ts";
import type { Exchange } from "../signed/exchange-once.ts";
import type { CallOptions, ListedObject, ObjectPlace, ObjectStore } from "./object-store.ts";
import {
  type ObjectCallOptions,
  type ObjectRequest,
  objectReader,
  signedObjectCaller,
  textIn,
} from "./signed-objects.ts";

/** What publishing takes of its client, as the SDK does it for parameters. */
interface Patience {
  /** How often a call is tried that S3 did not answer, or answered with its own fault. */
  readonly attempts: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds until a try is given up. */
  readonly timeout: number;
}

interface ObjectStoreOptions extends Omit<ObjectCallOptions, "exchange">, Patience {
  /** How requests leave this machine; Node's own fetch where it is left out. */
  readonly exchange?: Exchange;
}

/** The port, where files may be written too. */
interface SignedObjectStore extends ObjectStore {
  putObject(place: ObjectPlace, content: string | Uint8Array, options?: CallOptions): Promise<void>;
}

type Verb = "read" | "write" | "delete";

/** The release bucket, without the SDK. Buckets are of one Region, and each call names its own. */
export function signedObjectStore({
  exchange = fetchExchange,
  env,
  credentials,
  ...patience
}: ObjectStoreOptions): SignedObjectStore {
  const call = signedObjectCaller({ env, exchange, ...defined({ credentials }) });
  const tried = <Answer>(perform: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal | undefined) =>
    persistently(perform, patience, signal);
  const failed = (verb: Verb) => (error: unknown, place: ObjectPlace) =>
    storeError(error, verb, [`s3://${place.bucket}/${place.key}`]);
  const asked = (verb: Verb, place: ObjectPlace, request: ObjectRequest, signal: AbortSignal | undefined) =>
    tried(async (own) => {
      try {
        return await call({ ...request, signal: own });
      } catch (error) {
        throw failed(verb)(error, place);
      }
    }, signal);
  const reader = objectReader(call, failed("read"));
  const objects: SignedObjectStore = {
    async getObject(place, { signal } = {}) {
      try {
        return await tried((own) => reader.getObject(place, { signal: own }), signal);
      } catch (error) {
        if (await isMissing(error, place, objects)) return undefined;
        throw error;
      }
    },
    async putObject(place, content, { signal } = {}) {
      await asked("write", place, { ...place, method: "PUT", body: content }, signal);
    },
    async deleteObject(place, { signal } = {}) {
      await asked("delete", place, { ...place, method: "DELETE" }, signal);
    },
    async listObjects({ bucket, key }, { signal } = {}) {
      const listed: ListedObject[] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const token: Record<string, string> = next === "" ? {} : { "continuation-token": next };
        const query = { ...token, "list-type": "2", prefix: key };
        const { body } = await asked("read", { bucket, key }, { bucket, key: "", method: "GET", query }, signal);
        listed.push(...objectsIn(body));
        next = textIn(body, "IsTruncated") === "true" ? textIn(body, "NextContinuationToken") || undefined : undefined;
      }
      return listed;
    },
  };
  return objects;
}

/** Who may not list all of a bucket gets the same answer for an object that does not exist as for one that may not be read. */
async function isMissing(error: unknown, place: ObjectPlace, objects: ObjectStore): Promise<boolean> {
  if (!isOwnError(error, "store-denied")) return false;
  const listed = await objects.listObjects(place).catch(() => undefined);
  return listed !== undefined && !listed.some(({ key }) => key === place.key);
}

/** Milliseconds before the second try; each pause is twice as long as the one before. */
const PAUSE = 100;

async function persistently<Answer>(
  perform: (signal: AbortSignal) => Promise<Answer>,
  { attempts, sleep, timeout }: Patience,
  outer: AbortSignal | undefined,
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

/** Redirects are answers: a signature is valid for one host. */
const fetchExchange: Exchange = async (url, { method = "GET", headers, body, signal }) => {
  // It names the host itself.
  const { host: _, ...sent } = headers;
  const answer = await fetch(url, {
    method,
    headers: sent,
    redirect: "manual",
    ...(method === "PUT" ? { body } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: answer.status, body: await answer.text() };
};
