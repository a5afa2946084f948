// A whole deployment on this machine, a studio that edits it, and what its webhook serves.

import { layoutOf } from "@outrigger/aws";
import { objectOf } from "@outrigger/base";
import {
  connectLazily,
  deploymentWorkspace,
  draftsIn,
  type Io,
  openDeployment,
  pageCommand,
  readPage,
  startFakeDeployment,
  startStudio,
} from "@outrigger/cli";
import { type SourceTree, toStored } from "@outrigger/injector";
import { readChannelRecord, readExampleTrees, readSourceTree } from "@outrigger/publisher";
import { admit } from "@outrigger/serving";
import type { ReleasesState, RolloutState } from "@outrigger/studio";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { fakeIo } from "../cli/fake-io.ts";
import { PAGE } from "./build-page.ts";
import { closeContexts } from "./close-contexts.ts";
import { PATIENCE } from "./find-chromium.ts";

type Deployment = Awaited<ReturnType<typeof openDeployment>>;

export interface OpenDeployment {
  readonly visit: (options?: BrowserContextOptions) => Promise<Page>;
  /** The patch of a sample pod, with these labels besides its own, as the webhook of channel stable answers now. */
  readonly served: (labels?: Readonly<Record<string, string>>) => Promise<string>;
  /** Writes an entry as the AWS console does: unchecked. */
  readonly put: (path: string, text: string) => Promise<void>;
  /** Asks the publisher, as the commands do. */
  readonly ask: (request: Parameters<Deployment["askPublisher"]>[0]) => Promise<unknown>;
  /** Returns what the channels serve, what is saved and what waits, without a page. */
  readonly state: () => Promise<ReleasesState & { readonly saved: SourceTree }>;
  /** Returns a channel as it is stored. */
  readonly record: (channel: string) => ReturnType<typeof recordOf>;
  /** Ends the studio and starts it again, at the same port if no other is named: its address, with another key. */
  readonly restart: (port?: number) => Promise<string>;
  /** Sends edits to a channel, as `outrigger channel edits` does. */
  readonly sendEditsTo: (channel: string) => Promise<unknown>;
  /** Lets a channel follow another one, as `outrigger channel follow` does: after so many seconds. */
  readonly follow: (channel: string, followed: string, after: number) => Promise<unknown>;
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

function reviewOf(labels: Readonly<Record<string, string>>) {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      namespace: "default",
      operation: "CREATE",
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "hello", labels: { app: "hello", ...labels } },
        spec: { containers: [{ name: "hello", image: "hello:1" }] },
      },
    },
  };
}

async function recordOf({ store, target }: Deployment, channel: string): Promise<ReturnType<typeof readChannelRecord>> {
  const [record] = await store.getParameters([target.layout.channel(channel)]);
  if (record === undefined) throw new Error(`There is no channel ${channel}`);
  return readChannelRecord(record);
}

/** Returns what CloudWatch would count: the fake has none. */
function evidenceOf({ release, share }: ReturnType<typeof readChannelRecord>): RolloutState {
  const counts = { injected: 412, denied: 0, failed: 0, regressed: 0, late: 0 };
  return {
    verdict: { kind: "wait", why: "it bakes for 18m more" },
    signals: [{ name: "pods", verdict: "fine", why: "none of 412 pods was worse off" }],
    counts: { [release]: { ...counts, injected: 1190, denied: 2 }, [share?.release ?? ""]: counts },
    pods: {
      [release]: { pods: 72, ready: 72, restarting: 3 },
      [share?.release ?? ""]: { pods: 9, ready: 8, restarting: 0 },
    },
  };
}

/** Returns the pods of a cluster that has 180: some have a release that the channel served before. */
function runningPods({ release, share, history }: ReturnType<typeof readChannelRecord>) {
  const before = history.find((move) => move.release !== release)?.release ?? "77aa01c2be90";
  const fields = ["spec.initContainers.istio-proxy.image"];
  return {
    cluster: "shop",
    at: new Date().toISOString(),
    pods: 180,
    releases: [
      { release, pods: share === undefined ? 141 : 132, channel: "stable" },
      ...(share === undefined ? [] : [{ release: share.release, pods: 9, channel: "stable" }]),
      { release: before, pods: 31 },
    ],
    states: { current: 141, outdated: 31, missing: 8 },
    replaced: { stable: { [before]: 31 } },
    restart: "outrigger restart --deployment dev --context shop",
    outdatedWorkloads: 2,
    outdated: [
      { namespace: "shop", name: "Deployment cart", pods: 31, state: "outdated", fields },
      { namespace: "batch", name: "StatefulSet queue", pods: 8, state: "missing", fields: [] },
    ],
  };
}

