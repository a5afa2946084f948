// Reads a manifest by its URL, as kubectl does: through the proxy that is set for its host, if any. Loaded only for a URL.
import { httpCall } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { proxyAgents } from "../connect/choose-proxy.ts";
import type { Io } from "../terminal/io.ts";
import { inputFault, isUrl, urlName } from "./input-fault.ts";

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
      const { status, headers, bytes } = await httpCall(url, { agent: agents(url.href), signal, limit: MAX_BYTES });
      const location = status >= 300 && status < 400 ? headers.location : undefined;
      if (location === undefined) {
        if (status !== 200) throw fault(name, `the server answers ${status}`);
        if (bytes === undefined) throw fault(name, `it is longer than ${MAX_BYTES} bytes`);
        return bytes;
      }
      const next = new URL(location, url);
      if (!isUrl(next.href) || (url.protocol === "https:" && next.protocol !== "https:")) {
        throw fault(name, `it leads to ${next.protocol}//: name that one yourself, if you trust it`);
      }
      url = next;
    }
    throw fault(name, `it leads on more than ${MAX_REDIRECTS} times`);
  } catch (cause) {
    if (cause instanceof OutriggerError) throw cause;
    throw fault(name, signal.aborted ? `there was no whole answer in ${patience / 1000} s` : inputFault(cause), cause);
  }
}

function fault(name: string, why: string, cause?: unknown): OutriggerError {
  const path = urlName(name);
  return new OutriggerError("manifest-invalid", `Cannot read ${path}: ${why}`, { path, cause });
}
