// Clients of the local server: one that sends a review as API servers do, one that takes its time, and one that hangs up.
import { Agent, request } from "node:http";

export type Manner = "whole" | "slow" | "cut";

export interface Answer {
  readonly manner: Manner;
  /** The HTTP status, or 0 if there was none. */
  readonly status: number;
  /** Whether the answer is about the review that was sent. */
  readonly isOwn: boolean;
  readonly milliseconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const PIECES = 4;
/** Milliseconds between two pieces of a slow client's body. */
const PAUSE = 25;

/** @param uid of the review: the answer has to name it */
export function sendReview(url: string, body: string, uid: string, manner: Manner): Promise<Answer> {
  const started = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, isOwn: boolean) =>
      resolve({ manner, status, isOwn, milliseconds: performance.now() - started });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => end(0, false));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        end(response.statusCode ?? 0, response.statusCode === 200 && JSON.parse(text).response.uid === uid);
      });
    });
    call.on("error", () => end(0, false));
    if (manner === "whole") call.end(body);
    else if (manner === "cut") {
      call.write(body.slice(0, body.length / 2), () => call.destroy());
    } else {
      const bytes = Buffer.from(body);
      const size = Math.ceil(bytes.length / PIECES);
      let sent = 0;
      const next = () => {
        call.write(bytes.subarray(sent, sent + size));
        sent += size;
        if (sent < bytes.length) setTimeout(next, PAUSE);
        else call.end();
      };
      next();
    }
  });
}

export function closeClients(): void {
  agent.destroy();
}
