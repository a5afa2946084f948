// What API Gateway never sends, and every caller of the function can: fields of other types.
import { describe, expect, it } from "vitest";
import { type GatewayEvent, requestOf } from "./api-gateway.ts";

const sent = (event: unknown) => requestOf(event as GatewayEvent);

describe("requestOf()", () => {
  it.each([
    { requestContext: { http: { method: "POST", path: "/inject" } }, body: 5, rawPath: 7, headers: 1 },
    {
      requestContext: { http: { method: {} } },
      headers: { "content-type": [] },
      queryStringParameters: { timeout: {} },
    },
    { requestContext: { http: null }, body: {}, path: [], httpMethod: 1, multiValueHeaders: { "Content-Type": 1 } },
    { multiValueQueryStringParameters: { timeout: "10s" }, requestContext: { stage: {} } },
    {},
  ])("takes nothing but text from %j", (event) => {
    const { method, path, query, headers, body } = sent(event);
    for (const text of [method, path, query["timeout"] ?? "", headers["content-type"] ?? "", body ?? ""]) {
      expect(text).toBeTypeOf("string");
    }
  });

  it("reads the last of a header or parameter that is there several times", () => {
    const event = {
      httpMethod: "POST",
      multiValueHeaders: { "Content-Type": ["text/plain", "application/json"] },
      multiValueQueryStringParameters: { timeout: ["1s", "2s"] },
    };
    expect(sent(event)).toMatchObject({ query: { timeout: "2s" }, headers: { "content-type": "application/json" } });
  });
});
