// One ID for one call, in the gateway's log, the function's log and the API server's audit log.
import { fixedService } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { goldenTemplate } from "../../../test/infra/support/template.ts";
import { eventOf } from "../../../test/support/gateway-event.ts";
import { type GatewayEvent, handlerOf } from "../api-gateway.ts";

const ID = "JKJaXmPLvHcESHA=";
const POD = { metadata: { name: "web" }, spec: { containers: [] } };

/** Returns the log line and the audit annotations of a call with this ID. */
async function traces(requestId: unknown, event: (id: unknown) => unknown, object: unknown = POD) {
  const lines: string[] = [];
  const find = fixedService({
    release: "r1",
    inject: () => ({ injected: false, reason: "policy-disabled" }),
  } as unknown as Parameters<typeof fixedService>[0]);
  const handler = handlerOf({ find, now: () => 1 }, (line) => void lines.push(line));
  const { body, statusCode } = await handler(event(requestId) as GatewayEvent);
  const annotations = statusCode === 200 ? JSON.parse(body).response.auditAnnotations : undefined;
  return { log: JSON.parse(lines[0] ?? "{}"), annotations, object };
}

const http = (requestId: unknown) => {
  const event = eventOf({ object: POD, namespace: "shop" });
  return { ...event, requestContext: { ...event.requestContext, requestId } };
};
const rest = (requestId: unknown) => {
  const { body, headers, rawPath } = eventOf({ object: POD, namespace: "shop" });
  return { httpMethod: "POST", path: rawPath, headers, body, isBase64Encoded: false, requestContext: { requestId } };
};

describe.each([
  ["an HTTP API", http],
  ["a REST API", rest],
])("the request ID of %s", (_api, event) => {
  it("is in the log line and in the audit annotations", async () => {
    const { log, annotations } = await traces(ID, event);
    expect(log.requestId).toBe(ID);
    expect(annotations).toMatchObject({ decision: "skipped", "request-id": ID });
  });

  it.each([undefined, null, 7, "", "a b", 'a"b', "x".repeat(65), "ü"])(
    "is left out when it is no ID: %j",
    async (id) => {
      const { log, annotations } = await traces(id, event);
      expect(log).not.toHaveProperty("requestId");
      expect(annotations).not.toHaveProperty("request-id");
    },
  );
});

describe("the gateway's log", () => {
  it.each(["http", "rest", "private"])("has it under the same name: %s", (variant) => {
    const text = JSON.stringify(goldenTemplate(variant).Resources);
    expect(text).toContain(String.raw`\"requestId\":\"$context.requestId\"`);
  });
});
