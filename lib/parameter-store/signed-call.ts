// Owns one call of an AWS service that speaks JSON, signed, over one connection. Knows no operation.
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { SignatureV4 } from "@smithy/signature-v4";
import { isObject, type JsonValue } from "../json.ts";
import { once } from "../once.ts";
import { type Environment, serviceEndpoint } from "./service-endpoint.ts";

/**
 * One operation: its target, its input, the signal that gives it up.
 *
 * @throws Error with the `name` and `message` that the service gave and the `status` it came with; as Node's own, without a
 * status, where no answer came or none that could be read
 */
export type Call = (target: string, input: JsonValue, signal?: AbortSignal) => Promise<JsonValue>;

/** @param sent is called for every request that was sent: from then on there is nothing to do but wait */
export function signedCaller(service: string, env: Environment, sent: () => void = () => {}): Call {
  const region = env["AWS_REGION"] ?? "";
  const signer = new SignatureV4({ service, region, sha256: Sha256, credentials: async () => credentialsOf(env) });
  const sender = once(() => senderTo(serviceEndpoint(service, env), sent));
  return async (target, input, signal) => {
    const { endpoint, send } = sender();
    const body = JSON.stringify(input);
    const { headers } = await signer.sign({
      method: "POST",
      protocol: endpoint.protocol,
      hostname: endpoint.hostname,
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.1", host: endpoint.host, "x-amz-target": target },
      body,
    });
    return read(await send(headers, body, signal));
  };
}

/** Lambda gives a function its credentials in the environment and replaces the process before they expire. */
function credentialsOf(env: Environment) {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (accessKeyId && secretAccessKey) {
    return sessionToken ? { accessKeyId, secretAccessKey, sessionToken } : { accessKeyId, secretAccessKey };
  }
  throw named("CredentialsProviderError", "AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set");
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Connections are not kept: the process is stopped between requests, and a connection that the other side has closed
 * meanwhile fails the very call that it was kept for. TLS sessions are, by the agent.
 */
function senderTo(url: URL, sent: () => void) {
  const isSecure = url.protocol === "https:";
  const request = isSecure ? requestHttps : requestHttp;
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: false });
  const send = (headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal | undefined) =>
    new Promise<Answer>((resolve, reject) => {
      const options = { method: "POST", agent, headers: { ...headers, "content-length": Buffer.byteLength(body) } };
      request(url, signal === undefined ? options : { ...options, signal }, (response) =>
        collect(response, resolve, reject),
      )
        .on("error", reject)
        .on("finish", sent)
        .end(body);
    });
  return { endpoint: url, send };
}

function collect(response: IncomingMessage, resolve: (answer: Answer) => void, reject: (error: Error) => void): void {
  const { statusCode: status = 0 } = response;
  let body = "";
  response
    .setEncoding("utf8")
    .on("data", (text: string) => {
      body += text;
    })
    .on("error", reject)
    .on("end", () => resolve({ status, body }));
}

function read({ status, body }: Answer): JsonValue {
  if (status >= 200 && status < 300) return JSON.parse(body) as JsonValue;
  const { __type: type, message, Message } = parseProblem(body);
  // `com.amazonaws.ssm#ThrottlingException`, `ThrottlingException:http://…` or the name alone.
  const name = typeof type === "string" ? (type.split("#").at(-1)?.split(":")[0] ?? "") : "";
  const words = [message, Message].find((text) => typeof text === "string") ?? `status ${status}`;
  throw Object.assign(named(name || "Error", String(words)), { status });
}

function parseProblem(body: string) {
  try {
    const value = JSON.parse(body) as JsonValue;
    return isObject(value) ? value : {};
  } catch {
    return {}; // A gateway on the way may answer anything.
  }
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** SHA-256, or with a secret its HMAC, as the signer makes them. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: Bytes) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", binary(secret));
  }

  update(data: Bytes): void {
    this.#hash.update(binary(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

function binary(data: Bytes): string | NodeJS.ArrayBufferView {
  return data instanceof ArrayBuffer ? new Uint8Array(data) : (data as string | NodeJS.ArrayBufferView);
}
