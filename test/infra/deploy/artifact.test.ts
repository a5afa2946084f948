// The artifacts that `serverless package` makes, unpacked and run as they are deployed, against the Parameter Store fake: an
// edit is published, a cluster is registered, its pod is injected, and the canary agrees.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeServer, startFakeServer } from "@outrigger/fake-aws";
import fastJsonPatch from "fast-json-patch";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { reviewOf } from "../../support/gateway-event.ts";
import { type DeployedFunction, startDeployed } from "../support/deployed-function.ts";
import { offlineEnvironment, runServerless, serviceDirectory } from "../support/serverless.ts";
import { goldenTemplate, normalisedTemplate } from "../support/template.ts";

const TOKEN = "a".repeat(43);
const CANARY_TOKEN = "c".repeat(43);
const cause = { by: "ann", why: "a test" };
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "hello", labels: { app: "hello" } },
  spec: { containers: [{ name: "hello", image: "registry.example/hello:1" }] },
};

interface PodNames {
  readonly spec: Readonly<Record<"containers" | "initContainers", readonly { readonly name: string }[]>>;
}

let directory: string;
let store: FakeServer;
let publish: DeployedFunction;
let injecting: DeployedFunction;
const started: DeployedFunction[] = [];

async function start(name: string, more: Readonly<Record<string, string>> = {}): Promise<DeployedFunction> {
  const env = {
    AWS_ENDPOINT_URL: store.url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "testing",
    AWS_SECRET_ACCESS_KEY: "testing",
    OUTRIGGER_STACK: "arn:aws:cloudformation:us-east-1:123456789012:stack/outrigger-dev/1",
    OUTRIGGER_RELEASE_BUCKET: "outrigger-dev-releasebucket-1a2b3c4d5e6f",
    ...more,
  };
  const artifacts = join(directory, "package");
  const place = mkdtempSync(join(directory, `${name}-`));
  const deployed = await startDeployed({ template: goldenTemplate("http"), name, artifacts, directory: place, env });
  started.push(deployed);
  return deployed;
}

async function register(cluster: string, token: string): Promise<void> {
  const sha256 = createHash("sha256").update(token).digest("hex");
  const record = { revisions: { default: "stable" }, arn: "", tokens: [{ sha256, created: "2026-01-02T03:04:05Z" }] };
  expect(await publish.invoke({ action: "put-cluster", cluster, record, cause })).toMatchObject({ ok: true });
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-artifact-"));
  const { status, output } = await runServerless(
    ["package", "--region", "us-east-1", "--package", join(directory, "package")],
    serviceDirectory(directory),
    offlineEnvironment(directory),
  );
  expect(status, output).toBe(0);
  store = await startFakeServer();
});

afterAll(async () => {
  await Promise.all(started.map((deployed) => deployed.stop()));
  await store?.close();
  rmSync(directory, { recursive: true });
});

describe("the packaged functions", () => {
  it("are the same bytes in every build, zip and all", () => {
    for (const name of ["inject", "publish", "register", "canary"]) {
      const zip = readFileSync(join(directory, "package", `${name}.zip`));
      expect(zip.equals(readFileSync(join(inject("artifacts"), `${name}.zip`))), name).toBe(true);
    }
  });

  it("come with the template that the npm package deploys, whose functions are built already", () => {
    const template = join(directory, "package", "cloudformation-template-update-stack.json");
    expect(normalisedTemplate(readFileSync(template, "utf8"))).toStrictEqual(goldenTemplate("http"));
  });

  it("publish the shipped templates and register a cluster", async () => {
    publish = await start("publish");
    expect(await publish.invoke({ action: "publish", cause })).toMatchObject({ ok: true, channel: "stable" });
    await register("shop-eu", TOKEN);
  });

  it("inject a pod of the cluster with what was published, and keep its token out of the log", async () => {
    injecting = await start("inject");
    const response = await fetch(`${injecting.url}/t/${TOKEN}/inject/cluster/shop-eu/net/n1?timeout=10s`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reviewOf({ object: pod, namespace: "shop" })),
    });
    expect(response.status).toBe(200);
    const { response: review } = (await response.json()) as { readonly response: { readonly patch: string } };
    const patch = JSON.parse(Buffer.from(review.patch, "base64").toString());
    const injected = fastJsonPatch.applyPatch(structuredClone(pod) as object, patch, true).newDocument as PodNames;
    const { containers, initContainers = [] } = injected.spec;
    expect([...initContainers, ...containers].map(({ name }) => name)).toContain("istio-proxy");
    expect(JSON.parse(injecting.log())).toMatchObject({ cluster: "shop-eu", decision: "injected", served: "current" });
    expect(injecting.log()).not.toContain(TOKEN);
  });

  it("answer 404 to a token that nobody has", async () => {
    const response = await fetch(`${injecting.url}/t/${"x".repeat(43)}/inject`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reviewOf({ object: pod, namespace: "shop" })),
    });
    expect(response.status).toBe(404);
  });

  it("let the canary see a sidecar", async () => {
    const Name = "/outrigger/dev/canary/token";
    await store.service.call("PutParameter", { Name, Value: CANARY_TOKEN, Type: "SecureString" });
    await register("canary", CANARY_TOKEN);
    // A container that is warm would know the new token within its TTL only.
    const fresh = await start("inject");
    const canary = await start("canary", { OUTRIGGER_URL: fresh.url });
    await canary.invoke({});
    expect(JSON.parse(canary.log())).toMatchObject({ CanarySucceeded: 1 });
    expect(canary.log()).not.toContain(CANARY_TOKEN);
  });
});
