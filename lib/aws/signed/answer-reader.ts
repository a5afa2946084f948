// The bytes of one HTTP/1.1 answer → its status, tag and body: with a length, in chunks, or up to the end of the connection
// (RFC 9112, section 6.3). What is not such an answer, is too large or ends too early is an error, never half an answer.

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The field ETag; empty where there is none. */
  readonly tag: string;
}

/** Bytes of headers that are read at most, as by Node's own client. */
const MAX_HEAD = 16 * 1024;
/** Far more than ten parameters of 8 KB, far less than a function's memory. */
const MAX_BODY = 4 * 1024 * 1024;

const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?$/;
const FIELD = /^([^:\s]+):(.*)$/;
const CHUNK_SIZE = /^([0-9a-f]{1,7})[ \t]*(?:;.*)?$/i;

/** The head of an answer, which says how long the body is. */
interface Head {
  readonly status: number;
  readonly tag: string;
  readonly length: number | undefined;
  readonly isChunked: boolean;
  /** The index at which the body begins. */
  readonly end: number;
}

/** @throws Error from both functions, where the bytes are no answer or not a whole one */
export function answerReader() {
  let pieces: Buffer[] = [];
  let size = 0;
  let head: Head | undefined;
  const joined = () => {
    const [only, ...others] = pieces;
    const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
    pieces = [bytes];
    return bytes;
  };
  return {
    /** The answer, once it is whole. */
    add: (more: Buffer): Answer | undefined => {
      pieces.push(more);
      size += more.length;
      head ??= readHead(joined());
      if (head === undefined) return undefined;
      if (size - head.end > MAX_BODY) throw new Error("the answer is too large");
      // A large body is not joined again with each piece of it.
      if (size - head.end < (head.length ?? 0)) return undefined;
      return readBody(head, joined().subarray(head.end));
    },
    /** The connection has ended. */
    end: (): Answer => {
      if (head === undefined || head.isChunked || head.length !== undefined)
        throw new Error("the answer ended too early");
      return { status: head.status, tag: head.tag, body: joined().toString("utf8", head.end) };
    },
  };
}

/** Interim answers (1xx) come before the answer, and are passed over. */
function readHead(bytes: Buffer, from = 0): Head | undefined {
  const end = bytes.indexOf("\r\n\r\n", from, "latin1");
  if ((end === -1 ? bytes.length : end) > MAX_HEAD) throw new Error("the head of the answer is too large");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", from, end).split("\r\n");
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error("the answer is not HTTP/1.1");
  if (status < 200) return readHead(bytes, end + 4);
  const fields = lines.map((line) => FIELD.exec(line) ?? malformed());
  const valuesOf = (name: string) =>
    fields.filter(([, key]) => key?.toLowerCase() === name).map(([, , value = ""]) => value.trim());
  const tag = valuesOf("etag")[0] ?? "";
  // Neither has a body, whatever its fields say.
  if (status === 204 || status === 304) return { status, tag, length: 0, isChunked: false, end: end + 4 };
  const codings = valuesOf("transfer-encoding").join(",").toLowerCase();
  if (codings !== "" && codings !== "chunked")
    throw new Error("the answer comes in an encoding that was not asked for");
  const [length, ...others] = new Set(valuesOf("content-length"));
  if (others.length > 0 || (length !== undefined && !/^\d{1,9}$/.test(length))) malformed();
  const isChunked = codings === "chunked";
  const known = isChunked || length === undefined ? undefined : Number(length);
  return { status, tag, isChunked, length: known, end: end + 4 };
}

function readBody({ status, tag, isChunked, length }: Head, bytes: Buffer): Answer | undefined {
  const body = isChunked
    ? readChunks(bytes)
    : length !== undefined && bytes.length >= length
      ? bytes.toString("utf8", 0, length)
      : undefined;
  return body === undefined ? undefined : { status, tag, body };
}

function readChunks(bytes: Buffer): string | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (end === -1) return undefined;
    const size = Number.parseInt(CHUNK_SIZE.exec(bytes.toString("latin1", at, end))?.[1] ?? malformed(), 16);
    const next = end + 2 + size;
    // What comes after the last chunk are trailers, which nothing is read of.
    if (size === 0) return Buffer.concat(chunks).toString("utf8");
    if (bytes.length < next + 2) return undefined;
    if (bytes.toString("latin1", next, next + 2) !== "\r\n") malformed();
    chunks.push(bytes.subarray(end + 2, next));
    at = next + 2;
  }
}

function malformed(): never {
  throw new Error("the answer is malformed");
}
