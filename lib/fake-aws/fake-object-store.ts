// A bucket in memory: objects with times and tags, calls counted, and faults injected on request. As S3 is, it is consistent unless a test
// asks for a delay.
import { createHash } from "node:crypto";
import { type CallOptions, type ObjectStore, storeError } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import { tokenBucket } from "./token-bucket.ts";

export type ObjectOperation = "GetObject" | "PutObject" | "DeleteObject" | "ListObjects";

/** A fault of a call. `lost` means that the call takes effect, and then there is no answer. */
export type ObjectFault =
  | { readonly kind: "error"; readonly name: string; readonly status: number }
  | { readonly kind: "lost" | "missing" | "truncated" | "garbled" | "hang" };

/** The behaviour of the fake bucket. */
export interface FakeObjectOptions {
  readonly now?: () => number;
  readonly fault?: (call: { readonly operation: ObjectOperation; readonly key: string }) => ObjectFault | undefined;
  /** Milliseconds for which an object that was written is not seen. */
  readonly lag?: () => number;
  /** Calls a second, beyond which S3 asks to slow down; without it, there is no limit. */
  readonly rate?: number;
  readonly objects?: ObjectTable;
}

/** Key → what is there. */
export type ObjectTable = ReadonlyMap<string, { readonly text: string; readonly at: number }>;

/** A bucket, and what a test may ask of it: its objects, and how often each operation was called. */
export interface FakeObjectStore extends ObjectStore {
  readonly objectTable: () => ObjectTable;
  readonly objectCalls: () => Readonly<Partial<Record<ObjectOperation, number>>>;
}

/**
 * A bucket in memory. Calls take no time; faults and delays are injected on request.
 *
 * @example
 * ```ts
 * fakeObjectStore().objectTable().size // => 0
 * ```
 */
export function fakeObjectStore(options: FakeObjectOptions = {}): FakeObjectStore {
  const { now = Date.now, lag = () => 0 } = options;
  const table = new Map(options.objects);
  const admits = options.rate === undefined ? () => true : tokenBucket(options.rate, now);
  let counts: Partial<Record<ObjectOperation, number>> = {};

  async function perform<Answer>(
    operation: ObjectOperation,
    key: string,
    { signal }: CallOptions = {},
    take: (fault: ObjectFault["kind"] | undefined) => Answer,
  ): Promise<Answer> {
    counts = { ...counts, [operation]: (counts[operation] ?? 0) + 1 };
    const verb = operation === "PutObject" ? "write" : operation === "DeleteObject" ? "delete" : "read";
    const failed = (name: string, status?: number) =>
      storeError(Object.assign(new Error(name), { name, ...defined({ status }) }), verb, [`s3://${key}`]);
    if (signal?.aborted === true) throw failed("AbortError");
    if (!admits()) throw failed("SlowDown", 503);
    const fault = options.fault?.({ operation, key });
    if (fault?.kind === "error") throw failed(fault.name, fault.status);
    if (fault?.kind === "hang")
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(failed("AbortError"))));
    const answer = take(fault?.kind);
    if (fault?.kind === "lost") throw failed("Error");
    return answer;
  }

  const isSeen = ({ at }: { readonly at: number }) => at <= now() - lag();
  const below = (key: string) => [...table].filter(([other]) => other.startsWith(key));
  return {
    getObject: (key, call) =>
      perform("GetObject", key, call, (fault) => {
        const there = fault === "missing" ? undefined : table.get(key);
        if (there === undefined || !isSeen(there)) return undefined;
        return { text: damaged(there.text, fault), tag: tagOf(there.text) };
      }),
    putObject: ({ key, text, replaces }, call) =>
      perform("PutObject", key, call, () => {
        const there = table.get(key);
        const tag = there === undefined ? null : tagOf(there.text);
        if (replaces !== undefined && replaces !== tag) return false;
        table.set(key, { text, at: now() });
        return true;
      }),
    deleteObject: (key, call) => perform("DeleteObject", key, call, () => void table.delete(key)),
    listObjects: (key, call) =>
      perform("ListObjects", key, call, () =>
        below(key)
          .filter(([, object]) => isSeen(object))
          .map(([other, { at }]) => ({ key: other, lastModified: at })),
      ),
    emptyFolder: (key, call) =>
      perform("DeleteObject", key, call, () => {
        for (const [other] of below(key)) table.delete(other);
      }),
    objectTable: () => new Map(table),
    objectCalls: () => counts,
  };
}

/**
 * One bucket of several that share a table, whose keys begin with the bucket's name.
 *
 * @example
 * ```ts
 * typeof inBucket("releases", fakeObjectStore()).getObject // => "function"
 * ```
 */
export function inBucket(bucket: string, all: ObjectStore): ObjectStore {
  const keyOf = (key: string) => `${bucket}/${key}`;
  return {
    getObject: (key, call) => all.getObject(keyOf(key), call),
    putObject: ({ key, ...write }, call) => all.putObject({ ...write, key: keyOf(key) }, call),
    deleteObject: (key, call) => all.deleteObject(keyOf(key), call),
    listObjects: async (key, call) =>
      (await all.listObjects(keyOf(key), call)).map((object) => ({
        ...object,
        key: object.key.slice(keyOf("").length),
      })),
    emptyFolder: (key, call) => all.emptyFolder(keyOf(key), call),
  };
}

/** As S3 makes it of an object that was written at once: its MD5, in quotes. */
function tagOf(text: string): string {
  return `"${createHash("md5").update(text).digest("hex")}"`;
}

function damaged(text: string, fault: ObjectFault["kind"] | undefined): string {
  if (fault === "truncated") return text.slice(0, Math.floor(text.length / 2));
  return fault === "garbled" ? text.replace(/^.{4}/, "AAAA") : text;
}
