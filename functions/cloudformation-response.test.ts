import { describe, expect, it } from "vitest";
import { type Answer, isCloudFormation, respond } from "./cloudformation-response.ts";

const request = {
  RequestType: "Update",
  ResponseURL: "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/a?b=c",
  StackId: "stack",
  RequestId: "request",
  LogicalResourceId: "Publication",
} as const;

function answer(ResponseURL: string, region = "us-east-1"): Answer {
  const response = { status: "FAILED", reason: "x".repeat(9000) } as const;
  return { request: { ...request, ResponseURL }, response, physicalId: "id", region };
}

const neverCalled: typeof fetch = async () => {
  throw new Error("It was sent");
};

describe("respond()", () => {
  it("puts what CloudFormation wants, and tries again when its storage fails", async () => {
    const puts: [string, RequestInit | undefined][] = [];
    const put: typeof fetch = async (url, init) => {
      puts.push([String(url), init]);
      if (puts.length === 1) throw new TypeError("socket hang up");
      return new Response(null, { status: puts.length === 2 ? 503 : 200 });
    };
    await respond(answer(request.ResponseURL), { put });
    expect(puts).toHaveLength(3);
    const [url, init] = puts[2] as [string, RequestInit];
    expect([url, init.method, init.redirect]).toEqual([request.ResponseURL, "PUT", "error"]);
    const { Reason, ...body } = JSON.parse(init.body as string);
    const { StackId, RequestId, LogicalResourceId } = request;
    expect(body).toEqual({ Status: "FAILED", PhysicalResourceId: "id", StackId, RequestId, LogicalResourceId });
    expect(Reason).toHaveLength(1500);
  });

  it.each([
    ["us-east-1", "useast1.s3.us-east-1.amazonaws.com"],
    ["eu-west-1", "euwest1.s3-eu-west-1.amazonaws.com"],
    ["eu-south-2", "eusouth2.s3.eu-south-2.amazonaws.com"],
    ["cn-north-1", "cnnorth1.s3.cn-north-1.amazonaws.com.cn"],
    ["us-gov-west-1", "usgovwest1.s3.us-gov-west-1.amazonaws.com"],
    ["eusc-de-east-1", "euscdeeast1.s3.eusc-de-east-1.amazonaws.eu"],
  ])("answers CloudFormation's own bucket of %s", async (region, host) => {
    const urls: string[] = [];
    const put: typeof fetch = async (url) => {
      urls.push(String(url));
      return new Response(null);
    };
    await respond(answer(`https://cloudformation-custom-resource-response-${host}/a?b=c`, region), { put });
    expect(urls).toEqual([`https://cloudformation-custom-resource-response-${host}/a?b=c`]);
  });

  it.each([
    "not a URL",
    "http://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/a",
    "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com:8443/a",
    "https://any-bucket.s3.amazonaws.com/a",
    "https://any-bucket.s3.us-east-1.amazonaws.com/a",
    "https://s3.amazonaws.com/cloudformation-custom-resource-response-useast1/a",
    "https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com/a",
    "https://cloudformation-custom-resource-response-useast1.s3.us-east-1.amazonaws.com.cn/a",
    "https://cloudformation-custom-resource-response-mine.s3.amazonaws.com/a",
    "https://cloudformation-custom-resource-response-useast1.execute-api.us-east-1.amazonaws.com/",
    "https://example.com/cloudformation-custom-resource-response-useast1.s3.amazonaws.com",
    "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com.example.com/",
    "http://169.254.169.254/latest",
  ])("sends nothing to %s", async (url) => {
    await expect(respond(answer(url), { put: neverCalled })).rejects.toThrow(
      "not in CloudFormation's bucket of us-east-1",
    );
  });
});

describe("isCloudFormation()", () => {
  it("knows an event of a custom resource, and nothing else", () => {
    expect(isCloudFormation(request)).toBe(true);
    expect(isCloudFormation({ ...request, PhysicalResourceId: "outrigger/dev/shop/default" })).toBe(true);
    const changes = [
      { RequestType: "Burn" },
      { ResponseURL: 1 },
      { LogicalResourceId: null },
      { PhysicalResourceId: 1 },
    ];
    for (const other of [null, [], {}, ...changes.map((change) => ({ ...request, ...change }))])
      expect(isCloudFormation(other)).toBe(false);
  });
});
