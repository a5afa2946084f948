// The entry of the canary function: a schedule's event in. Every minute one call of the webhook through its public URL, and
// once an hour a look at what was deployed.
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SSMClient } from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import { findDrift } from "@outrigger/cluster";
import { setting } from "../environment.ts";
import { createCanary } from "./canary.ts";
import { readToken } from "./read-token.ts";
import { reportDrift } from "./report-drift.ts";

/** Milliseconds that Parameter Store may take. */
const STORE_TIMEOUT = 3000;

const name = `${setting("OUTRIGGER_PREFIX")}/canary/token`;
const client = new SSMClient({ maxAttempts: 2 });
const common = {
  url: setting("OUTRIGGER_URL"),
  stage: setting("OUTRIGGER_STAGE"),
  mayAddNothing: process.env["OUTRIGGER_MESH"] === "none",
  ...defined({ connectTo: process.env["OUTRIGGER_CONNECT_TO"] || undefined }),
  write: (line: string) => void process.stdout.write(line),
  now: Date.now,
};

const call = createCanary({ ...common, readToken: () => readToken(client, name, STORE_TIMEOUT) });

/** The schedules say which of the two; an event of a person's is a call. */
export async function handler(event: { readonly look?: unknown } | undefined): Promise<unknown> {
  return event?.look === "drift" ? reportDrift({ ...common, look }) : call();
}

/** Two attempts of each request fit into what the function may take. */
function look(): ReturnType<typeof findDrift> {
  const requestHandler = { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true };
  const clients = { maxAttempts: 2, requestHandler };
  const aws = {
    cloudFormation: new CloudFormationClient(clients),
    cloudWatch: new CloudWatchClient(clients),
    logs: new CloudWatchLogsClient(clients),
    lambda: new LambdaClient(clients),
    region: setting("AWS_REGION"),
  };
  return findDrift({ ...common, deployment: common.stage, aws });
}
