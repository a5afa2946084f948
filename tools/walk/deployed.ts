// What is walked through: each thing as the deployed function that does it wires it, in front of fakes. Run in an instrumented bundle.

import { readRelease } from "outrigger:bundled-release";
import { SSMClient } from "@aws-sdk/client-ssm";
import { layoutOf, signedObjectStore, ssmParameterStore } from "@outrigger/aws";
import { startFakeServer } from "@outrigger/fake-aws";
import { registerHandler } from "../../functions/register/handler.ts";
import { CLUSTER, openClusterLab } from "../../test/eks/cluster-lab.ts";
import { eventOf } from "../../test/support/gateway-event.ts";
import { packFast } from "../../test/support/pack-quickly.ts";
import { publisherSetup } from "../../test/support/publisher-setup.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";
import { walkOf } from "./entries.ts";

declare global {
  var outriggerWalk: ((file: string, name: string) => unknown) | undefined;
}

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "hello-6d4cf56db6-", labels: { app: "hello" } },
  spec: { containers: [{ name: "hello", image: "registry.example/hello:1" }] },
};

const BUCKET = "releases";

/** Milliseconds that the first read of the store may take. */
const FIRST_READ = 60_000;

const WALKS: Readonly<Record<string, () => Promise<object>>> = {
  pod: walkPod,
  edit: walkEdit,
  move: walkMove,
  register: walkRegister,
};

const name = process.argv[2] ?? "";
console.log(JSON.stringify(await WALKS[name]?.()));
process.exit();

/** The first pod of a container that has read its store: with a token in the URL, a stage for metrics, and guardrails. */
async function walkPod() {
  const server = await fakeAws({
    OUTRIGGER_STAGE: "dev",
    OUTRIGGER_GUARDRAILS: "baseline",
    OUTRIGGER_PREFIX: PREFIX,
    OUTRIGGER_RELEASE_BUCKET: BUCKET,
  });
  const clusters = { east: clusterOf([tokenOf("east-")]) };
  const snapshot = snapshotOf({ clusters, releases: { "0123456789ab": readRelease() } });
  await writeSnapshot(storeOfFake(), snapshot, { tier: "Advanced" });
  const { handler } = await import("../../functions/inject/index.ts");
  // A pod that is skipped waits for the first read, and injects nothing.
  const skipped = { ...POD, metadata: { labels: { "sidecar.istio.io/inject": "false" } } };
  const path = `/t/${tokenOf("east-")}/inject`;
  const deadline = Date.now() + FIRST_READ;
  while ((await handler(eventOf({ object: skipped, namespace: "shop", path }))).statusCode !== 200)
    if (Date.now() > deadline) throw new Error("The store is not served");
  const walk = await walked(async () => {
    const { body } = await handler(eventOf({ object: POD, namespace: "shop", path }));
    if (JSON.parse(body).response?.patch === undefined) throw new Error(`The pod is not injected: ${body}`);
  });
  await server.close();
  return walk;
}

/** An event of Parameter Store, until the edit is served. */
async function walkEdit() {
  const prefix = "/outrigger/dev";
  const stack = "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1";
  const server = await fakeAws({
    OUTRIGGER_PREFIX: prefix,
    OUTRIGGER_RELEASE_BUCKET: BUCKET,
    OUTRIGGER_STAGE: "dev",
    OUTRIGGER_STACK: stack,
    OUTRIGGER_TIER: "Advanced",
    OUTRIGGER_GUARDRAILS: "baseline",
  });
  const layout = layoutOf(prefix);
  const store = storeOfFake();
  const edit = (level: string) =>
    store.putParameter({
      name: layout.sourceParameter("values/90"),
      value: `global:\n  proxy:\n    logLevel: ${level}\n`,
      overwrite: true,
      tier: "Standard",
    });
  const { handler } = await import("../../functions/publish/index.ts");
  await edit("info");
  const first = await handler({ action: "publish", cause: { by: "ann", why: "" } });
  if (first?.ok !== true) throw new Error(`The first edit is not served: ${JSON.stringify(first)}`);
  await edit("debug");
  const time = new Date().toISOString();
  const before = new Map(calls(server));
  const walk = await walked(async () => {
    const event = { source: "aws.ssm", time, detail: { name: layout.sourceParameter("values/90") } };
    const result = await handler(event);
    if (result?.ok !== true) throw new Error(`The edit is not served: ${JSON.stringify(result)}`);
  });
  const made = calls(server).map(([call, count]) => `${count - (before.get(call) ?? 0)} ${call}`);
  await server.close();
  return { ...walk, calls: made.filter((call) => !call.startsWith("0 ")).join(", ") };
}

