// A whole deployment on this machine, a studio that edits it, and what its webhook serves.

import { layoutOf } from "@outrigger/aws";
import { objectOf } from "@outrigger/base";
import {
  connectLazily,
  deploymentWorkspace,
  openDeployment,
  readPage,
  startFakeDeployment,
  startStudio,
} from "@outrigger/cli";
import { readSourceTree, toStored } from "@outrigger/publisher";
import { admit } from "@outrigger/serving";
import type { Browser, Page } from "playwright-core";
import { fakeIo } from "../cli/fake-io.ts";
import { PAGE } from "./build-page.ts";

export interface OpenDeployment {
  readonly visit: () => Promise<Page>;
  /** The patch of a sample pod, as the webhook of channel stable answers now. */
  readonly served: () => Promise<string>;
  /** Writes an entry as the AWS console does: unchecked. */
  readonly put: (path: string, text: string) => Promise<void>;
  /** As outrigger channel edits does. */
  readonly sendEditsTo: (channel: string) => Promise<unknown>;
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
    namespace: "default",
    operation: "CREATE",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "hello", labels: { app: "hello" } },
      spec: { containers: [{ name: "hello", image: "hello:1" }] },
    },
  },
};

export async function openDeploymentStudio(browser: Browser): Promise<OpenDeployment> {
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
  const io = fakeIo({ env, connect: connectLazily(env) });
  const deployment = await openDeployment({}, io);
  // The studio's shipped templates are newer than those that the releases were made with.
  const newer = { ...shipped, "partials/proxy-image": "image: registry.example/newer:1\n" };
  const workspace = deploymentWorkspace(deployment, async () => newer, io);
  const studio = await startStudio({
    port: 0,
    page: await readPage(PAGE),
    workspace,
    examples: async () => [],
  });
  const complaints: string[] = [];
  const context = await browser.newContext({ locale: "en-GB" });
  return {
    complaints,
    async visit() {
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(studio.url);
      await page.waitForSelector(".injected-line");
      return page;
    },
    async served() {
      const asked = {
        method: "POST",
        path: `/t/${fake.token}/inject`,
        query: { timeout: undefined },
        headers: { "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(REVIEW)),
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
    sendEditsTo: (channel) =>
      deployment.askPublisher({ action: "set-channel", channel, edits: true, cause: { by: "ann", why: "" } }),
    async close() {
      await context.close();
      await studio.close();
      await fake.close();
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
