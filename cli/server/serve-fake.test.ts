import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { publisherOf } from "@outrigger/cluster";
import { fakeObjectStore, startFakeServer } from "@outrigger/fake-aws";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeIo, fakeIo } from "../../test/cli/fake-io.ts";
import { startFakeApiServer } from "../../test/eks/fake-api-server.ts";
import { labCertificate } from "../../test/eks/lab-certificate.ts";
import { main } from "../main.ts";
import { curlLine } from "./request-line.ts";

const REVIEW = /-d '(.*?)' \|/.exec(curlLine("x"))?.[1] as string;
const AWS = {
  region: "us-east-1",
  credentials: { accessKeyId: "fake", secretAccessKey: "fake" },
  maxAttempts: 1,
};

// Through start itself: it compiles the shipped tree several times, which takes seconds on a busy machine.
describe("outrigger start --fake", { timeout: 180_000 }, () => {
  let cwd: string;
  let io: FakeIo;
  let exit: Promise<number> | undefined;
  let ssm: SSMClient;
  let lambda: LambdaClient;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-fake-"));
    mkdirSync(join(cwd, "tree/values"), { recursive: true });
    mkdirSync(join(cwd, "page"));
    writeFileSync(join(cwd, "page/index.html"), "page");
    io = fakeIo({ cwd, studio: join(cwd, "page") });
    exit = undefined;
  });
  afterEach(async () => {
    io.stop();
    await exit;
    rmSync(cwd, { recursive: true, force: true });
  });

  async function start(...argv: readonly string[]): Promise<string> {
    exit = main(["start", "--port", "0", "--http", "--fake", ...argv], io);
    await seen("Outrigger is ready on");
    const endpoint = /AWS_ENDPOINT_URL=(\S+)/.exec(io.out())?.[1] as string;
    ssm = new SSMClient({ ...AWS, endpoint });
    lambda = new LambdaClient({ ...AWS, endpoint });
    return /ready on (\S+)/.exec(io.out())?.[1] as string;
  }

  const seen = (text: string) => vi.waitFor(() => expect(io.out() + io.err()).toContain(text), { timeout: 120_000 });
  const edit = (path: string, Value: string) =>
    ssm.send(
      new PutParameterCommand({ Name: `/outrigger/prod/source/${path}`, Value, Type: "String", Overwrite: true }),
    );
  const post = (url: string) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: REVIEW });

  /** Returns what the studio shows whose address `start` has printed. */
  async function studioState(): Promise<Readonly<Record<"workspace" | "releases" | "rollout", unknown>>> {
    const address = /\S+\/open\?key=\S+/.exec(io.out())?.[0] as string;
    const opened = await fetch(address, { redirect: "manual" });
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] as string;
    const ask = async (path: string) => (await fetch(new URL(path, address), { headers: { cookie } })).json();
    return {
      workspace: await ask("/api/workspace"),
      releases: await ask("/api/releases"),
      rollout: await ask("/api/rollout?channel=stable"),
    };
  }

  async function serves(url: string, hub: string): Promise<void> {
    const image = async () => {
      const { patch } = ((await (await post(url)).json()) as { response: { patch: string } }).response;
      expect(Buffer.from(patch, "base64").toString()).toContain(`registry.example/${hub}/`);
    };
    await vi.waitFor(image, { timeout: 60_000, interval: 100 });
  }

  it("serves what the directory holds and then what is edited, refuses what is wrong, and who is unknown", async () => {
    writeFileSync(join(cwd, "tree/values/10-mine.yaml"), "global: {hub: registry.example/one}\n");
    const url = await start("--dir", "tree");
    expect(url).toMatch(/^http:\/\/localhost:\d+\/t\/[\w-]{43}\/inject$/);
    expect(io.out()).toContain(curlLine(url));
    await serves(url, "one");
    const { workspace, releases, rollout } = await studioState();
    expect(workspace).toMatchObject({ kind: "deployment", saved: { "values/10-mine": expect.any(String) } });
    expect(releases).toMatchObject({ changes: [{ by: "outrigger start", places: [{ channel: "stable" }] }] });
    // Of the fake's own CloudWatch, whatever Region and credentials the shell has.
    expect(rollout).toMatchObject({ signals: [], counts: expect.any(Object) });

    await edit("values/20-more", "global: {hub: registry.example/two}");
    await seen("stable serves ");
    await serves(url, "two");

    await edit("partials/proxy-image", "image: <% nonsense 1 %>");
    await seen("Not published: ");
    expect(io.out()).toMatch(/Not published: .*nonsense.*\/outrigger\/prod\/source\/partials\/proxy-image/);
    await serves(url, "two");

    expect((await post(url.replace(/\/t\/[^/]+/, `/t/${"x".repeat(43)}`))).status).toBe(404);
    await seen("token-unknown");
  });

  it("is a deployment to outrigger's other commands", async () => {
    const url = await start();
    const store = ssmParameterStore(ssm, fakeObjectStore());
    const connect = async ({ publisher }: { readonly publisher: string }) => ({
      store,
      askPublisher: publisherOf(lambda, publisher, { region: AWS.region, version: "1.2.3" }),
      guardrails: async () => "",
      hold: async () => "powers" as const,
      environment: async () => "",
      functionVersion: async () => undefined,
      deployments: async () => undefined,
      caller: async () => "me",
      place: async () => "local",
    });
    const other = fakeIo({ cwd, connect, env: { OUTRIGGER_STAGE: "prod" } });
    writeFileSync(join(cwd, "tree/values/10-mine.yaml"), "global: {hub: registry.example/pushed}\n");
    expect([await main(["push", "tree", "--publish"], other), other.err()]).toEqual([0, ""]);
    await serves(url, "pushed");
    const invoke = new InvokeCommand({
      FunctionName: "outrigger-prod-publish",
      Payload: Buffer.from('{"action":"drop"}'),
    });
    const { Payload, FunctionError } = await lambda.send(invoke);
    expect(FunctionError).toBeUndefined();
    expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toMatchObject({ ok: false, error: { code: "usage" } });
    expect(await main(["publish", "--publisher", "nobody"], other)).toBe(3);
    expect(other.err()).toContain('no function "nobody"');
  });

  it("exits 1 and says where when what the directory holds cannot be published", async () => {
    writeFileSync(join(cwd, "tree/values/10-mine.yaml"), "global: {hub: [}\n");
    const argv = ["start", "--port", "0", "--http", "--fake", "--dir", "tree"];
    expect(await main(argv, io)).toBe(1);
    expect(io.err()).toMatch(/line 1.*\/outrigger\/prod\/source\/values\/10-mine/);
  });

  it("exits 3 and names the option when the store's port is taken", async () => {
    const taken = await startFakeServer();
    const argv = ["start", "--port", "0", "--http", "--fake", String(taken.port)];
    expect(await main(argv, io)).toBe(3);
    expect(io.err()).toContain(`127.0.0.1:${taken.port}: the port is taken; choose another with --fake PORT`);
    await taken.close();
  });

  it("exits 2 when the port or the tier is none, and says what replaced --store", async () => {
    expect(await main(["start", "--http", "--fake", "x"], io)).toBe(2);
    expect(io.err()).toContain('"x" for --fake [port]');
    expect(await main(["start", "--store", "ssm-fake"], io)).toBe(2);
    expect(io.err()).toContain("`outrigger start --store` is now `outrigger start --fake`");
    const other = fakeIo({ env: { OUTRIGGER_TIER: "advanced" } });
    expect(await main(["start", "--http", "--port", "0", "--fake"], other)).toBe(2);
    expect(other.err()).toBe('Cannot use OUTRIGGER_TIER "advanced": it is Standard or Advanced\n');
  });

  /** The variables that it says to export, once it is ready. */
  async function variables(...argv: readonly string[]): Promise<Readonly<Record<string, string>>> {
    io = fakeIo({ cwd, studio: join(cwd, "page"), env: { XDG_STATE_HOME: join(cwd, "state") } });
    exit = main(["start", "--port", "0", "--fake", ...argv], io);
    await seen("Outrigger is ready on");
    const [, words = ""] = /\n {2}export (.*)\n/.exec(io.out()) ?? [];
    return Object.fromEntries(words.split(" ").map((word) => word.split("=") as [string, string]));
  }

  it("has clusters in a kubeconfig of its own, says what works with them, and leaves nothing", async () => {
    const {
      KUBECONFIG = "",
      NODE_EXTRA_CA_CERTS = "",
      ...others
    } = await variables("--clusters", "stock,pay@222233334444");
    expect(others).toMatchObject({
      AWS_ENDPOINT_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_ACCESS_KEY_ID: "fake",
      AWS_SECRET_ACCESS_KEY: "fake",
      AWS_CA_BUNDLE: NODE_EXTRA_CA_CERTS,
      OUTRIGGER_STAGE: "prod",
    });
    const contexts = JSON.parse(readFileSync(KUBECONFIG, "utf8")).contexts.map(({ name }: { name: string }) => name);
    expect(contexts).toEqual(["stock", "pay", "prod"]);
    expect(statSync(KUBECONFIG).mode & 0o777).toBe(0o600);
    expect(readFileSync(NODE_EXTRA_CA_CERTS, "utf8")).toContain("BEGIN CERTIFICATE");
    const out = io.out();
    expect(out).toContain(
      'This is a fake of AWS and of EKS clusters, "stock", "pay", whose pods istiod injects: in memory',
    );
    expect(out).toContain("\n  outrigger register --cluster stock --phase cluster\n");
    expect(out).toContain("name a cluster of your own with --kubeconfig");
    expect(out).toMatch(/\n {2}unset AWS_ENDPOINT_URL .*KUBECONFIG.*\n/);
    io.stop();
    expect(await exit).toBe(0);
    expect([existsSync(KUBECONFIG), existsSync(NODE_EXTRA_CA_CERTS)]).toEqual([false, false]);
  });

  it("has a cluster without a mesh for a tree without one, and none where API servers could not call it", async () => {
    writeFileSync(join(cwd, "tree/config.yaml"), "mesh: none\ndefaultTemplates: []\n");
    await variables("--dir", "tree");
    expect(io.out()).toContain('and of an EKS cluster, "shop", without a mesh: in memory');
    expect(io.out()).not.toContain("aws ssm put-parameter");
    io.stop();
    await exit;
    expect(await variables("--http")).not.toHaveProperty("KUBECONFIG");
    expect(io.out()).toContain("This is a fake of AWS: in memory");
    expect(io.out()).toContain("aws ssm put-parameter --overwrite");
    expect(io.out()).not.toContain("register --cluster");
  });

  it("offers a person's own cluster in place of a fake one, behind a key that nobody can guess", async () => {
    const api = await startFakeApiServer(await labCertificate());
    try {
      const cluster = { server: api.url, "certificate-authority-data": btoa(api.ca) };
      writeFileSync(
        join(cwd, "own.json"),
        JSON.stringify({
          "current-context": "mine",
          contexts: [{ name: "mine", context: { cluster: "c", user: "u" } }],
          clusters: [{ name: "c", cluster }],
          users: [{ name: "u", user: { token: "static" } }],
        }),
      );
      const { KUBECONFIG, AWS_ACCESS_KEY_ID } = await variables("--kubeconfig", "own.json");
      expect(KUBECONFIG).toBe(join(cwd, "own.json"));
      expect(AWS_ACCESS_KEY_ID).toMatch(/^FAKE[0-9a-f]{48}$/);
      expect(io.out()).toContain(`"shop" is your own, the context mine at ${api.url}`);
      expect(io.out()).toContain("\n  outrigger off --remove --context mine\n");
      expect(io.out()).toContain('register --cluster shop --ca-file "$NODE_EXTRA_CA_CERTS" --phase cluster\n');
      io.stop();
      await exit;
      // A person's own file stays.
      expect(existsSync(join(cwd, "own.json"))).toBe(true);
    } finally {
      await api.close();
    }
  });
});
