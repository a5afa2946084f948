import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { putDeployment } from "@outrigger/fake-aws";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type FakeApiServer, startFakeApiServer } from "../../test/eks/fake-api-server.ts";
import { type FakeAwsServices, startFakeAwsServices } from "../../test/eks/fake-aws-services.ts";
import { labCertificate } from "../../test/eks/lab-certificate.ts";
import { listening } from "../../test/support/loopback.ts";
import {
  connectCluster,
  connectClusterToRead,
  deploymentClients,
  registrationPorts,
  stopSignal,
  unlessGone,
  watchDeployment,
} from "./connect-cluster.ts";
import type { Deployment } from "./deployment.ts";

const ROLE = "arn:aws:iam::222233334444:role/operator";
const NAMESPACES = "/api/v1/namespaces";

let services: FakeAwsServices;
let api: FakeApiServer;
let other: FakeApiServer;
let closedPort: number;
beforeAll(async () => {
  const certificate = await labCertificate();
  [services, api, other] = await Promise.all([
    startFakeAwsServices(),
    startFakeApiServer(certificate),
    startFakeApiServer(certificate),
  ]);
  for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value);
  const server = createServer();
  closedPort = await listening(server);
  await new Promise((resolve) => server.close(resolve));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([services.close(), api.close(), other.close()]);
});
beforeEach(() => {
  services.clusters.clear();
  services.eksCallers.length = 0;
  addCluster("shop");
});

function addCluster(key: string, more: object = {}): void {
  const [, region = "eu-west-1", name = key] = /^(.*)\/(.*)$/.exec(key) ?? [];
  const cluster = {
    name,
    arn: `arn:aws:eks:${region}:111122223333:cluster/${name}`,
    endpoint: api.url,
    version: "1.33",
    status: "ACTIVE",
    certificateAuthority: { data: btoa(api.ca) },
    ...more,
  };
  services.clusters.set(key, cluster as Parameters<typeof services.clusters.set>[1]);
}

async function deployment(region?: string): Promise<Deployment> {
  const { connect, layout } = fakeAws();
  const target = { stage: "dev", layout, publisher: "outrigger-dev-publish", ...(region && { region }) };
  return { ...(await connect(target)), target };
}

describe("connectCluster()", () => {
  const io = fakeIo();

  it("finds the cluster and reaches its API server", async () => {
    const { description, kube } = await connectCluster(await deployment(), { cluster: "shop" }, io);
    expect(description).toMatchObject({
      name: "shop",
      region: "eu-west-1",
      kubernetesVersion: "1.33",
      server: api.url,
    });
    api.put(`${NAMESPACES}/web`, { kind: "Namespace", metadata: { name: "web" } });
    expect(await kube.get(`${NAMESPACES}/web`)).toMatchObject({ metadata: { name: "web" } });
  });

  it("waits for a busy API server as the command waits", async () => {
    const slept: number[] = [];
    const sleep = async (milliseconds: number) => void slept.push(milliseconds);
    const { kube } = await connectCluster(await deployment(), { cluster: "shop" }, { sleep });
    api.faults.push({ method: "GET", path: "/namespaces/web", status: 429, retryAfter: "3", times: 1 });
    expect(await kube.get(`${NAMESPACES}/web`)).toMatchObject({ metadata: { name: "web" } });
    expect(slept).toHaveLength(1);
  });

  it("looks in the Region of the deployment, and in the cluster's own where it is named", async () => {
    addCluster("us-east-1/pay");
    const near = await deployment("us-east-1");
    expect((await connectCluster(near, { cluster: "pay" }, io)).description.region).toBe("us-east-1");
    const far = { cluster: "pay", clusterRegion: "us-east-1" };
    expect((await connectCluster(await deployment("eu-west-1"), far, io)).description.region).toBe("us-east-1");
    await expect(connectCluster(await deployment(), { cluster: "pay" }, io)).rejects.toMatchObject({
      code: "cluster-unknown",
      message: expect.stringContaining('There is no cluster "pay" in eu-west-1'),
    });
  });

  it("assumes a role once for all clusters of its account, and none where none is named", async () => {
    addCluster("pay");
    const one = await deployment();
    for (const cluster of ["shop", "pay"]) await connectCluster(one, { cluster, roleArn: ROLE }, io);
    await connectCluster(one, { cluster: "shop" }, io);
    const [first, second, own] = services.eksCallers;
    expect(second).toBe(first);
    expect(own).toBe("AKIDEXAMPLE");
    expect(first).not.toBe(own);
  });

  it.each([
    [true, "check that the endpoint allows this machine's address (publicAccessCidrs)"],
    [false, "its endpoint is private: run this command in the cluster's network"],
  ])("says what keeps it from the API server where its endpoint is public: %s", async (isPublic, why) => {
    addCluster("shut", {
      endpoint: `https://127.0.0.1:${closedPort}`,
      resourcesVpcConfig: { endpointPublicAccess: isPublic },
    });
    const { kube } = await connectCluster(await deployment(), { cluster: "shut" }, io);
    await expect(kube.get(NAMESPACES)).rejects.toThrow(why);
  });
});