const PLAN = { next: [25, 100], bake: 1800, alarms: [] };

/** A rollout of what canary serves, from the request to its answer, with a store in memory: what AWS is called through is left out. */
async function walkMove() {
  const setup = publisherSetup({ pack: packFast });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.edit("mesh", "b");
  await setup.run({ action: "publish", channel: "canary" });
  return walked(
    async () => {
      const result = await setup.run({ action: "promote", from: "canary", to: "stable", share: 5, rollout: PLAN });
      if (!result.ok) throw new Error(`The promotion is not made: ${result.error.message}`);
    },
    (file) => file.startsWith("lib/publisher/"),
  );
}

/** CloudFormation's event for a cluster with a safety net, and the same registration again. */
async function walkRegister() {
  const lab = await openClusterLab();
  const { kube, ...ports } = lab.ports;
  const answers: { readonly status: string; readonly reason?: string }[] = [];
  const eks = { region: "eu-west-1", server: "", ca: "", kubernetesVersion: "1.33", isPublic: true };
  const handler = registerHandler({
    deployment: "dev",
    url: lab.webhook.url,
    connect: async () => ({ description: { ...CLUSTER, ...eks }, kube }),
    // The laboratory's certificate is no public one, and the resource has no property for another.
    ports: { ...ports, selfTest: async () => ({ addsProxy: true }) },
    isCanaryFailing: async () => false,
    respond: async ({ response }) => void answers.push(response),
    write: () => undefined,
  });
  lab.api.objects.delete("/api/v1/namespaces/default");
  const register = async () => {
    lab.api.calls.length = 0;
    await handler({
      RequestType: "Create",
      ResponseURL: "https://x.amazonaws.com/y",
      StackId: "arn:stack",
      RequestId: "1",
      LogicalResourceId: "Shop",
      ResourceProperties: {
        ServiceToken: "arn",
        Cluster: CLUSTER.name,
        Phase: "cluster",
        SafetyNet: "deny",
        AllowUnproven: "true",
      },
    });
    const answer = answers.at(-1);
    if (answer?.status !== "SUCCESS") throw new Error(`The cluster is not registered: ${answer?.reason}`);
    return lab.api.calls.length;
  };
  let first = 0;
  const walk = await walked(async () => {
    first = await register();
  });
  const again = await register();
  await lab.close();
  return { ...walk, calls: `${first} requests, ${again} when it is repeated` };
}

async function walked(run: () => Promise<unknown>, counts: (file: string) => boolean = () => true) {
  const entries: (readonly [string, string])[] = [];
  globalThis.outriggerWalk = (file, name) => counts(file) && entries.push([file, name]);
  await run();
  globalThis.outriggerWalk = undefined;
  return walkOf(entries);
}

async function fakeAws(settings: Readonly<Record<string, string>>) {
  const server = await startFakeServer();
  const region = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  Object.assign(process.env, { AWS_ENDPOINT_URL: server.url, ...region, ...settings });
  return server;
}

/** The store that the environment names, through faces that the last release has too: its code is walked by this file. */
function storeOfFake() {
  const objects = signedObjectStore({
    bucket: BUCKET,
    env: process.env,
    attempts: 1,
    timeout: 10_000,
    sleep: async () => {},
  });
  return ssmParameterStore(new SSMClient({}), objects);
}

function calls(server: Awaited<ReturnType<typeof startFakeServer>>): readonly (readonly [string, number])[] {
  return Object.entries(server.service.calls());
}
