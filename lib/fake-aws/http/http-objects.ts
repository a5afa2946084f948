// S3's protocol in front of the fake bucket, as far as Outrigger speaks it: GET, PUT, DELETE and listing, with paths that begin
// with the bucket.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ObjectStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";

/** Objects in one answer to a listing: few, so that pages are turned. */
const PAGE = 2;

/** Whether a request is one of S3's: those of other services are posted. */
export function isObjectRequest({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "PUT" || method === "DELETE";
}

export async function answerObjectRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { body, objects }: { readonly body: string; readonly objects: ObjectStore },
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, bucket = "", ...rest] = url.pathname.split("/");
  const place = { bucket, key: rest.join("/") };
  try {
    if (request.method === "PUT") {
      await objects.putObject(place, body);
      response.end();
    } else if (request.method === "DELETE") {
      await objects.deleteObject(place);
      response.writeHead(204).end();
    } else if (url.searchParams.has("list-type")) {
      response.end(await listing(url.searchParams, bucket, objects));
    } else {
      const text = await objects.getObject(place);
      if (text === undefined) refuse(response, 404, "NoSuchKey", "The specified key does not exist.");
      else response.end(text);
    }
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const { name, status } = error.cause as { readonly name: string; readonly status?: number };
    // An answer that is lost is none.
    if (status === undefined) response.socket?.resetAndDestroy();
    else refuse(response, status, name, error.message);
  }
}

async function listing(query: URLSearchParams, bucket: string, objects: ObjectStore): Promise<string> {
  const all = await objects.listObjects({ bucket, key: query.get("prefix") ?? "" });
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
