// One HTTP/1.1 exchange over a connection of its own: a request, and its whole answer. Knows no service. Node's own client
// is a third of what a cold start's call takes (docs/contributing/adr/0003-bundle-format.md). What publishing asks
// without the SDK goes this way too.
import { connect, isIP } from "node:net";
import { connect as connectSecure } from "node:tls";
import { type Answer, answerReader } from "./answer-reader.ts";

export interface ExchangeOptions {
  /** POST where it is left out. */
  readonly method?: Method;
  /** The headers by lower-case name. `host`, `content-length` and `connection` are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request has been handed to the system: from then on there is nothing to do but wait. */
  readonly sent?: () => void;
}

/** Text is sent as UTF-8. */
export type Body = string | Uint8Array;

export type Method = "GET" | "PUT" | "POST" | "DELETE";

/** One request and its answer: how calls of S3 leave this machine. Redirects are answers. */
export type Exchange = (url: URL, options: ExchangeOptions) => Promise<Answer>;

/** The last TLS session: a later call to the same host resumes it, which saves a round trip's worth of work. */
export interface Sessions {
  last?: Buffer;
}

/**
 * Sends a request to the URL. Certificates are checked as Node checks them, with its own list of authorities.
 *
 * @throws Error as Node's own, where no answer came; one that says why, where none could be read or a header has a
 * character that HTTP does not allow; `AbortError` where the signal aborts
 */
export function exchangeOnce(url: URL, options: ExchangeOptions, sessions: Sessions = {}): Promise<Answer> {
  const request = requestBytes(url, options);
  const { signal, sent } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted());
    const socket = url.protocol === "https:" ? secureSocket(url, sessions) : connect(placeOf(url, 80));
    const abort = () => end(() => reject(aborted()));
    const reader = answerReader();
    let isOver = false;
    function end(settle: () => void): void {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener("abort", abort);
      socket.destroy();
      settle();
    }
    function read(step: () => Answer | undefined): void {
      try {
        const answer = step();
        if (answer !== undefined) end(() => resolve(answer));
      } catch (error) {
        end(() => reject(error));
      }
    }
    signal?.addEventListener("abort", abort);
    socket
      .setNoDelay(true)
      .on("data", (bytes: Buffer) => read(() => reader.add(bytes)))
      .on("end", () => read(reader.end))
      .on("error", (error) => end(() => reject(error)))
      .on("close", () => end(() => reject(new Error("the connection was closed before an answer came"))));
    socket.write(request, () => (isOver ? undefined : sent?.()));
  });
}

function secureSocket(url: URL, sessions: Sessions) {
  const place = placeOf(url, 443);
  // An address is no name to ask a server for: RFC 6066, section 3. The certificate is checked against it all the same.
  const named = isIP(place.host) === 0 ? { servername: place.host } : {};
  const options = { ...place, ...named, ALPNProtocols: ["http/1.1"] };
  const socket = connectSecure({ ...options, ...(sessions.last && { session: sessions.last }) });
  return socket.on("session", (session) => {
    sessions.last = session;
  });
}

function placeOf({ hostname, port }: URL, usual: number) {
  // A URL has brackets around an IPv6 address.
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? usual : Number(port) };
}

/** One write: a head and a body on their own would be two packets, and two TLS records. */
function requestBytes({ host, pathname, search }: URL, { method = "POST", headers, body }: ExchangeOptions): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const all = { ...headers, host, connection: "close", "content-length": String(bytes.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${assertHeader(name, value)}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"),
    bytes,
  ]);
}

function assertHeader(name: string, value: string): string {
  if (/^[\t\x20-\x7e]*$/.test(value)) return value;
  throw new Error(`the header ${name} has a character that HTTP does not allow`);
}

function aborted(): Error {
  return Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" });
}
