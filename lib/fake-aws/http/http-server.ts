// The HTTP server of the fake: the AWS JSON 1.1 protocol as the unmodified SDK and command line speak it, Lambda's Invoke, and
// S3's protocol in front of the fake bucket, as far as Outrigger speaks it: GET, PUT, DELETE and listing, with paths that begin
// with the bucket. So one endpoint serves every call of Outrigger's tools. Signatures are not checked.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ObjectStore } from "@outrigger/aws";
import { defined, isObject, OutriggerError, parseJson } from "@outrigger/base";
import { fakeObjectStore, inBucket } from "../fake-object-store.ts";
import {
  createFakeService,
  type FakeService,
  type FakeServiceOptions,
  type Reply,
} from "../parameters/fake-service.ts";
import { ServiceError } from "../parameters/parameter-rules.ts";
import { endAtOnce, KEPT_OPEN } from "./connections.ts";
import { refuseOperation } from "./refuse-operation.ts";
import { answerInvocation, answerService, type FakeServices, type Invoke, invokedFunction } from "./services.ts";
import { signedFor } from "./signed-for.ts";

/** The behaviour of the server: the options of its service, and its port, functions and bucket. */
export interface FakeServerOptions extends FakeServiceOptions {
  /** 0, a free one, where it is left out. */
  readonly port?: number;
  /** Answers Lambda's Invoke; without it, there are no functions. */
  readonly invoke?: Invoke;
  /** The services that are deployed. If they are left out, nothing is. */
  readonly services?: FakeServices;
  /** The objects of all buckets, whose keys begin with the bucket's name; its own where it is left out. */
  readonly objects?: ObjectStore;
  /** A service that is there already, in place of one made from the options. */
  readonly service?: FakeService;
}

/** A server that runs. */
export type FakeServer = Awaited<ReturnType<typeof startFakeServer>>;

/** Far more than ten values of 8 KB in JSON. */
const MAX_BODY = 1024 * 1024;

/** Starts the fake on loopback. Rejects where the port cannot be had, with Node's own error. */
export async function startFakeServer(options: FakeServerOptions = {}) {
  const service = options.service ?? createFakeService(options);
  const objects = options.objects ?? fakeObjectStore();
  const server = createServer(KEPT_OPEN, (request, response) => {
    serve(request, response, service, { ...options, objects }).catch(() => response.destroy());
  });
  await once(server.listen(options.port ?? 0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** The value for AWS_ENDPOINT_URL. */
    url: `http://127.0.0.1:${port}`,
    port,
    service,
    /** The objects of all buckets, whose keys begin with the bucket's name. */
    objects,
    /** Closes every connection, calls in flight included, and continues. */
    dropConnections: () => server.closeAllConnections(),
    close: () => endAtOnce(server),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  service: FakeService,
  { invoke, services, objects }: FakeServerOptions & { readonly objects: ObjectStore },
): Promise<void> {
  response.setHeader("x-amzn-requestid", randomUUID());
  const body = await readBody(request);
  const name = invokedFunction(request);
  if (name !== undefined) return answerInvocation(request, response, { name, body, invoke, services });
  if (services !== undefined && answerService(services, request, body, response)) return;
  const isOfObjects = signedFor(request).service === "s3" && ["GET", "PUT", "DELETE"].includes(String(request.method));
  // One that names no bucket is of none.
  if (isOfObjects && !/^\/?(?:\?|$)/.test(request.url ?? ""))
    return answerObjectRequest(request, response, { body, objects });
  const target = /^AmazonSSM\.(\w+)$/.exec(String(request.headers["x-amz-target"] ?? ""))?.[1];
  if (request.method !== "POST" || target === undefined) refuseOperation(request, body, response);
  else send(response, await replyTo(target, body, service));
}

async function replyTo(target: string, body: string, service: FakeService): Promise<Reply> {
  const input = parseJson(body);
  if (!isObject(input))
    return { kind: "refused", error: new ServiceError("SerializationException", "The body is not a JSON object") };
  return service.call(target, input);
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply.kind === "hang") return;
  if (reply.kind === "reset") return void response.socket?.resetAndDestroy();
  response.setHeader("content-type", "application/x-amz-json-1.1");
  if (reply.kind === "refused") {
    const { name, message, status } = reply.error;
    response.statusCode = status;
    return void response.end(JSON.stringify({ __type: name, ...(message !== "" && { message }) }));
  }
  const text = JSON.stringify(reply.output);
  if (reply.kind === "answer") response.end(text);
  if (reply.kind === "garbled") response.end(`<html>${text}</html>`);
  if (reply.kind === "truncated") {
    response.setHeader("content-length", Buffer.byteLength(text));
    response.write(text.slice(0, Math.max(1, Math.floor(text.length / 2))), () => response.destroy());
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Objects in one answer to a listing: few, so that pages are turned. */
const PAGE = 2;

async function answerObjectRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { body, objects }: { readonly body: string; readonly objects: ObjectStore },
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, bucket = "", ...rest] = url.pathname.split("/").map(decodeURIComponent);
  const bucketObjects = inBucket(bucket, objects);
  const key = rest.join("/");
  try {
    if (request.method === "PUT") {
      const { "if-match": tag, "if-none-match": none } = request.headers;
      const condition = none === "*" ? { replaces: null } : defined({ replaces: tag });
      if (await bucketObjects.putObject({ key, text: body, ...condition })) response.end();
      else if (tag !== undefined && (await bucketObjects.getObject(key)) === undefined) refuseMissing(response);
      else refuse(response, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
    } else if (request.method === "DELETE") {
      await bucketObjects.deleteObject(key);
      response.writeHead(204).end();
    } else if (url.searchParams.has("list-type")) {
      response.end(await listing(url.searchParams, bucketObjects));
    } else if (url.searchParams.has("versions")) {
      response.end(await versions(url.searchParams, bucketObjects));
    } else {
      const object = await bucketObjects.getObject(key);
      if (object === undefined) refuseMissing(response);
      else response.setHeader("etag", object.tag).end(object.text);
    }
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const { name, status } = error.cause as { readonly name: string; readonly status?: number };
    // An answer that is lost is none.
    if (status === undefined) response.socket?.resetAndDestroy();
    else refuse(response, status, name, error.message);
  }
}

function refuseMissing(response: ServerResponse): void {
  refuse(response, 404, "NoSuchKey", "The specified key does not exist.");
}

/** The fake keeps no earlier versions: each object has the one that is there. */
async function versions(query: URLSearchParams, objects: ObjectStore): Promise<string> {
  const all = await objects.listObjects(query.get("prefix") ?? "");
  const contents = all.map(({ key }) => `<Version><Key>${key}</Key><VersionId>null</VersionId></Version>`);
  return `<ListVersionsResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListVersionsResult>`;
}

async function listing(query: URLSearchParams, objects: ObjectStore): Promise<string> {
  const all = await objects.listObjects(query.get("prefix") ?? "");
  const start = Number(query.get("continuation-token") ?? 0);
  const contents = all
    .slice(start, start + PAGE)
    .map(
      ({ key, lastModified }) =>
        `<Contents><Key>${key}</Key><LastModified>${new Date(lastModified).toISOString()}</LastModified></Contents>`,
    );
  const isTruncated = start + PAGE < all.length;
  const next = isTruncated ? `<NextContinuationToken>${start + PAGE}</NextContinuationToken>` : "";
  return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`;
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}
