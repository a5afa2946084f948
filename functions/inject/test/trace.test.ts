// One call by its request ID, from the gateway through the function's log to Parameter Store's calls: with tracing on.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readRelease } from "outrigger:bundled-release";
import { type FakeServer, fakeParameterStore, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { eventOf } from "../../../test/support/gateway-event.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import type { GatewayEvent } from "../api-gateway.ts";
import { storeHandler } from "../store-handler.ts";

const REQUEST = "JKJaXmPLvHcESHA=";
const TOKEN = tokenOf("trace-");
const TRACE = "1-5759e988-bd862e3fe1be46a994272793";
const SAMPLED = `Root=${TRACE};Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a87bd80c:0`;

describe("a call that X-Ray traces", () => {
  let store: FakeServer;
  const agents: (string | undefined)[] = [];
  /** A server that passes requests on to the store, and keeps who asked. */
  const server = createServer(async (request, response) => {
    agents.push(request.headers["user-agent"]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const headers = {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": String(request.headers["x-amz-target"]),
    };
    const answer = await fetch(store.url, { method: "POST", headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.1" }).end(await answer.text());
  });
  beforeAll(async () => {
    const parameters = fakeParameterStore();
    const snapshot = snapshotOf({
      seq: 1,
      clusters: { east: clusterOf([TOKEN]) },
      releases: { release1: readRelease() },
    });
    await writeSnapshot(parameters, snapshot, { tier: "Advanced" });
    store = await startFakeServer({ service: parameters.service });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    agents.length = 0;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await store.close();
  });

  /** Returns the log line and the review of a call. */
  async function callWith(trace: string | undefined) {
    vi.stubEnv("_X_AMZN_TRACE_ID", trace);
    const lines: string[] = [];
    const env = {
      OUTRIGGER_PREFIX: PREFIX,
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      _X_AMZN_TRACE_ID: trace,
    };
    const bundled = { digest: "b", read: readRelease };
    const write = (line: string) => void lines.push(line);
    const handler = storeHandler({ env, bundled, write, now: () => performance.now() });
    const object = { metadata: { name: "web" }, spec: { containers: [] } };
    const event = eventOf({ object, namespace: "shop", path: `/t/${TOKEN}/inject` });
    const requestContext = { ...event.requestContext, requestId: REQUEST };
    const { body } = await handler({ ...event, requestContext } as GatewayEvent);
    return { log: JSON.parse(lines[0] ?? "{}"), body };
  }

  it("has the gateway's request ID next to the trace's in its log line, and the trace's in Parameter Store's calls", async () => {
    const { log, body } = await callWith(SAMPLED);
    expect(log).toMatchObject({ requestId: REQUEST, traceId: TRACE });
    expect(JSON.parse(body).response.auditAnnotations).toMatchObject({ "request-id": REQUEST });
    expect(agents.length).toBeGreaterThan(0);
    expect(new Set(agents)).toEqual(new Set([`outrigger ${TRACE}`]));
  });

  it.each([undefined, "", SAMPLED.replace("Sampled=1", "Sampled=0"), `Root=${TRACE}`, "Root=a b;Sampled=1"])(
    "has no trace when X-Ray records none: %j",
    async (trace) => {
      const { log } = await callWith(trace);
      expect(log).toMatchObject({ requestId: REQUEST });
      expect(log).not.toHaveProperty("traceId");
      expect(new Set(agents)).toEqual(new Set([undefined]));
    },
  );
});
