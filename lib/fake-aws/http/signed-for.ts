import type { IncomingMessage } from "node:http";

/** The access key, the Region and the service that a request is signed for; empty texts where it is not signed. */
export function signedFor({ headers }: Pick<IncomingMessage, "headers">) {
  const [, key = "", region = "", service = ""] =
    /Credential=([\w-]+)\/\d+\/([a-z0-9-]+)\/([a-z0-9]+)\/aws4_request/.exec(headers.authorization ?? "") ?? [];
  return { key, region, service };
}