/** A restart as the command writes it, of workloads that come back at once; it goes on until it is stopped. */
async function restartOfTwo(io: Io): Promise<number> {
  io.stderr.write(
    "To restart, in this order: 2 workloads with 31 pods\nNAMESPACE  WORKLOAD         PODS\nshop       Deployment/cart  31\n",
  );
  const answer = await io.ask?.("Restart 2 workloads of shop? [y/N] ");
  if (answer !== "yes") return 2;
  io.stderr.write("shop/Deployment/cart: 31 of 31 pods are new\n");
  await io.stopped();
  io.stdout.write("The restart is stopped: 1 done, 1 not begun\n");
  return 1;
}

/** @param state the folder in which unsaved edits are kept besides the browser; undefined: nowhere */
export async function openDeploymentStudio(browser: Browser, state?: string): Promise<OpenDeployment> {
  const shipped = await readSourceTree("templates");
  const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };
  const fake = await startFakeDeployment({ target, tier: "Standard", shipped, tree: {}, port: 0, report: () => {} });
  const env = {
    AWS_ENDPOINT_URL: fake.url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "fake",
    AWS_SECRET_ACCESS_KEY: "fake",
  };
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  Object.assign(process.env, env);
  const io = fakeIo({ env, connect: connectLazily(env, "1.2.3") });
  const deployment = await openDeployment({}, io);
  // The studio's shipped templates are newer than those that the releases were made with.
  const newer = { ...shipped, "partials/proxy-image": "image: registry.example/newer:1\n" };
  const running = async () => runningPods(await recordOf(deployment, "stable"));
  const restart = pageCommand(restartOfTwo, io);
  const pods = { running, evidence: async () => ({ pods: {}, signals: [] }), restart };
  const made = deploymentWorkspace(deployment, async () => newer, io, pods);
  const rollout = async (channel: string) => evidenceOf(await recordOf(deployment, channel));
  const workspace = { ...made, ...(made.releases && { releases: { ...made.releases, rollout } }) };
  const cluster = { name: "shop", workloads: async () => [] };
  const options = {
    page: await readPage(PAGE),
    workspace,
    examples: () => readExampleTrees("docs/examples"),
    cluster,
    drafts: draftsIn(state),
  };
  let studio = await startStudio({ ...options, port: 0 });
  const complaints: string[] = [];
  const shared = await browser.newContext({ locale: "en-GB" });
  const contexts = new Set([shared]);
  return {
    complaints,
    async visit(options) {
      const context = options === undefined ? shared : await browser.newContext(options);
      contexts.add(context);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(studio.url);
      await page.waitForSelector(".changes .added");
      return page;
    },
    async served(labels = {}) {
      const asked = {
        method: "POST",
        path: `/t/${fake.token}/inject`,
        query: { timeout: undefined },
        headers: { "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(reviewOf(labels))),
      };
      const { body } = await admit(asked, { find: fake.find, now: () => performance.now() });
      const review: unknown = JSON.parse(Buffer.from(body).toString());
      const response = objectOf(objectOf(review)["response"]);
      return Buffer.from(String(response["patch"]), "base64").toString();
    },
    async put(path, text) {
      const name = deployment.target.layout.sourceParameter(path);
      await deployment.store.putParameter({ name, value: toStored(text, path), overwrite: true, tier: "Standard" });
    },
    async state() {
      const [state, { saved }] = await Promise.all([workspace.releases?.read(), workspace.read()]);
      return { ...(state as ReleasesState), saved };
    },
    record: (channel) => recordOf(deployment, channel),
    async restart(port = Number(new URL(studio.url).port)) {
      await studio.close();
      studio = await startStudio({ ...options, port });
      return studio.url;
    },
    ask: (request) => deployment.askPublisher(request),
    sendEditsTo: (channel) =>
      deployment.askPublisher({ action: "set-channel", channel, edits: true, cause: { by: "ann", why: "" } }),
    follow: (channel, followed, after) =>
      deployment.askPublisher({
        action: "set-channel",
        channel,
        follow: { channel: followed, after, pods: 0, alarms: [] },
        cause: { by: "ann", why: "" },
      }),
    async close() {
      await closeContexts([...contexts]);
      await studio.close();
      await fake.close();
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
