import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { signedStackStatus } from "./stack-status.ts";

const STACK = "arn:aws:cloudformation:eu-west-1:123456789012:stack/outrigger-prod/1";
let stop = async () => {};
afterEach(() => stop());

/** The environment of a function whose CloudFormation gives that answer, and what it was asked. */
async function cloudFormation(status: number, answer: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => asked.push(text));
    request.on("end", () => response.writeHead(status).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stop = () => new Promise((resolve) => void server.close(() => resolve()));
  const { port } = server.address() as AddressInfo;
  const env = {
    AWS_REGION: "eu-west-1",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "b",
  };
  return { env, asked };
}

describe("signedStackStatus()", () => {
  it("reads the state of one stack, whatever its texts say", async () => {
    const member =
      "<Description>&lt;StackStatus&gt;</Description><StackStatus>UPDATE_ROLLBACK_IN_PROGRESS</StackStatus>";
    const { env, asked } = await cloudFormation(200, `<DescribeStacksResponse>${member}</DescribeStacksResponse>`);
    expect(await signedStackStatus(STACK, env)).toBe("UPDATE_ROLLBACK_IN_PROGRESS");
    const form = new URLSearchParams(asked.join(""));
    expect([form.get("Action"), form.get("StackName")]).toEqual(["DescribeStacks", STACK]);
  });

  it.each([
    [403, "<Error><Code>AccessDenied</Code><Message>not authorized to perform</Message></Error>", "not authorized"],
    [503, "", "status 503"],
    [200, "<html>", "status 200"],
  ])("says why where the answer is %i %s", async (status, answer, why) => {
    const { env } = await cloudFormation(status, answer);
    await expect(signedStackStatus(STACK, env)).rejects.toThrow(`Cannot read the state of the stack: ${why}`);
  });
});
