// The authenticator of an API server of EKS, for tests: each token of EKS is the same principal's.
import { createServer } from "node:http";
import type { JsonObject } from "@outrigger/base";
import { bodyOf, closing, listening } from "../../support/loopback.ts";

const PRINCIPAL = { username: "registrar", groups: ["outrigger-registrars"] };

export async function startTokenReview() {
  const server = createServer(async (request, response) => {
    const review = JSON.parse(await bodyOf(request)) as JsonObject & { readonly spec: { readonly token: string } };
    const isOfEks = review.spec.token.startsWith("k8s-aws-v1.");
    const status = isOfEks ? { authenticated: true, user: PRINCIPAL } : { authenticated: false };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ apiVersion: review["apiVersion"], kind: "TokenReview", status }));
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, close: () => closing(server) };
}
