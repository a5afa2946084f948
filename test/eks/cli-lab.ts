// A laboratory for commands about clusters, through the command line: the SDK speaks to services on loopback, the API server and
// the inject function itself are on loopback too, and the publisher is the real one over a Parameter Store in memory.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { decorate, type JsonObject } from "@outrigger/base";
import { type ConnectAws, main, sourceFile } from "@outrigger/cli";
import { putDeployment } from "@outrigger/fake-aws";
import type { SourceTree } from "@outrigger/injector";
import { fakeAws, SHIPPED } from "../cli/fake-aws.ts";
import { type FakeIo, fakeIo } from "../cli/fake-io.ts";
import { type FakeApiServer, startFakeApiServer } from "./fake-api-server.ts";
import { type AwsCall, arnOf, startFakeAwsServices } from "./fake-aws-services.ts";
import { labCertificate } from "./lab-certificate.ts";
import { startRealWebhook } from "./real-webhook.ts";

export type CliLab = Awaited<ReturnType<typeof openCliLab>>;

const ARN = "arn:aws:eks:eu-west-1:111122223333:cluster/shop";

/** Whatever answers as the API server of the cluster `shop`. */
type ApiServer = Pick<FakeApiServer, "url" | "ca">;

/**
 * The command line, and a deployment with everything deployed as it should be. The cluster `shop` is what the given API server answers
 * for, and is not registered.
 *
 * @param shipped what is published
 * @param compile what the publisher compiles with; left out, as it is deployed
 */
export async function openCommandLab(
  server: ApiServer,
  shipped: SourceTree = SHIPPED,
  compile?: Parameters<typeof fakeAws>[3],
) {
  const certificate = await labCertificate();
  const cwd = mkdtempSync(join(tmpdir(), "outrigger-cli-lab-"));
  // Hundreds of registrations in a quarter of an hour leave more entries of its log than an account has parameters: no test is about that.
  const aws = fakeAws({ maxStandard: 1_000_000 }, shipped, undefined, compile);
  /** The AWS of each other Region that has a deployment of its own. */
  const regions = new Map<string, ReturnType<typeof fakeAws>>();
  const connect: ConnectAws = (target) => (regions.get(target.region ?? "") ?? aws).connect(target);
  const [services, webhook] = await Promise.all([startFakeAwsServices(), startRealWebhook(certificate, aws.store)]);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  };
  write("ca.pem", certificate.cert);
  for (const [path, text] of Object.entries(shipped)) write(join("shipped", sourceFile(path)), text);
  putDeployment(services, "dev", webhook.url);
  services.clusters.set("shop", {
    name: "shop",
    arn: ARN,
    endpoint: server.url,
    version: "1.33",
    status: "ACTIVE",
    certificateAuthority: { data: btoa(server.ca) },
  });
  const outside = Object.keys(services.env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, services.env);
  const waiting = { sleep: async (_milliseconds: number): Promise<void> => {} };
  const start = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const io: FakeIo = fakeIo({
      sleep: (milliseconds: number) => waiting.sleep(milliseconds),
      cwd,
      connect: recorded(connect, services.asked),
      env,
      templates: join(cwd, "shipped"),
      studio: join(cwd, "studio"),
    });
    return { io, ended: main(argv, io) };
  };
  /** A process of a reader, who has the laboratory's deployment, and a terminal on which each question is answered with yes. */
  const ioOf = (place: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input: readonly string[];
  }) => ({
    ...fakeIo({
      ...place,
      sleep: (milliseconds: number) => waiting.sleep(milliseconds),
      connect: recorded(connect, services.asked),
      templates: join(cwd, "shipped"),
    }),
    ask: async () => "y",
  });
  const run = async (...argv: readonly string[]) => {
    const { io, ended } = start(argv);
    return { code: await ended, out: io.out(), err: io.err() };
  };
  write(
    "kubeconfig",
    JSON.stringify({
      "current-context": "eks",
      contexts: ["eks", "prod", "shop"].map((name) => ({ name, context: { cluster: "c", user: "u" } })),
      clusters: [{ name: "c", cluster: { server: server.url, "certificate-authority-data": btoa(server.ca) } }],
      users: [{ name: "u", user: { token: "static" } }],
    }),
  );
  return Object.assign(waiting, {
    aws,
    regions,
    services,
    webhook,
    cwd,
    start,
    ioOf,
    run,
    write,
    register: (...argv: readonly string[]) => run("register", "--cluster", "shop", "--ca-file", "ca.pem", ...argv),
    async close() {
      for (const [name, value] of outside) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      rmSync(cwd, { recursive: true, force: true });
      await Promise.all([services.close(), webhook.close()]);
    },
  });
}

/**
 * A laboratory of the command line with the fake API server.
 *
 * @param shipped what is published
 */
