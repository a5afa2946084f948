// The bundle of the publish function, with the unmodified SDK in it, before a Parameter Store of the test's own.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { layoutOf } from "@outrigger/aws";
import { type FakeServer, fakeParameterStore, startFakeServer } from "@outrigger/fake-aws";
import { readSnapshot } from "@outrigger/serving";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const layout = layoutOf("/outrigger/dev");

const CALL = `
const { handler } = require(process.argv[1]);
const events = JSON.parse(process.argv[2]);
(async () => {
  const results = [];
  for (const event of events) results.push(await handler(event, {}));
  console.log(JSON.stringify(results));
})();
`;

describe("functions/publish, bundled", () => {
  let server: FakeServer;
  beforeEach(async () => {
    server = await startFakeServer();
  });
  afterEach(() => server.close());

  /** Standard output holds a line of log for each event, then what was returned. */
  async function invoke(...events: readonly unknown[]) {
    const args = ["-e", CALL, resolve("dist/functions/publish/index.cjs"), JSON.stringify(events)];
    const env = {
      AWS_ENDPOINT_URL: server.url,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      OUTRIGGER_PREFIX: layout.prefix,
      OUTRIGGER_RELEASE_BUCKET: "team-releases",
      OUTRIGGER_STAGE: "dev",
      OUTRIGGER_STACK: "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1",
    };
    const { stdout } = await promisify(execFile)(inject("deployedNode"), args, { env });
    const lines = stdout.trim().split("\n");
    return { log: lines.slice(0, -1).map((line) => JSON.parse(line)), results: JSON.parse(lines.at(-1) as string) };
  }

  const put = (path: string, Value: string) =>
    server.service.call("PutParameter", { Name: `${layout.source}/${path}`, Value, Type: "String", Overwrite: true });
  const cause = { by: "ann", why: "" };

  it("publishes the shipped templates with an edit over them, and refuses a bad one with its place", async () => {
    await put("values/10-mine", "global:\n  hub: registry.example/mine\n");
    const { results, log } = await invoke({ action: "publish", cause });
    expect(results).toMatchObject([{ ok: true, channel: "stable", changed: true }]);
    expect(log).toMatchObject([{ event: "publish", Published: 1, Stage: "dev" }]);

    const store = fakeParameterStore({ table: server.service.table() });
    const reading = await readSnapshot(store, layout, undefined);
    const digest = results[0].release as string;
    expect(reading).toMatchObject({ kind: "snapshot", snapshot: { channels: { stable: digest } } });
    expect(JSON.stringify(reading)).toContain("registry.example/mine");

    await put("templates/sidecar", "metadata:\n  labels:\n    a: <%nothing metadata%>\n");
    const refused = await invoke({
      source: "aws.ssm",
      time: "2026-01-01T00:00:00Z",
      detail: { name: `${layout.source}/templates/sidecar` },
    });
    expect(refused.results).toMatchObject([
      { ok: false, error: { code: "template-invalid", path: `${layout.source}/templates/sidecar`, line: 3 } },
    ]);
    expect(refused.log).toMatchObject([{ trigger: "edit", PublishRefused: 1 }]);
    expect(await readSnapshot(fakeParameterStore({ table: server.service.table() }), layout, undefined)).toEqual(
      reading,
    );
  });
});
