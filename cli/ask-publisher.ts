// Owns the call of the publish function. Loaded only when a command needs it: the SDK is most of the tool.
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { OutriggerError } from "../lib/errors.ts";
import { isObject, type JsonValue } from "../lib/json.ts";
import type { PublisherRequest, PublisherResult } from "../lib/store/publisher-request.ts";
import { awsError } from "./aws-error.ts";
import { type AwsTarget, awsClientConfig } from "./aws-options.ts";

/** The function runs once at a time: whoever comes second is throttled, and waits for its turn. */
const ATTEMPTS = 8;

/** Longer than the function may take. */
const PATIENCE = 150_000;

/** Something that asks the publish function of a deployment. */
export function lambdaPublisher(target: AwsTarget): (request: PublisherRequest) => Promise<PublisherResult> {
  const client = new LambdaClient({
    ...awsClientConfig(target),
    maxAttempts: ATTEMPTS,
    requestHandler: { requestTimeout: PATIENCE, connectionTimeout: 5000 },
  });
  return async (request) => {
    const { payload, failed } = await invoke(client, request, target);
    const result = parse(payload);
    if (!failed && isResult(result)) return result;
    const reason =
      isObject(result) && typeof result["errorMessage"] === "string" ? result["errorMessage"] : "it gave no answer";
    throw new OutriggerError(
      "aws-unavailable",
      `Cannot have ${target.publisher} do it: ${reason}; nothing is half done: run it again, and look at the function's log if it stays so`,
    );
  };
}

async function invoke(client: LambdaClient, request: PublisherRequest, target: AwsTarget) {
  try {
    const { Payload, FunctionError } = await client.send(
      new InvokeCommand({ FunctionName: target.publisher, Payload: new TextEncoder().encode(JSON.stringify(request)) }),
    );
    return { payload: Payload ?? new Uint8Array(), failed: FunctionError !== undefined };
  } catch (cause) {
    throw awsError(`ask ${target.publisher}`, cause, target);
  }
}

function parse(payload: Uint8Array): JsonValue {
  try {
    return JSON.parse(new TextDecoder().decode(payload)) as JsonValue;
  } catch {
    return null;
  }
}

function isResult(value: unknown): value is PublisherResult {
  if (!isObject(value)) return false;
  const { ok, error, message, seq } = value;
  if (ok === false) return isObject(error) && typeof error["message"] === "string";
  return ok === true && typeof message === "string" && typeof seq === "number";
}
