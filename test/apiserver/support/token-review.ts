// The authenticator of an API server of EKS, for tests: who a token of EKS is, is what a test says.
import { createServer } from "node:http";
import type { JsonObject } from "@outrigger/base";
import { bodyOf, closing, listening } from "../../support/loopback.ts";

/** A principal as an API server knows it. */
export interface Principal {
  readonly username: string;
  readonly groups: readonly string[];
}

export async function startTokenReview() {
  const state = {
    /** The principal of EKS's tokens; undefined where there is no access entry. */
    principal: { username: "registrar", groups: ["outrigger-registrars"] } as Principal | undefined,
  };
  const server = createServer(async (request, response) => {
    const review = JSON.parse(await bodyOf(request)) as JsonObject & { readonly spec: { readonly token: string } };
    const user = review.spec.token.startsWith("k8s-aws-v1.") ? state.principal : undefined;
    const status = user === undefined ? { authenticated: false } : { authenticated: true, user };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ apiVersion: review["apiVersion"], kind: "TokenReview", status }));
  });
  return Object.assign(state, {
    url: `http://127.0.0.1:${await listening(server)}`,
    close: () => closing(server),
  });
}
