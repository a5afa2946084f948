// EKS's endpoint in front of an API server that a kubeconfig names: `start --fake --kubeconfig`. The API server cannot review EKS's tokens,
// so those of this fake are passed on as the kubeconfig's user. Loopback only.
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ownError } from "@outrigger/base";
import type { KubeExchange } from "@outrigger/cluster";
import type { Certificate } from "./certificate.ts";
import { KEPT_OPEN } from "./local-server.ts";

export interface EksRelay {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts it on a free port.
 *
 * @param accessKey of this fake: a secret, because a token of EKS shows who has signed it, and signatures are not checked
 */
export async function startEksRelay(
  certificate: Certificate,
  accessKey: string,
  exchange: KubeExchange,
): Promise<EksRelay> {
  const server = createServer({ ...certificate, ...KEPT_OPEN }, async (request, response) => {
    const answer = (status: number, body: string, headers: Readonly<Record<string, string | readonly string[]>> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    const refuse = (code: number, message: string) =>
      answer(code, JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, code }));
    try {
      if (!isSignedWith(accessKey, request.headers.authorization)) return refuse(401, "Unauthorized");
      const { method = "GET", url: path = "/", headers } = request;
      const body = String(await buffer(request));
      const sent = body === "" ? {} : { body, contentType: headers["content-type"] ?? "application/json" };
      const {
        status,
        body: text,
        warnings,
        date,
        retryAfter,
      } = await exchange({
        ...{ method, path, ...sent },
        timeoutMilliseconds: TIMEOUT,
      });
      return answer(status, text, {
        ...(warnings && { warning: warnings.map((warning) => `299 - ${JSON.stringify(warning)}`) }),
        ...(date && { date }),
        ...(retryAfter && { "retry-after": String(retryAfter) }),
      });
    } catch (error) {
      return refuse(503, ownError(error).message);
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The longest that a command waits for an answer. */
const TIMEOUT = 70_000;

/** Whether a bearer token is one of EKS that this access key has signed: a URL of STS in base64, with the key in it. */
function isSignedWith(accessKey: string, authorization = ""): boolean {
  const [, encoded] = /^Bearer k8s-aws-v1\.([\w-]+)$/.exec(authorization) ?? [];
  const text = encoded === undefined ? "" : Buffer.from(encoded, "base64url").toString();
  const credential = URL.canParse(text) ? (new URL(text).searchParams.get("X-Amz-Credential") ?? "") : "";
  const [given, wanted] = [Buffer.from(credential.split("/")[0] ?? ""), Buffer.from(accessKey)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