describe("connectClusterToRead()", () => {
  it("reads by the context of a kubeconfig where one is named, of the cluster that EKS describes", async () => {
    api.put(`${NAMESPACES}/here`, { kind: "Namespace", metadata: { name: "here" } });
    other.put(`${NAMESPACES}/there`, { kind: "Namespace", metadata: { name: "there" } });
    const kubeconfig = {
      contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: other.url, "certificate-authority-data": btoa(other.ca) } }],
      users: [{ name: "u", user: { token: "static" } }],
    };
    const cwd = mkdtempSync(join(tmpdir(), "outrigger-connect-"));
    writeFileSync(join(cwd, "kubeconfig"), JSON.stringify(kubeconfig));
    const io = fakeIo({ cwd });
    const seen = async (options: { readonly kubeconfig?: string; readonly context?: string }) => {
      const found = await connectClusterToRead(await deployment(), { cluster: "shop", ...options }, io);
      const names = ["here", "there"].map((name) => found.kube.get(`${NAMESPACES}/${name}`).catch(() => undefined));
      const [here, there] = await Promise.all(names);
      return { arn: found.description.arn, here: here !== undefined, there: there !== undefined };
    };
    const arn = "arn:aws:eks:eu-west-1:111122223333:cluster/shop";
    expect(await seen({})).toEqual({ arn, here: true, there: false });
    expect(await seen({ kubeconfig: "kubeconfig", context: "prod" })).toEqual({ arn, here: false, there: true });
    rmSync(cwd, { recursive: true });
  });
});

describe("watchDeployment()", () => {
  it("takes the URL of the environment, and otherwise of the stack", async () => {
    putDeployment(services, "dev", "https://stack.example");
    const env = services.env;
    const stack = await watchDeployment(await deployment(), env);
    expect(await stack.findUrl()).toBe("https://stack.example");
    const named = await watchDeployment(await deployment(), { ...env, OUTRIGGER_URL: "https://own.example" });
    expect(await named.findUrl()).toBe("https://own.example");
    const empty = await watchDeployment(await deployment(), { ...env, OUTRIGGER_URL: "" });
    expect(await empty.findUrl()).toBe("https://stack.example");
  });

  it("counts up to now what tokens and releases did, and the minutes in which calls were lost", async () => {
    const watch = await watchDeployment(await deployment(), services.env);
    const since = Date.now() - 600_000;
    services.tokenCalls.set("1", 5).set("2", 0);
    expect([await watch.countCalls("shop")(1, since), await watch.countCalls("shop")(2, since)]).toEqual([5, 0]);
    services.releaseCounts.set("1f2e3d4c5b6a Injected", 7);
    expect(await watch.countReleases({ releases: ["1f2e3d4c5b6a"], since })).toMatchObject([{ injected: 7 }]);
    expect(await watch.lostCalls(since)).toEqual([]);
    services.alarms.set("mine", "ALARM");
    expect(await watch.alarmStates(["mine"])).toEqual({ mine: "ALARM" });
  });

  it("needs a Region", async () => {
    vi.stubEnv("AWS_REGION", "");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    const failed = watchDeployment(await deployment(), services.env);
    await expect(failed).rejects.toThrow("no Region is given; use --region, or set AWS_REGION");
    vi.stubEnv("AWS_REGION", "eu-west-1");
  });
});

it("deploymentClients() are of the deployment's Region, and of the environment's otherwise", async () => {
  expect((await deploymentClients(await deployment("us-east-1"), services.env)).region).toBe("us-east-1");
  expect((await deploymentClients(await deployment(), services.env)).region).toBe("eu-west-1");
});

describe("registrationPorts()", () => {
  it("writes reports to standard error, reads the records of the deployment and asks its publisher", async () => {
    const slept: number[] = [];
    const io = fakeIo({
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
      },
    });
    const opened = await deployment();
    const watch = await watchDeployment(opened, services.env);
    const ports = registrationPorts(opened, undefined, watch, io);
    ports.report("Installing the webhook");
    expect(io.err()).toBe("Installing the webhook\n");
    const record = { revisions: { default: "stable" }, arn: "", tokens: [] };
    await opened.store.putParameter({
      name: opened.target.layout.cluster("shop"),
      value: JSON.stringify(record, null, 1),
      overwrite: true,
      tier: "Standard",
    });
    expect(await ports.readRecord("shop")).toMatchObject(record);
    expect(await ports.readRecord("pay")).toBeUndefined();
    expect(await ports.ask({ action: "publish", cause: { by: "ann", why: "" } })).toMatchObject({ ok: true });
    expect(ports.randomBytes(16)).toHaveLength(16);
    await ports.sleep(5);
    expect(slept).toEqual([5]);
    io.stop();
    await vi.waitFor(() => expect(ports.signal?.aborted).toBe(true));
    expect(io.err()).toContain("Stopping after the current call, and restoring what was changed; press Ctrl-C again");
  });
});

it("stopSignal() is aborted once a person asks to stop, and says how to quit at once", async () => {
  const io = fakeIo();
  const lines: string[] = [];
  const signal = stopSignal(io, (line) => void lines.push(line), "Stopping");
  await Promise.resolve();
  expect([signal.aborted, lines]).toEqual([false, []]);
  io.stop();
  await vi.waitFor(() => expect(signal.aborted).toBe(true));
  expect(signal.reason).toBe("it was stopped");
  expect(lines).toEqual(["Stopping; press Ctrl-C again to quit at once"]);
});

it("unlessGone() takes the error of a cluster that is gone, and throws every other again", () => {
  expect(unlessGone(new OutriggerError("cluster-unknown", "gone"))).toBeUndefined();
  for (const error of [new OutriggerError("aws-denied", "no"), new TypeError("a mistake of ours")])
    expect(() => unlessGone(error)).toThrow(error);
});
