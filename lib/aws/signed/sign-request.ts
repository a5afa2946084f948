// Signature Version 4 of the requests that serving and publishing send themselves: a POST of JSON to the path "/", as AWS's
// JSON services take it, and requests for objects of S3. Written here because a cold start waits for it (docs/contributing/adr/0003-bundle-format.md); everything else signs with the SDK's signer.
import { createHash, createHmac } from "node:crypto";
import type { Environment } from "./service-endpoint.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface SignOptions {
  readonly service: string;
  readonly region: string;
  readonly credentials: Credentials;
  readonly date: Date;
  /** POST where it is left out. */
  readonly method?: string;
  /** `/` where it is left out; encoded once, as S3 takes it. */
  readonly path?: string;
  /** Sorted by name, encoded, without a question mark. */
  readonly query?: string;
}

/**
 * The headers with those that sign the request: `x-amz-date`, `x-amz-security-token` where the credentials have one, and
 * `authorization`. All headers are signed.
 *
 * @param headers with lower-case names, `host` among them; values without white space at either end
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function signRequest(
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
  { service, region, credentials, date, method = "POST", path = "/", query = "" }: SignOptions,
): Readonly<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const day = time.slice(0, 8);
  const dated = { ...headers, "x-amz-date": time };
  const all = sessionToken === undefined ? dated : { ...dated, "x-amz-security-token": sessionToken };
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = sorted.map(([name]) => name).join(";");
  const lines = sorted.map(([name, value]) => `${name}:${value}\n`).join("");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const canonical = `${method}\n${path}\n${query}\n${lines}\n${names}\n${sha256(body)}`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...all, authorization };
}

/** Returns the SHA-256 in hexadecimal digits; for a body, what the header x-amz-content-sha256 holds. */
export function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** Lambda gives a function its credentials in the environment and replaces the process before they expire. */
export function credentialsOf(env: Environment): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) };
  const message = "AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set";
  throw Object.assign(new Error(message), { name: "CredentialsProviderError" });
}
