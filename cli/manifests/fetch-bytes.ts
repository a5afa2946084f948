// Reads a manifest by its URL, as kubectl does: through the proxy that is set for its host, if any. Loaded only for a URL.
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { OutriggerError } from "@outrigger/base";
import { proxyAgents } from "../connect/proxy-agents.ts";
import type { Io } from "../terminal/io.ts";
import { isUrl, urlName } from "./manifest-url.ts";

const MAX_REDIRECTS = 5;
const MAX_BYTES = 16 * 2 ** 20;
/** Milliseconds for all of it. */
const PATIENCE = 30_000;

/**
 * The bytes at a URL.
 *
 * @throws OutriggerError `manifest-invalid`, naming the URL and why
 */
export async function fetchBytes(name: string, io: Io, patience = PATIENCE): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(patience);
  const agents = proxyAgents(io.env);
  try {
    let url = new URL(name);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await get(url, agents(url.href), signal);
      if (answer.location === undefined) return answer.bytes;
      const next = new URL(answer.location, url);
      if (!isUrl(next.href) || (url.protocol === "https:" && next.protocol !== "https:")) {
        throw fault(name, `it leads to ${next.protocol}//: name that one yourself, if you trust it`);
      }
      url = next;
    }
    throw fault(name, `it leads on more than ${MAX_REDIRECTS} times`);
  } catch (cause) {
    if (cause instanceof OutriggerError) throw cause;
    throw fault(name, signal.aborted ? `there was no whole answer in ${patience / 1000} s` : reasonOf(cause), cause);
  }

  function get(url: URL, agent: ReturnType<typeof agents>, within: AbortSignal): Promise<Answer> {
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const call = request(url, { ...(agent && { agent }), signal: within }, (response) => {
        const { statusCode = 0, headers } = response;
        const location = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
        if (location !== undefined || statusCode !== 200) {
          response.destroy();
          if (location === undefined) reject(fault(name, `the server answers ${statusCode}`));
          else resolve({ location, bytes: new Uint8Array() });
          return;
        }
        const chunks: Buffer[] = [];
        let length = 0;
        response
          .on("data", (chunk: Buffer) => {
            length += chunk.length;
            chunks.push(chunk);
            if (length > MAX_BYTES) response.destroy(fault(name, `it is longer than ${MAX_BYTES} bytes`));
          })
          .on("end", () => resolve({ location: undefined, bytes: Buffer.concat(chunks) }))
          .on("error", reject);
      });
      call.on("error", reject).end();
    });
  }
}

interface Answer {
  /** Where the answer is instead. */
  readonly location: string | undefined;
  readonly bytes: Uint8Array;
}

function fault(name: string, why: string, cause?: unknown): OutriggerError {
  const path = urlName(name);
  return new OutriggerError("manifest-invalid", `Cannot read ${path}: ${why}`, { path, cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host has no address",
  EAI_AGAIN: "its host has no address",
  ECONNREFUSED: "nothing answers there",
  ECONNRESET: "the connection was ended",
};

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return REASONS[code] ?? (code || String(cause));
}
