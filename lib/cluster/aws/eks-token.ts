// The token that an EKS API server takes: a presigned request to STS with the cluster's name among what is signed.
// Nothing is sent to STS from here: the cluster's authenticator sends it, and STS answers who signed it.
import type { EKSClient } from "@aws-sdk/client-eks";
import { awsFailure, partitionOf } from "@outrigger/aws";
import { SignatureV4 } from "@smithy/signature-v4";

/**
 * A bearer token for one cluster, as `aws eks get-token` makes it: `k8s-aws-v1.` and the URL as base64url.
 *
 * @param client whose credentials and hash are used; no call is made
 * @param now milliseconds since 1970
 */
export async function eksToken(
  { config }: Pick<EKSClient, "config">,
  { cluster, region, now }: { readonly cluster: string; readonly region: string; readonly now: number },
): Promise<string> {
  const { credentials, sha256 } = config;
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256 });
  const hostname = `sts.${region}.${partitionOf(region).domain}`;
  const request = {
    method: "GET",
    protocol: "https:",
    hostname,
    path: "/",
    query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    headers: { host: hostname, "x-k8s-aws-id": cluster },
  };
  const options = { expiresIn: EXPIRES_SECONDS, signingDate: new Date(now) };
  const call = { doing: `sign in to cluster "${cluster}"`, action: "sts:GetCallerIdentity", region };
  const signed = await signer.presign(request, options).catch(awsFailure(call));
  const query = new URLSearchParams(signed.query as Record<string, string>);
  return `k8s-aws-v1.${Buffer.from(`https://${hostname}/?${query}`).toString("base64url")}`;
}

/** EKS takes a token for a quarter of an hour after it was signed, whatever is said here. */
const EXPIRES_SECONDS = 60;

/** Milliseconds. */
const REUSED_FOR = 60_000;

/**
 * Returns a function that gives a token which is less than a minute old, and makes one where there is none. An API server asks STS about
 * each token that is new to it, and remembers the answer for two minutes: a token for each call would make each call wait for STS.
 *
 * @param make makes a token at a time, in milliseconds since 1970; where it fails, the next call tries again
 */
export function reusedToken(make: (now: number) => Promise<string>): () => Promise<string> {
  let last: { readonly token: string; readonly madeAt: number } | undefined;
  return async () => {
    const now = Date.now();
    if (last === undefined || Math.abs(now - last.madeAt) >= REUSED_FOR) last = { token: await make(now), madeAt: now };
    return last.token;
  };
}
