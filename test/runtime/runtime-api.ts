// Lambda's side of a function: the Runtime API (2018-06-01) on loopback, one invocation at a time, with the limits that
// Lambda has.
import { createServer, type ServerResponse } from "node:http";
import { bodyOf, closing, listening } from "../support/loopback.ts";

/** Bytes of an answer that Lambda takes. */
const LARGEST_ANSWER = 6_291_556;

export type Outcome =
  | { readonly kind: "answer"; readonly value: unknown }
  /** The error that the function threw, or `Function.ResponseSizeTooLarge`. */
  | { readonly kind: "error"; readonly type: string; readonly message: string }
  /** Nothing came within the function's timeout. */
  | { readonly kind: "timeout" };

export interface RuntimeApi {
  /** `host:port`. */
  readonly address: string;
  /** Hands out an event, and waits for what happens to it. */
  readonly invoke: (event: unknown, timeout: number) => Promise<Outcome>;
  /** Done when the runtime has asked for work: the moment from which Lambda may freeze it. */
  readonly idle: () => Promise<void>;
  /** Makes what was under way fail with what the process wrote last. */
  readonly processEnded: (last: string) => void;
  /** Returns what the runtime reported before it asked for work. */
  readonly initErrors: () => readonly string[];
  readonly close: () => Promise<void>;
}

interface Invocation {
  readonly id: string;
  readonly body: string;
  readonly deadline: number;
  readonly end: (outcome: Outcome) => void;
}

/** @param traceId as X-Ray's header has it; by default, nothing is recorded */
export async function startRuntimeApi(traceId = "Root=1-5759e988-bd862e3fe1be46a994272793"): Promise<RuntimeApi> {
  const initErrors: string[] = [];
  const queue: Invocation[] = [];
  const open = new Map<string, Invocation>();
  let waiting: ServerResponse | undefined;
  let count = 0;
  let becomeIdle = () => {};

  const handOut = () => {
    if (waiting === undefined || waiting.destroyed) return;
    const invocation = queue.shift();
    if (invocation === undefined) return;
    open.set(invocation.id, invocation);
    waiting.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": invocation.id,
      "lambda-runtime-deadline-ms": String(invocation.deadline),
      "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:123456789012:function:outrigger",
      "lambda-runtime-trace-id": traceId,
    });
    waiting.end(invocation.body);
    waiting = undefined;
  };

  const server = createServer(async (request, response) => {
    const [, id = "", what] = /\/runtime\/(?:invocation|init)\/?([^/]*)\/?(.*)$/.exec(request.url ?? "") ?? [];
    if (id === "next") {
      waiting = response;
      becomeIdle();
      return handOut();
    }
    const body = await bodyOf(request);
    response.writeHead(202, { "content-type": "application/json" });
    if (request.url?.endsWith("/init/error")) {
      initErrors.push(body);
      return response.end('{"status":"OK"}');
    }
    const invocation = open.get(id);
    open.delete(id);
    invocation?.end(outcomeOf(what === "response", body));
    return response.end('{"status":"OK"}');
  });
  return {
    address: `127.0.0.1:${await listening(server)}`,
    invoke: (event, timeout) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve({ kind: "timeout" }), timeout);
        count += 1;
        queue.push({
          id: `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`,
          body: JSON.stringify(event),
          deadline: Date.now() + timeout,
          end: (outcome) => {
            clearTimeout(timer);
            resolve(outcome);
          },
        });
        handOut();
      }),
    idle: () =>
      new Promise((resolve) => {
        if (waiting !== undefined) resolve();
        else becomeIdle = resolve;
      }),
    processEnded: (message) => {
      waiting = undefined;
      for (const { end } of [...open.values(), ...queue.splice(0)])
        end({ kind: "error", type: "Runtime.ExitError", message });
      open.clear();
    },
    initErrors: () => initErrors,
    close: () => closing(server),
  };
}

function outcomeOf(isResponse: boolean, body: string): Outcome {
  if (!isResponse) {
    const { errorType = "", errorMessage = "" } = JSON.parse(body);
    return { kind: "error", type: errorType, message: errorMessage };
  }
  const bytes = Buffer.byteLength(body);
  if (bytes <= LARGEST_ANSWER) return { kind: "answer", value: JSON.parse(body) };
  return { kind: "error", type: "Function.ResponseSizeTooLarge", message: `${bytes} bytes` };
}
