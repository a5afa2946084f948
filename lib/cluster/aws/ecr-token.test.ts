import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterEach, describe, expect, it } from "vitest";
import { ecrAuthorization } from "./ecr-token.ts";

const lambda = new LambdaClient({
  region: "eu-west-1",
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" },
});

describe("ecrAuthorization()", () => {
  let close = async () => {};
  afterEach(() => close());

  /** ECR's API: what it answers, and what it was asked. */
  async function api(status: number, body: unknown) {
    const asked: { readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      asked.push({ headers: request.headers, body: text });
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
    return { asked, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it("asks once, signed for ECR in the registry's Region", async () => {
    const { asked, endpoint } = await api(200, { authorizationData: [{ authorizationToken: "QVdTOnRva2Vu" }] });
    expect(await ecrAuthorization(lambda, "eu-central-1", endpoint)).toBe("Basic QVdTOnRva2Vu");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toBe("{}");
    expect(asked[0]?.headers).toMatchObject({
      "x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
      "x-amz-security-token": "session",
      authorization: expect.stringMatching(/Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/ecr\/aws4_request/),
    });
  });

  it.each([
    [400, { __type: "AccessDeniedException" }],
    [200, {}],
    [200, "<html>"],
    [200, { authorizationData: [{ authorizationToken: "a\r\nhost: other" }] }],
  ])("says which right it needs where it gets %d %j", async (status, body) => {
    const { endpoint } = await api(status, body);
    const refused = ecrAuthorization(lambda, "eu-west-1", endpoint);
    await expect(refused).rejects.toMatchObject({
      code: "aws-denied",
      message: expect.stringContaining("you need ecr:GetAuthorizationToken"),
    });
  });
});
