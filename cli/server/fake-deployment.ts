// A whole deployment on this machine: a fake Parameter Store on loopback, the publisher, which runs when something
// is edited there, and what serves from it, by the very way that the Lambda function takes.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { type FakeServices, fakeObjectStore, fakeParameterStore, inBucket, startFakeServer } from "@outrigger/fake-aws";
import type { SourceTree } from "@outrigger/injector";
import {
  announceChanges,
  changeEventKind,
  type PublisherDependencies,
  type PublisherRequest,
  type PublisherResult,
  parsePublisherRequest,
  reconcileRollouts,
  refusalOf,
  runPublisher,
} from "@outrigger/publisher";
import { serveStore } from "@outrigger/serving";
import type { AwsConnection, AwsTarget } from "../connect/aws-connection.ts";
import { describeError } from "../terminal/describe-error.ts";
import { inTurn } from "../terminal/in-turn.ts";
import { pushTree } from "../tree/push-tree.ts";
import { listenError } from "./local-server.ts";
import { publishEdits } from "./publish-edits.ts";

export interface FakeDeploymentOptions {
  readonly target: AwsTarget;
  readonly tier: PublisherDependencies["tier"];
  readonly shipped: SourceTree;
  /** What compiles a tree over the shipped one; left out, compileRelease. */
  readonly compile?: PublisherDependencies["compile"];
  /** The texts that `source/` holds to begin with. */
  readonly tree: SourceTree;
  readonly services?: FakeServices;
  /** The version that the publish function says it is. */
  readonly version?: string;
  /** Gets the event of each change, a line of JSON each, as a rule of EventBridge's hands it to its target; left out: none is sent. */
  readonly sendEvent?: (line: string) => Promise<void>;
  /** False where edits wait for a person to publish them; left out, each is published a moment after it, as by the rule of EventBridge. */
  readonly publishesEdits?: boolean;
  /** 0 takes a free one. */
  readonly port: number;
  readonly report: (line: string) => void;
}

/** Milliseconds: how soon an edit that was published is served. The function's default is ten times this. */
const TTL = 1000;

/** Milliseconds from one look of the schedule to the next: infra/publishing.yml. */
const LOOK = 60_000;

/** The name of the deployment's bucket. */
const BUCKET = "outrigger-releases";

const CAUSE = { by: "outrigger start", why: "" };

/**
 * Starts everything, and publishes the tree. Of what is given back, `token` and `release` are those of the one cluster that is
 * registered, `url` is what AWS_ENDPOINT_URL has to be, and `connection` the deployment as commands see it, without a network.
 *
 * @throws OutriggerError where the port cannot be had, or the tree cannot be published
 */
export async function startFakeDeployment(options: FakeDeploymentOptions) {
  const { target, tier, shipped, compile, report, version, sendEvent } = options;
  const { layout } = target;
  let onEdit = () => {};
  const parameters = fakeParameterStore({
    onChange: ({ name }) => {
      if (name.startsWith(`${layout.source}/`)) onEdit();
    },
  });
  const objects = fakeObjectStore();
  const store = { ...parameters, objects: inBucket(BUCKET, objects) };
  const dependencies: PublisherDependencies = {
    store,
    layout,
    tier,
    shipped,
    now: () => new Date(),
    // This store's readings are never behind.
    sleep: async () => {},
    bucket: BUCKET,
    ...defined({ compile }),
    ...(sendEvent && { sendEvents: eventsTo(sendEvent) }),
  };
  const publish = inTurn((request: PublisherRequest) => runPublisher(request, dependencies));
  /** Returns what the publish function answers to any event. */
  const invoke = async (name: string, event: unknown): Promise<PublisherResult | undefined> => {
    if (name !== target.publisher) return undefined;
    const answer = async () => publish(parsePublisherRequest(event));
    return { ...(await answer().catch(refusalOf)), ...defined({ version }) };
  };
  const { port, services } = options;
  const served = { service: store.service, objects, port, invoke, ...defined({ services }) };
  const server = await startFakeServer(served).catch((cause) => {
    throw listenError({ host: "127.0.0.1", port }, cause, "--fake PORT");
  });
  const client = new SSMClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "fake", secretAccessKey: "fake" },
    maxAttempts: 1,
  });
  const edits = publishEdits((cause) => publish({ action: "publish", automatic: true, cause }), report);
  const looking = setInterval(() => void look(dependencies, report), LOOK);
  const close = async () => {
    clearInterval(looking);
    edits.close();
    client.destroy();
    await server.close();
  };
  try {
    if (Object.keys(options.tree).length > 0) await seed(options, store);
    const { channel, release = "", warnings } = requireDone(await publish({ action: "publish", cause: CAUSE }));
    for (const warning of warnings) report(`Warning: ${warning}`);
    const token = await register(channel ?? "stable", publish);
    const { find, live } = serveStore({
      prefix: layout.prefix,
      bundled: undefined,
      reader: ssmParameterStore(client, store.objects),
      ttl: TTL,
      report: (error) => report(describeError(error)),
    });
    live.start();
    if (options.publishesEdits !== false) onEdit = edits.edited;
    const connection: AwsConnection = {
      store,
      askPublisher: async (request) => requireDone(await publish(parsePublisherRequest(request))),
      guardrails: async () => "",
      hold: async () => "powers",
      environment: async () => "",
      functionVersion: async () => version,
      deployments: async () => [layout.prefix],
      caller: async () => CAUSE.by,
      place: async () => `local/us-east-1/${server.url}`,
    };
    return { find, token, release, url: server.url, connection, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The schedule: rollouts and rings move on by themselves. */
async function look(dependencies: PublisherDependencies, report: (line: string) => void): Promise<void> {
  try {
    const { settled, stepped } = await reconcileRollouts(dependencies);
    for (const { verdict, result } of stepped) {
      if (result?.ok === false) report(result.error.message);
      else if (result?.changed === true) report(`${result.message}: ${verdict.why}`);
    }
    await announceChanges(settled.lastChange, dependencies);
  } catch (error) {
    report(describeError(error));
  }
}

/** Events, as EventBridge completes them. */
function eventsTo(send: (line: string) => Promise<void>): NonNullable<PublisherDependencies["sendEvents"]> {
  const { source, type } = changeEventKind;
  return async (changes) => {
    for (const detail of changes) {
      const envelope = { version: "0", id: randomUUID(), "detail-type": type, source };
      const place = { account: "111122223333", time: `${detail.at.slice(0, 19)}Z`, region: "us-east-1", resources: [] };
      await send(JSON.stringify({ ...envelope, ...place, detail }));
    }
    return changes.length;
  };
}

async function seed({ target, tree }: FakeDeploymentOptions, store: PublisherDependencies["store"]): Promise<void> {
  const paths = Object.keys(tree).sort();
  await pushTree({ store, target }, { tree, there: {}, advanced: true, paths, by: CAUSE.by, report: () => {} });
}

/** A cluster called `local` with a new token. */
async function register(
  channel: string,
  publish: (request: PublisherRequest) => Promise<PublisherResult>,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const sha256 = createHash("sha256").update(token).digest("hex");
  const tokens = [{ sha256, created: new Date().toISOString() }];
  const record = { revisions: { default: channel }, arn: "", tokens };
  requireDone(await publish({ action: "put-cluster", cluster: "local", record, cause: CAUSE }));
  return token;
}

function requireDone(result: PublisherResult): Extract<PublisherResult, { readonly ok: true }> {
  if (result.ok) return result;
  const { code, message, ...place } = result.error;
  throw new OutriggerError(code, message, place);
}
