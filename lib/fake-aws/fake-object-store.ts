// The release bucket in memory: objects with times, calls counted, and faults injected on request. As S3 is, it is consistent
// unless a test asks for a delay.
import { type CallOptions, type ObjectPlace, type ObjectStore, storeError } from "@outrigger/aws";
import { defined } from "@outrigger/base";

export type ObjectOperation = "GetObject" | "PutObject" | "DeleteObject" | "ListObjects";

/** A fault of a call. `lost` means that the call takes effect, and then there is no answer. */
export type ObjectFault =
  | { readonly kind: "error"; readonly name: string; readonly status: number }
  | { readonly kind: "lost" | "missing" | "truncated" | "garbled" | "hang" };

/** The behaviour of the fake bucket. */
export interface FakeObjectOptions {
  readonly now?: () => number;
  readonly fault?: (call: ObjectPlace & { readonly operation: ObjectOperation }) => ObjectFault | undefined;
  /** Milliseconds for which an object that was written is not seen. */
  readonly lag?: () => number;
  readonly objects?: ObjectTable;
}

/** `<bucket>/<key>` → what is there. */
export type ObjectTable = ReadonlyMap<string, { readonly text: string; readonly at: number }>;

/** A bucket, and what a test may ask of it: its objects, and how often each operation was called. */
export interface FakeObjectStore extends ObjectStore {
  readonly objectTable: () => ObjectTable;
  readonly objectCalls: () => Readonly<Partial<Record<ObjectOperation, number>>>;
}

/**
 * A release bucket in memory. Calls take no time; faults and delays are injected on request.
 *
 * @example
 * ```ts
 * fakeObjectStore().objectTable().size // => 0
 * ```
 */
export function fakeObjectStore(options: FakeObjectOptions = {}): FakeObjectStore {
  const { now = Date.now, lag = () => 0 } = options;
  let table: ObjectTable = options.objects ?? new Map();
  let counts: Partial<Record<ObjectOperation, number>> = {};

  async function perform<Answer>(
    operation: ObjectOperation,
    { bucket, key }: ObjectPlace,
    { signal }: CallOptions = {},
    take: (fault: ObjectFault["kind"] | undefined) => Answer,
  ): Promise<Answer> {
    counts = { ...counts, [operation]: (counts[operation] ?? 0) + 1 };
    const verb = operation === "PutObject" ? "write" : operation === "DeleteObject" ? "delete" : "read";
    const failed = (name: string, status?: number) =>
      storeError(Object.assign(new Error(name), { name, ...defined({ status }) }), verb, [`s3://${bucket}/${key}`]);
    if (signal?.aborted === true) throw failed("AbortError");
    const fault = options.fault?.({ operation, bucket, key });
    if (fault?.kind === "error") throw failed(fault.name, fault.status);
    if (fault?.kind === "hang")
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(failed("AbortError"))));
    const answer = take(fault?.kind);
    if (fault?.kind === "lost") throw failed("Error");
    return answer;
  }

  const seen = () => new Map([...table].filter(([, { at }]) => at <= now() - lag()));
  const idOf = ({ bucket, key }: ObjectPlace) => `${bucket}/${key}`;
  return {
    getObject: (place, call) =>
      perform("GetObject", place, call, (fault) =>
        fault === "missing" ? undefined : damaged(seen().get(idOf(place))?.text, fault),
      ),
    putObject: ({ text, ...place }, call) =>
      perform("PutObject", place, call, () => {
        table = new Map([...table, [idOf(place), { text, at: now() }]]);
      }),
    deleteObject: (place, call) =>
      perform("DeleteObject", place, call, () => {
        table = new Map([...table].filter(([id]) => id !== idOf(place)));
      }),
    listObjects: (place, call) =>
      perform("ListObjects", place, call, () =>
        [...seen()]
          .filter(([id]) => id.startsWith(idOf(place)))
          .map(([id, { at }]) => ({ key: id.slice(place.bucket.length + 1), lastModified: at })),
      ),
    objectTable: () => table,
    objectCalls: () => counts,
  };
}

function damaged(text: string | undefined, fault: ObjectFault["kind"] | undefined): string | undefined {
  if (fault === "truncated") return text?.slice(0, Math.floor(text.length / 2));
  return fault === "garbled" ? text?.replace(/^.{4}/, "AAAA") : text;
}
