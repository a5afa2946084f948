import { describe, expect, it } from "vitest";
import { isCloudFormation, respond } from "./cloudformation-response.ts";

const request = {
  RequestType: "Update",
  ResponseURL: "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/a?b=c",
  StackId: "stack",
  RequestId: "request",
  LogicalResourceId: "Publication",
} as const;

describe("respond()", () => {
  it("puts what CloudFormation wants, and tries again when its storage fails", async () => {
    const puts: [string, RequestInit | undefined][] = [];
    const put: typeof fetch = async (url, init) => {
      puts.push([String(url), init]);
      if (puts.length === 1) throw new TypeError("socket hang up");
      return new Response(null, { status: puts.length === 2 ? 503 : 200 });
    };
    await respond(request, { status: "FAILED", reason: "x".repeat(9000) }, "id", put);
    expect(puts).toHaveLength(3);
    const [url, init] = puts[2] as [string, RequestInit];
    expect([url, init.method]).toEqual([request.ResponseURL, "PUT"]);
    const { Reason, ...body } = JSON.parse(init.body as string);
    const { StackId, RequestId, LogicalResourceId } = request;
    expect(body).toEqual({ Status: "FAILED", PhysicalResourceId: "id", StackId, RequestId, LogicalResourceId });
    expect(Reason).toHaveLength(1500);
  });

  it.each([
    "http://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/a",
    "https://example.com/amazonaws.com",
    "https://amazonaws.com.example.com/",
    "https://evilamazonaws.com/",
    "http://169.254.169.254/latest",
  ])("sends nothing to %s", async (ResponseURL) => {
    const put: typeof fetch = async () => {
      throw new Error("It was sent");
    };
    const sent = respond({ ...request, ResponseURL }, { status: "SUCCESS", reason: "" }, "id", put);
    await expect(sent).rejects.toThrow("is not one of Amazon's");
  });
});

describe("isCloudFormation()", () => {
  it("knows an event of a custom resource, and nothing else", () => {
    expect(isCloudFormation(request)).toBe(true);
    for (const other of [null, [], {}, { ...request, RequestType: "Burn" }, { ...request, ResponseURL: 1 }])
      expect(isCloudFormation(other)).toBe(false);
  });
});
