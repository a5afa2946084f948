// The real SDK against the fake over HTTP: what commands do in AWS, and what they say when AWS says no.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { layoutOf, storeError } from "@outrigger/aws";
import {
  type FakeServer,
  fakeObjectStore,
  fakeParameterStore,
  fakeServices,
  inBucket,
  type ObjectFault,
  startFakeServer,
} from "@outrigger/fake-aws";
import { runPublisher } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { packIntoBucket } from "../../test/support/pack-quickly.ts";
import { connectAws, withWaysOut } from "./connect-aws.ts";

const DONE = { ok: true, message: "stable serves 0123456789ab now", seq: 1, changed: true, warnings: [] };

/** The fields of a write of which nothing but the name is read. */
const HEAD = { value: "x", overwrite: true, tier: "Standard" } as const;

describe("connectAws()", () => {
  let server: FakeServer;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "fake");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "fake");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    cli = fakeCli((target) => connectAws(target, { env: { USER: "ann" }, version: "1.2.3" }), SHIPPED);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    cli.remove(".");
    await server.close();
  });

  async function start(
    options: Parameters<typeof startFakeServer>[0] = {},
    stages: readonly string[] = ["dev"],
  ): Promise<void> {
    const store = fakeParameterStore();
    for (const stage of stages) await store.putParameter({ ...HEAD, name: `/outrigger/${stage}/serve/head` });
    server = await startFakeServer(options.fault === undefined ? { service: store.service, ...options } : options);
    vi.stubEnv("AWS_ENDPOINT_URL", server.url);
  }

  it("pushes, publishes and pulls", async () => {
    const asked: unknown[] = [];
    await start({
      invoke: async (name, event) => {
        asked.push([name, event]);
        return DONE;
      },
    });
    cli.write("tree/values/10-mine.yaml", "global: {hub: registry.example/one}\n");
    const { code, out, err } = await cli.run("push tree --publish -m", "why not");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("stable serves 0123456789ab now\n");
    const cause = { by: "ann", why: "why not" };
    expect(asked).toEqual([
      ["outrigger-dev-publish", { action: "publish", cause, id: expect.any(String), tree: expect.any(String) }],
    ]);
    expect((await cli.run("pull other")).out).toContain("added    values/10-mine.yaml\n");
  });

  it("reads releases from the bucket that the head names, and says what keeps it from them", async () => {
    let fault: ObjectFault | undefined;
    const objects = fakeObjectStore({ fault: () => fault });
    const store = fakeParameterStore();
    const published = await runPublisher(
      { action: "publish", cause: { by: "ann", why: "" } },
      {
        store: { ...store, objects: inBucket("releases", objects) },
        layout: layoutOf("/outrigger/dev"),
        tier: "Standard",
        bucket: "releases",
        pack: packIntoBucket,
        shipped: SHIPPED,
        now: () => new Date(),
        sleep: async () => {},
      },
    );
    expect(published).toMatchObject({ ok: true });
    await start({ service: store.service, objects });
    cli = fakeCli(
      (target) => connectAws(target, { env: { USER: "ann", AWS_ENDPOINT_URL: server.url }, version: "1.2.3" }),
      SHIPPED,
    );
    expect((await cli.run("channel")).out).toMatch(/\nUsed: \d+ characters, \d+ free\n$/);
    expect(await cli.run("diff stable stable")).toMatchObject({ code: 0, err: "" });
    fault = { kind: "error", name: "AccessDenied", status: 403 };
    const denied = await cli.run("diff stable stable");
    expect(denied.code).toBe(3);
    expect(denied.err).toContain("s3:GetObject");
    expect(denied.err).toContain("s3://releases/outrigger/dev/objects/");
  });

  it.each([
    "publish",
    "promote canary stable",
    "rollback stable",
    "pin stable",
    "pin stable --off",
    "channel remove canary",
    "channel edits stable",
    "repair",
  ])("says that the function is older than this command, in place of what it does not know: %s", async (line) => {
    await start({
      // As a function of 0.2.0 does.
      invoke: async (_name, event) => {
        const { action } = event as { readonly action: string };
        const message = `Cannot do what is asked: "id" is not known for ${action}; use action, cause`;
        return { ok: false, error: { code: "usage", message, path: "id" } };
      },
    });
    const { code, err } = await cli.run(line);
    expect(err).toMatch(
      /^The function of stage dev is older than this command \(1\.2\.3\): it does not take "id" of [a-z-]+; run "outrigger deploy --stage dev"\n$/,
    );
    expect(code).toBe(3);
  });

  it("sends nothing that it does not know itself", async () => {
    const asked: unknown[] = [];
    await start({
      invoke: async (_name, event) => {
        asked.push(event);
        return DONE;
      },
    });
    const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };
    const { askPublisher } = await connectAws(target, { env: process.env, version: "1.2.3" });
    const cause = { by: "ann", why: "" };
    const wrong = askPublisher({ action: "promote", from: "No Channel", to: "stable", cause });
    await expect(wrong).rejects.toMatchObject({ code: "usage", path: "from" });
    expect(asked).toEqual([]);
    await askPublisher({ action: "promote", from: "canary", to: "stable", cause });
    expect(asked).toHaveLength(1);
  });

  it("reports what the publish function refuses, with its own code", async () => {
    await start({
      invoke: async () => ({
        ok: false,
        error: { code: "channel-unknown", message: "Cannot use channel x", path: "x" },
      }),
    });
    expect(await cli.run("pin x --off")).toEqual({ code: 3, out: "", err: "Cannot use channel x\n" });
  });

  it.each([{ ok: true }, { ...DONE, message: 1 }, { ...DONE, warnings: null }, { ...DONE, seq: "1" }])(
    "reports a function that answers something else: %j",
    async (answer) => {
      await start({ invoke: async () => answer });
      const { code, err } = await cli.run("pin x --off");
      expect([code, err]).toEqual([3, expect.stringContaining('Function "outrigger-dev-publish" failed')]);
    },
  );

  it("lints by the guardrails that the publish function has, and says so where there is none", async () => {
    const services = fakeServices("eu-central-1");
    const Environment = { Variables: { OUTRIGGER_GUARDRAILS: "baseline" } };
    services.functions.set("outrigger-dev-publish", { Environment });
    await start({ services }, ["dev", "prod"]);
    cli.write("tree/config.yaml", "defaultTemplates: [evil]\n");
    cli.write("tree/templates/evil.hbs", "spec:\n  hostPID: true\n");
    const { code, out } = await cli.run("lint tree --deployment dev");
    expect([code, out]).toEqual([
      1,
      expect.stringContaining("templates/evil.hbs:2:12: error: Cannot use what it adds"),
    ]);
    const unknown = await cli.run("lint tree --deployment prod");
    expect([unknown.code, unknown.out]).toEqual([0, expect.stringContaining("guardrails admit is not known")]);
    expect(unknown.out).toContain(
      'Cannot read function "outrigger-prod-publish": the call failed (ResourceNotFoundException)',
    );
  });

  it("asks again while the function is busy, and never after the request has arrived", async () => {
    const asked: unknown[] = [];
    const named = (name: string) => Object.assign(new Error(name), { name });
    await start({
      invoke: async (_name, event) => {
        asked.push((event as { readonly id: string }).id);
        throw named(asked.length < 3 ? "TooManyRequestsException" : "ConnectionReset");
      },
    });
    expect((await cli.run("pin x --off")).code).toBe(3);
    expect(asked).toEqual([asked[0], asked[0], asked[0]]);
  });

  it("refuses a deployment that does not exist, or that is not named among several, and names those that do", async () => {
    await start({}, ["dev", "prod"]);
    cli.write("tree/values/10-mine.yaml", "global: {hub: registry.example/one}\n");
    const READERS = ["channel", "clusters", "releases", "push tree", "publish", "rollout status stable", "lint tree"];
    for (const line of READERS) {
      const { code, err } = await cli.run(`${line} --deployment produciton`);
      expect({ line, code, err }).toEqual({
        line,
        code: 2,
        err: 'Cannot use deployment produciton: nothing is published below /outrigger/produciton in this account and Region; there are dev and prod; correct --deployment, --prefix or --region, or run "outrigger deploy --stage produciton" first\n',
      });
    }
    const { code, err } = await cli.run("push tree");
    expect([code, err]).toEqual([
      2,
      "Cannot tell which deployment is meant: there are dev and prod; use --deployment, or set OUTRIGGER_STAGE\n",
    ]);
    expect(await cli.run("channel --deployment prod")).toMatchObject({ code: 0 });
  });

  it("says which function it misses, and how to deploy it", async () => {
    await start({}, ["dev", "prod"]);
    expect((await cli.run("publish --deployment prod")).err).toMatch(
      /^There is no function "outrigger-prod-publish" in eu-west-1: deploy first \(outrigger deploy --stage prod\)/,
    );
  });

  it("says that the function failed, and where its log is", async () => {
    await start({
      invoke: async () => {
        throw new Error("secret detail");
      },
    });
    const { code, err } = await cli.run("publish");
    expect(code).toBe(3);
    expect(err).toContain("aws logs tail /aws/lambda/outrigger-dev-publish");
    expect(err).not.toContain("secret");
  });

  it.each([
    ["AccessDeniedException", "the credentials do not allow ssm:GetParametersByPath; ask for that permission"],
    ["ExpiredTokenException", "the AWS credentials have expired; sign in again"],
    ["UnrecognizedClientException", "AWS does not know these credentials; check --profile and the environment"],
  ])("says what to do about %s", async (name, message) => {
    await start({ fault: () => ({ kind: "error", name, status: 400 }) });
    const { code, err } = await cli.run("pull tree");
    expect([code, err]).toEqual([3, `Cannot read /outrigger/dev/source: ${message}\n`]);
  });

  it.each([
    ["", "no Region is given"],
    ["eu west", "the Region that is set cannot be one"],
  ])("says what to do when the Region is %j", async (region, why) => {
    await start();
    vi.stubEnv("AWS_REGION", region);
    expect((await cli.run("channel")).err).toBe(`Cannot reach AWS: ${why}; use --region, or set AWS_REGION\n`);
  });

  it("names the endpoint of the environment where something else answers", async () => {
    await start();
    const other = createServer((_request, response) => void response.writeHead(404).end("<html>Not found</html>"));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    vi.stubEnv("AWS_ENDPOINT_URL", "");
    vi.stubEnv("AWS_ENDPOINT_URL_SSM", url);
    cli = fakeCli(
      (target) => connectAws(target, { env: { USER: "ann", AWS_ENDPOINT_URL_SSM: url }, version: "1.2.3" }),
      SHIPPED,
    );
    const { code, err } = await cli.runIn({ AWS_ENDPOINT_URL_SSM: url }, "channel");
    await new Promise((done) => other.close(done));
    const message = `Cannot read /outrigger/dev/serve/head: what answers at ${url} is not Parameter Store
AWS calls go where the environment says: AWS_ENDPOINT_URL_SSM=${url}; for AWS itself: unset AWS_ENDPOINT_URL_SSM\n`;
    expect([code, err]).toEqual([3, message]);
  });

  it("says what to do when there are no credentials", async () => {
    await start();
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    expect((await cli.run("channel")).err).toMatch(
      /^Cannot read \/outrigger\/dev\/channels: there are no AWS credentials, or no profile of the name that is given; sign in /,
    );
  });
});

describe("withWaysOut()", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const store = {
    ...fakeParameterStore(),
    getParameters: async () => {
      throw storeError(refused, "read", ["/a"]);
    },
  };

  it.each([
    ["http://127.0.0.1:4566", "Cannot read /a: nothing answers at http://127.0.0.1:4566"],
    ["", "Cannot read /a: nothing answers at the service's address; check --region (eu-west-1)"],
  ])("says where nothing answers when the endpoint is %j", async (endpoint, message) => {
    const asked = withWaysOut(store, "eu-west-1", endpoint).getParameters(["/a"]);
    await expect(asked).rejects.toMatchObject({ code: "aws-unavailable", message });
  });
});