export async function openCliLab(shipped: SourceTree = SHIPPED) {
  const certificate = await labCertificate();
  const api = await startFakeApiServer(certificate);
  const lab = await openCommandLab(api, shipped);
  const { services, regions } = lab;
  const namespace = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    api.put(`/api/v1/namespaces/${name}`, namespaceOf(name, labels));
  namespace("default");
  const others: FakeApiServer[] = [];
  return Object.assign(lab, {
    api,
    namespace,
    put: (path: string, object: JsonObject) => api.put(path, object),
    /** Deploys to another Region, which has a cluster: ends both. */
    async addRegion(region: string, cluster: string) {
      const other = fakeAws({}, shipped, `111122223333/${region}/`);
      regions.set(region, other);
      const [server, served] = await Promise.all([
        startFakeApiServer(certificate),
        startRealWebhook(certificate, other.store),
      ]);
      services.outputs.set(`${region}/outrigger-dev`, served.url);
      services.clusters.set(`${region}/${cluster}`, {
        ...services.clusters.get("shop"),
        name: cluster,
        arn: `arn:aws:eks:${region}:111122223333:cluster/${cluster}`,
        endpoint: server.url,
      });
      for (const name of ["default", "shop"]) server.put(`/api/v1/namespaces/${name}`, namespaceOf(name));
      return async () => void (await Promise.all([server.close(), served.close()]));
    },
    /**
     * Another cluster of EKS, in its own account and Region: with an API server of its own, which is closed with the laboratory.
     *
     * @param place `222233334444/us-east-1`; left out, the laboratory's own
     */
    async addCluster(name: string, place = "111122223333/eu-west-1") {
      const [account, region] = place.split("/");
      const server = await startFakeApiServer(certificate);
      others.push(server);
      services.clusters.set(region === "eu-west-1" ? name : `${region}/${name}`, {
        ...services.clusters.get("shop"),
        name,
        arn: `arn:aws:eks:${region}:${account}:cluster/${name}`,
        endpoint: server.url,
      });
      server.put("/api/v1/namespaces/default", namespaceOf("default"));
      return {
        api: server,
        namespace: (each: string, labels: Readonly<Record<string, string>> = {}) =>
          server.put(`/api/v1/namespaces/${each}`, namespaceOf(each, labels)),
      };
    },
    /** A policy engine with a validating webhook, and its service. */
    putPolicyEngine() {
      const rules = [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }];
      const clientConfig = { service: { namespace: "policy", name: "engine" } };
      api.put("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/policy-engine", {
        metadata: { name: "policy-engine" },
        webhooks: [{ name: "validate.policy.example.com", rules, clientConfig }],
      });
      api.put("/api/v1/namespaces/policy/services/engine", { metadata: { name: "engine", namespace: "policy" } });
    },
    close: (
      (close) => async () =>
        void (await Promise.all([close(), api.close(), ...others.map((server) => server.close())]))
    )(lab.close),
  });
}

function namespaceOf(name: string, labels: Readonly<Record<string, string>> = {}): JsonObject {
  return { kind: "Namespace", metadata: { name, labels: { "kubernetes.io/metadata.name": name, ...labels } } };
}

/** A connection whose calls of Parameter Store and of the publish function are written down. */
function recorded(connect: ConnectAws, asked: AwsCall[]): ConnectAws {
  return async (target) => {
    const connection = await connect(target);
    const { getParameters, getParametersByPath, putParameter, deleteParameters } = connection.store;
    const parameters = { getParameters, getParametersByPath, putParameter, deleteParameters };
    const store = decorate(parameters, (method, args, call) => {
      const [given] = args as Parameters<(typeof parameters)[keyof typeof parameters]>;
      const names = "path" in given ? [given.path] : "name" in given ? [given.name] : given;
      const action = `ssm:${method.charAt(0).toUpperCase()}${method.slice(1)}`;
      asked.push(...names.map((name) => ({ action, resource: arnOf("ssm", `parameter${name}`) })));
      return call(...args);
    });
    const askPublisher: typeof connection.askPublisher = (request) => {
      asked.push({ action: "lambda:InvokeFunction", resource: arnOf("lambda", "function:outrigger-dev-publish") });
      return connection.askPublisher(request);
    };
    const objects = decorate(connection.store.objects, (method, args, call) => {
      const action = `s3:${method === "listObjects" ? "ListBucket" : `${method.charAt(0).toUpperCase()}${method.slice(1)}`}`;
      asked.push({
        action,
        resource: `arn:aws:s3:::outrigger-dev-releasebucket-1a2b3c${method === "listObjects" ? "" : `/${String(args[0])}`}`,
      });
      return call(...args);
    });
    return { ...connection, store: { ...store, objects }, askPublisher };
  };
}
