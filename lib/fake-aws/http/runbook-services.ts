// Calls of the runbooks: a function's reserved concurrency, which is kept and shown, and by which the server of the webhook stops at 0; and
// the queue of dead letters, which is empty.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, parseJson } from "@outrigger/base";
import { escaped, isForm, operationOf } from "./refuse-operation.ts";

/** Lambda's concurrency of an account. */
const CONCURRENCY = 1000;

/** Answers Lambda's calls about concurrency; false for any other. */
export function answerConcurrency(
  { reserved, functions }: { readonly reserved: Map<string, number>; readonly functions: ReadonlyMap<string, object> },
  { method, url = "/" }: IncomingMessage,
  body: string,
  response: ServerResponse,
): boolean {
  const [path = ""] = url.split("?");
  const answer = (status: number, content?: object) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(content && JSON.stringify(content));
    return true;
  };
  if (method === "GET" && /^\/2016-08-19\/account-settings\/?$/.test(path)) {
    const left = [...reserved.values()].reduce((sum, count) => sum - count, CONCURRENCY);
    return answer(200, {
      AccountLimit: { ConcurrentExecutions: CONCURRENCY, UnreservedConcurrentExecutions: left },
      AccountUsage: { FunctionCount: functions.size },
    });
  }
  const [, encoded] = /^\/20\d\d-\d\d-\d\d\/functions\/([^/]+)\/concurrency$/.exec(path) ?? [];
  if (encoded === undefined) return false;
  const name = decodeURIComponent(encoded).split(":").at(-1) as string;
  if (!functions.has(name)) {
    response.setHeader("x-amzn-errortype", "ResourceNotFoundException");
    return answer(404, { message: `Function not found: ${name}` });
  }
  if (method === "DELETE") {
    reserved.delete(name);
    return answer(204);
  }
  if (method === "PUT") {
    const given = parseJson(body);
    reserved.set(name, Number(isObject(given) ? given["ReservedConcurrentExecutions"] : 0));
  }
  const count = reserved.get(name);
  return answer(200, count === undefined ? {} : { ReservedConcurrentExecutions: count });
}

/** What is answered of the queue of dead letters, by operation. */
const QUEUE_ANSWERS: Readonly<Record<string, (url: string) => Readonly<Record<string, string>>>> = {
  GetQueueUrl: (QueueUrl) => ({ QueueUrl }),
  ReceiveMessage: () => ({}),
  PurgeQueue: () => ({}),
};

/**
 * Answers what is asked of the queue of dead letters, as JSON or in the form of older command lines (SQS's "AWS query protocol"); false
 * for any other call of SQS.
 */
export function answerDeadLetters(request: IncomingMessage, body: string, response: ServerResponse): boolean {
  const operation = operationOf(request, body);
  if (!Object.hasOwn(QUEUE_ANSWERS, operation)) return false;
  const name = queueNameIn(request, body);
  const answer = QUEUE_ANSWERS[operation]?.(`http://${request.headers.host}/111122223333/${name}`) ?? {};
  const isThere = /^outrigger-[\w-]+-publish-dead-letters$/.test(name);
  const message = `this fake has no queue ${name}`;
  if (isForm(request)) {
    response.writeHead(isThere ? 200 : 400, { "content-type": "text/xml" });
    const fields = Object.entries(answer).map(([field, value]) => `<${field}>${escaped(value)}</${field}>`);
    const result = `<${operation}Result>${fields.join("")}</${operation}Result>`;
    const error = `<Error><Type>Sender</Type><Code>AWS.SimpleQueueService.NonExistentQueue</Code><Message>${escaped(message)}</Message></Error>`;
    response.end(
      isThere ? `<${operation}Response>${result}</${operation}Response>` : `<ErrorResponse>${error}</ErrorResponse>`,
    );
    return true;
  }
  response.setHeader("content-type", "application/x-amz-json-1.0");
  if (isThere) response.end(JSON.stringify(answer));
  else {
    const type = "com.amazonaws.sqs#QueueDoesNotExist";
    response.writeHead(400, { "x-amzn-errortype": type });
    response.end(JSON.stringify({ __type: type, message }));
  }
  return true;
}

/** The queue that is named or whose URL is given; a form may be sent to that URL. */
function queueNameIn(request: IncomingMessage, body: string): string {
  const given = isForm(request) ? Object.fromEntries(new URLSearchParams(body)) : parseJson(body);
  const { QueueName, QueueUrl } = (isObject(given) ? given : {}) as Readonly<Record<string, unknown>>;
  const [name = ""] = String(QueueName ?? QueueUrl ?? request.url ?? "")
    .split("/")
    .slice(-1);
  return name;
}
