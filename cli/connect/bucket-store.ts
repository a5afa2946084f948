// The objects of buckets, whose requests leave this machine through the proxy that is set for their host, if any.
import { setTimeout } from "node:timers/promises";
import { awsFailure, exchangeOnce, httpCall, signedObjectStore } from "@outrigger/aws";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { Io } from "../terminal/io.ts";
import type { AwsTarget } from "./aws-connection.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { chooseProxy } from "./choose-proxy.ts";

type Exchange = typeof exchangeOnce;

/**
 * A bucket's objects.
 *
 * @param timeout of a request, in milliseconds
 * @throws OutriggerError from a call, `usage` for a proxy that is not supported
 */
export function bucketStore(
  bucket: Parameters<typeof signedObjectStore>[0]["bucket"],
  region: string,
  credentials: ReturnType<typeof awsCredentials>,
  { env, timeout }: { readonly env: Io["env"]; readonly timeout: number },
): ReturnType<typeof signedObjectStore> {
  return signedObjectStore({
    bucket,
    env: { ...env, AWS_REGION: region },
    credentials: () => credentials(),
    exchange: bucketExchange(env),
    attempts: 4,
    timeout,
    sleep: (milliseconds) => setTimeout(milliseconds),
  });
}

function bucketExchange(env: Io["env"]): Exchange {
  return async (url, options) => {
    const proxy = url.protocol === "https:" ? chooseProxy(url.href, env) : undefined;
    if (proxy === undefined) return exchangeOnce(url, options);
    const { method = "GET", headers, body, signal } = options;
    const agent = new HttpsProxyAgent(proxy);
    const {
      status,
      bytes,
      headers: answered,
    } = await httpCall(url, { method, headers, body, signal, agent, limit: MAX_OBJECT });
    if (bytes === undefined) throw new Error("the answer is too large");
    return { status, body: bytes.toString("utf8"), tag: answered.etag ?? "" };
  };
}

/** Bytes: more than any object that is kept. */
const MAX_OBJECT = 16 * 2 ** 20;

/** Milliseconds for one file: the largest has some hundred KB. */
const PATIENCE = 60_000;

/**
 * Writes objects by their keys.
 *
 * @throws OutriggerError naming the object that cannot be written, and why
 */
export async function uploadObjects(
  bucket: string,
  objects: ReadonlyMap<string, Uint8Array>,
  target: Pick<AwsTarget, "profile"> & { readonly region: string },
  { env }: Io,
): Promise<void> {
  const { region } = target;
  const store = bucketStore(bucket, region, awsCredentials(target), { env, timeout: PATIENCE });
  for (const [key, bytes] of objects) {
    await store.putFile(key, bytes).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      return awsFailure({ doing: `write s3://${bucket}/${key}`, action: "s3:PutObject", region })(cause);
    });
  }
}
