// The entry of the publish function: its settings, its clients, and the shipped templates that lie beneath every tree.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { tree as shipped } from "outrigger:shipped-tree";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import {
  type CallOptions,
  layoutOf,
  namedBucket,
  signedEventBus,
  signedObjectStore,
  signedStackStatus,
  ssmParameterStore,
  storeError,
  type Tier,
} from "@outrigger/aws";
import { defined, OutriggerError, once } from "@outrigger/base";
import { alarmStates, deploymentMetrics } from "@outrigger/cluster";
import { readGuardrails } from "@outrigger/guardrails";
import { changeEventKind, type PublisherDependencies, parseHold } from "@outrigger/publisher";
import { metricLine } from "@outrigger/serving";
import { respond } from "../cloudformation-response.ts";
import { REQUEST_LIMITS, setting } from "../environment.ts";
import type { PublishFunction } from "./dependencies.ts";
import { publishHandler } from "./handler.ts";
import { pacedStore } from "./paced-store.ts";
import { editorOf, takeOffLabels } from "./parameter-history.ts";
import { unlabelledStore } from "./unlabelled-store.ts";

// Latency does not matter here, and an abandoned commit costs readers a second call.
const client = new SSMClient({ maxAttempts: 10, retryMode: "adaptive", requestHandler: REQUEST_LIMITS });
/** Put in when the function is bundled. */
declare const OUTRIGGER_VERSION: string;

const layout = layoutOf(setting("OUTRIGGER_PREFIX"));

const BUCKET = setting("OUTRIGGER_RELEASE_BUCKET");

const now = () => new Date();
const write = (line: string) => void process.stdout.write(line);
const store = unlabelledStore(
  ssmParameterStore(client, bucketOf(BUCKET, process.env)),
  takeOffLabels(client),
  (message) => write(metricLine({ level: "warn", event: "label", timestamp: now().getTime(), fields: { message } })),
);

/** Milliseconds between two calls for an edit: half of an account's usual budget is left to people who wait. */
const INTERVAL = 50;

/** Most deployments have no rollout under way: it is made when it is needed. */
const cloudWatch = once(() => new CloudWatchClient({ requestHandler: REQUEST_LIMITS }));

const STACK = setting("OUTRIGGER_STACK");

export const handler = publishHandler({
  store,
  automaticStore: pacedStore(store, INTERVAL, { now, sleep: (milliseconds) => sleep(milliseconds) }),
  layout,
  tier: tier(process.env["OUTRIGGER_TIER"]),
  bucket: BUCKET,
  ...primary(process.env["OUTRIGGER_REPLICA_OF"] ?? "", process.env["OUTRIGGER_REPLICA_OF_STAGE"] ?? ""),
  stage: setting("OUTRIGGER_STAGE"),
  version: OUTRIGGER_VERSION,
  // A deployment without a mesh has nothing of Istio below its trees, and an empty first release.
  shipped: process.env["OUTRIGGER_MESH"] === "none" ? { config: "mesh: none\n" } : shipped,
  now,
  sleep: (milliseconds) => sleep(milliseconds),
  editorOf: editorOf(client),
  guardrails: readGuardrails(process.env["OUTRIGGER_GUARDRAILS"] ?? ""),
  hold: parseHold(process.env["OUTRIGGER_HOLD"]),
  environment: process.env["OUTRIGGER_ENVIRONMENT"] ?? "",
  alarmStates: alarmStates(cloudWatch),
  countReleases: (question, options) => {
    const { countReleases } = deploymentMetrics(cloudWatch(), setting("OUTRIGGER_STAGE"), setting("AWS_REGION"));
    return countReleases({ ...question, now: Date.now() }, options);
  },
  ...events(process.env["OUTRIGGER_EVENT_BUS"] ?? ""),
  canaryToken: `${layout.prefix}/canary/token`,
  makeToken: () => randomBytes(32).toString("base64url"),
  putSecret,
  stackId: STACK,
  stackStatus: (stack, options) => signedStackStatus(stack, process.env, options?.signal),
  respond: ({ request, response }, options) => {
    // One for each custom resource of the stack.
    const physicalId = `outrigger-${request.LogicalResourceId.toLowerCase()}-${layout.prefix.slice(1)}`;
    return respond({ request, response, physicalId, region: setting("AWS_REGION") }, options);
  },
  write,
});

/** The deployment's own key; without one, that of Parameter Store. */
const KEY = process.env["OUTRIGGER_KMS_KEY"] ?? "";

async function putSecret(
  { name, value, overwrite }: Parameters<PublishFunction["putSecret"]>[0],
  { signal }: CallOptions = {},
): Promise<void> {
  try {
    const secret = { Name: name, Value: value, Type: "SecureString", Overwrite: overwrite } as const;
    const command = new PutParameterCommand({ ...secret, ...(KEY !== "" && { KeyId: KEY }) });
    await client.send(command, defined({ abortSignal: signal }));
  } catch (error) {
    throw storeError(error, "write", [name]);
  }
}

function primary(region: string, stage: string): Pick<PublisherDependencies, "primary"> {
  if (region === "") return {};
  const client = new SSMClient({ region, maxAttempts: 5, retryMode: "adaptive", requestHandler: REQUEST_LIMITS });
  const layout = layoutOf(`/outrigger/${stage}`);
  const bucket = namedBucket({ getParameters: (names, options) => store.getParameters(names, options) }, layout);
  const store = ssmParameterStore(client, bucketOf(bucket, { ...process.env, AWS_REGION: region }));
  return { primary: { store, layout, name: region } };
}

/** Changes are sent to the bus that the deployment names. */
function events(bus: string): Pick<PublisherDependencies, "sendEvents"> {
  if (bus === "") return {};
  const { putEvents } = signedEventBus(bus, process.env);
  return {
    sendEvents: (changes, options) =>
      putEvents(
        changes.map((detail) => ({ ...changeEventKind, time: new Date(detail.at), detail })),
        options,
      ),
  };
}

function bucketOf(bucket: Parameters<typeof signedObjectStore>[0]["bucket"], env: NodeJS.ProcessEnv) {
  return signedObjectStore({ bucket, env, attempts: 5, timeout: 10_000, sleep: (milliseconds) => sleep(milliseconds) });
}

function tier(value: string | undefined): Tier {
  if (value === "Standard" || value === "Advanced") return value;
  if (value === undefined || value === "") return "Standard";
  const message = "OUTRIGGER_TIER must be Standard or Advanced: set tier in outrigger.<stage>.yml and deploy";
  throw new OutriggerError("usage", message);
}
