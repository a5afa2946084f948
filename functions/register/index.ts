// The entry of the register function: its settings and its clients.
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { EKSClient } from "@aws-sdk/client-eks";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SSMClient } from "@aws-sdk/client-ssm";
import { layoutOf } from "@outrigger/aws";
import { connectEks, deploymentAlarms, publisherOf, selfTest } from "@outrigger/cluster";
import { respond } from "../cloudformation-response.ts";
import { REQUEST_LIMITS, setting } from "../environment.ts";
import { registerHandler } from "./handler.ts";
import { readClusterRecord } from "./read-cluster-record.ts";

/** Put in when the function is bundled. */
declare const OUTRIGGER_VERSION: string;

const region = setting("AWS_REGION");
const deployment = setting("OUTRIGGER_STAGE");
const layout = layoutOf(setting("OUTRIGGER_PREFIX"));
const clients = { region, maxAttempts: 6, requestHandler: REQUEST_LIMITS };
// The publish function may take two minutes.
const patient = { ...clients, maxAttempts: 1, requestHandler: { ...REQUEST_LIMITS, requestTimeout: 150_000 } };
const eks = new EKSClient(clients);
const { isCanaryFailing, noCalls } = deploymentAlarms(new CloudWatchClient(clients), deployment, region);
const parameterStore = new SSMClient(clients);
const sleep = async (milliseconds: number) => void (await wait(milliseconds));
const write = (line: string) => void process.stdout.write(line);
const report = (line: string) => write(`${JSON.stringify({ level: "info", message: line })}\n`);

const REMEDIATION = "this function reaches public endpoints only; register a private one with outrigger register";

export const handler = registerHandler({
  deployment,
  url: setting("OUTRIGGER_URL"),
  connect: (name) => connectEks(eks, name, { region, sleep, remediation: () => REMEDIATION }),
  ports: {
    ask: publisherOf(new LambdaClient(patient), setting("OUTRIGGER_PUBLISHER"), { region, version: OUTRIGGER_VERSION }),
    readRecord: (cluster) => readClusterRecord(parameterStore, layout.cluster(cluster)),
    selfTest: (url, settings, sleep) => selfTest(url, { ...settings, sleep, report }),
    alarm: noCalls,
    randomBytes,
    now: Date.now,
    sleep,
    report,
  },
  isCanaryFailing,
  respond: (answer, options) => respond({ ...answer, region }, options),
  write,
});
