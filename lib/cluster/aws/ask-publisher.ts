// The call of the publish function, the one writer of cluster records. Knows nothing of what is asked.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { InvokeCommand, type LambdaClient } from "@aws-sdk/client-lambda";
import { awsFailure } from "@outrigger/aws";
import { type ErrorCode, isObject, type JsonObject, OutriggerError, objectOf, parseJson } from "@outrigger/base";
import type { PublisherRequest, PublisherResult } from "@outrigger/publisher";
import { otherVersion, refusedByOther } from "./other-version.ts";

/** The answer of a publisher that did what it was asked. */
export type Published = Extract<PublisherResult, { readonly ok: true }>;

/** Sends a request to the publish function and waits; what the function refuses is thrown as the error that it found. */
export type AskPublisher = (request: PublisherRequest) => Promise<Published>;

/** Milliseconds that a busy function is asked again for, before the first repetition, and at most between two. */
const PATIENCE = 120_000;
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 3000;

/**
 * Asks the publish function. A request that may have arrived is never sent again; one that the function had no capacity for is. What is of
 * a person's own wording is parsed before: what this version takes, and the function does not, is another version's.
 *
 * @param client must not repeat calls itself (`maxAttempts: 1`)
 * @param ours the version of Outrigger that asks
 * @throws OutriggerError the publisher's own, or that of the way there; `version-mismatch` where the function and the one who asks
 *   do not know the same requests and answers
 */
export function publisherOf(
  client: LambdaClient,
  functionName: string,
  { region, version: ours, hear = () => {} }: PublisherSettings,
): AskPublisher {
  return async (request) => {
    const sent = { ...request, id: request.id ?? randomUUID() };
    const command = new InvokeCommand({
      FunctionName: functionName,
      InvocationType: "RequestResponse",
      Payload: Buffer.from(JSON.stringify(sent)),
    });
    const { FunctionError, Payload } = await whenFree(() => client.send(command)).catch((cause: unknown) => {
      if (cause instanceof Error && cause.name === "ResourceNotFoundException") {
        // The stage, where the function has the name that a deployment gives it.
        const [, stage] = /^outrigger-(.+)-publish$/.exec(functionName) ?? [];
        const deploy = `outrigger deploy${stage === undefined ? "" : ` --stage ${stage}`}`;
        const missing = `There is no function "${functionName}" in ${region}: deploy first (${deploy}), or name the deployment with --deployment and its Region with --region`;
        throw new OutriggerError("aws-unavailable", missing, { path: functionName, cause });
      }
      return awsFailure({ doing: `call function "${functionName}"`, action: "lambda:InvokeFunction", region })(cause);
    });
    const answer = FunctionError === undefined ? parseJson(Buffer.from(Payload ?? []).toString("utf8")) : undefined;
    const { version } = objectOf(answer);
    const asked = { functionName, theirs: typeof version === "string" ? version : undefined, ours };
    if (asked.theirs !== undefined) hear(asked.theirs);
    const result = parseResult(objectOf(answer));
    if (result === undefined) {
      if (asked.theirs !== undefined && asked.theirs !== ours) throw otherVersion("its answer cannot be read", asked);
      const failed = `Function "${functionName}" failed: see its log (aws logs tail /aws/lambda/${functionName}) and run this again`;
      throw new OutriggerError("aws-unavailable", failed, { path: functionName });
    }
    if (result.ok) return result;
    const { code, message, ...place } = result.error;
    throw refusedByOther(sent, result.error, asked) ?? new OutriggerError(code, message, place);
  };
}

interface PublisherSettings {
  readonly region: string;
  readonly version: string;
  /** Gets the version that the function says it is, with each of its answers. */
  readonly hear?: (theirs: string) => void;
}

/** Repeats a call that was refused because the function runs already: with that refusal it has not been made. */
async function whenFree<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + PATIENCE;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof Error && error.name === "TooManyRequestsException";
      if (!isBusy || Date.now() + pause > end) throw error;
    }
    await setTimeout(pause * (0.5 + Math.random() / 2));
  }
}

function parseResult({ version: _, ...value }: JsonObject): PublisherResult | undefined {
  const { ok, error } = value;
  if (ok === true) return isDone(value) ? value : undefined;
  if (!isObject(error) || typeof error["message"] !== "string") return undefined;
  const { message, code, path } = error;
  return { ok: false, error: { code: code as ErrorCode, message, ...(typeof path === "string" && { path }) } };
}

/** A later publisher may say more. */
function isDone(value: object): value is Published {
  const { message, seq, changed, warnings } = objectOf(value);
  const isSaid = typeof message === "string" && Array.isArray(warnings);
  return isSaid && typeof seq === "number" && typeof changed === "boolean";
}
