// The entry of the canary function: a schedule's event in, one call of the webhook through its public URL, a verdict out.
import { SSMClient } from "@aws-sdk/client-ssm";
import { defined, OutriggerError } from "@outrigger/base";
import { type CanaryResult, createCanary } from "./canary.ts";
import { readToken } from "./read-token.ts";

/** Milliseconds that Parameter Store may take. */
const STORE_TIMEOUT = 3000;

const name = `${setting("OUTRIGGER_PREFIX")}/canary/token`;
const client = new SSMClient({ maxAttempts: 2 });

/** Takes no input: the schedule's event says nothing that matters. */
export const handler: () => Promise<CanaryResult> = createCanary({
  url: setting("OUTRIGGER_URL"),
  stage: setting("OUTRIGGER_STAGE"),
  ...defined({ connectTo: process.env["OUTRIGGER_CONNECT_TO"] || undefined }),
  readToken: () => readToken(client, name, STORE_TIMEOUT),
  write: (line) => void process.stdout.write(line),
  now: Date.now,
});

function setting(key: string): string {
  const value = process.env[key];
  if (value !== undefined && value !== "") return value;
  throw new OutriggerError("usage", `${key} is not set: deploy with serverless.yml, which sets it`);
}
