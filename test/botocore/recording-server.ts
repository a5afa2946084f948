// A loopback server that records every request, and refuses it with an error that no client repeats unless it has an answer.
import { createServer } from "node:http";
import { bodyOf, closing, listening } from "../support/loopback.ts";
import type { RecordedRequest } from "./model.ts";

export interface RecordingServer {
  readonly url: string;
  readonly requests: RecordedRequest[];
  readonly close: () => Promise<void>;
}

/** @param answers by the `x-amz-target` or the URL of a request, for clients that ask a second question only after an answer */
export async function startRecordingServer(answers: Readonly<Record<string, string>> = {}): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { rawHeaders, method = "", url = "" } = request;
    const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : []));
    requests.push({ method, url, headers, body: await bodyOf(request) });
    const answer = answers[String(request.headers["x-amz-target"] ?? url)];
    if (answer !== undefined) {
      response.end(answer);
      return;
    }
    response.writeHead(400, { "x-amzn-errortype": "ValidationException" });
    response.end('{"__type":"ValidationException","message":"recorded"}');
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, requests, close: () => closing(server) };
}
