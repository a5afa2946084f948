import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { signedEventBus } from "./event-bus.ts";

const BUS = "arn:aws:events:eu-west-1:999999999999:event-bus/audit";
let stop = async () => {};
afterEach(() => stop());

/** A bus whose service gives that answer, and what it was asked. */
async function busThat(status: number, answer: object | string) {
  const asked: { target: unknown; scope: string; body: unknown }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { authorization = "", "x-amz-target": target } = request.headers;
      asked.push({ target, scope: authorization.split("Credential=")[1]?.split(",")[0] ?? "", body: JSON.parse(body) });
      response.writeHead(status).end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stop = () => new Promise((resolve) => void server.close(() => resolve()));
  const { port } = server.address() as AddressInfo;
  const bus = signedEventBus(BUS, {
    AWS_REGION: "eu-west-1",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "b",
  });
  return { bus, asked };
}

const event = (detail: object) => ({ source: "outrigger", type: "Outrigger Change", time: new Date(1500), detail });
const events = [event({ change: 1 }), event({ change: 2 }), event({ change: 3 })];

describe("signedEventBus()", () => {
  it("sends events by EventBridge's own call, signed for it", async () => {
    const { bus, asked } = await busThat(200, { FailedEntryCount: 0, Entries: [{ EventId: "1" }] });
    expect(await bus.putEvents([event({ change: 7, by: "ann" })])).toBe(1);
    expect(asked).toMatchObject([
      {
        target: "AWSEvents.PutEvents",
        scope: expect.stringMatching(/^a\/\d{8}\/eu-west-1\/events\/aws4_request$/),
        body: {
          Entries: [
            {
              EventBusName: BUS,
              Source: "outrigger",
              DetailType: "Outrigger Change",
              Time: 1,
              Detail: '{"change":7,"by":"ann"}',
            },
          ],
        },
      },
    ]);
  });

  it("says how many were taken up to the first that was not: those behind it are sent again", async () => {
    const refused = { ErrorCode: "InternalFailure", ErrorMessage: "busy" };
    const { bus } = await busThat(200, {
      FailedEntryCount: 1,
      Entries: [{ EventId: "1" }, refused, { EventId: "3" }],
    });
    expect(await bus.putEvents(events)).toBe(1);
  });

  it.each([
    [200, { Entries: [{ ErrorCode: "AccessDeniedException", ErrorMessage: "no" }] }, "aws-denied", "events:PutEvents"],
    [400, { __type: "AccessDeniedException", message: "no" }, "aws-denied", `Cannot send events to ${BUS}`],
    [400, { __type: "ThrottlingException", message: "slow" }, "aws-unavailable", "throttling"],
    [200, {}, "aws-unavailable", `Cannot send events to ${BUS}`],
    [503, "<html>", "aws-unavailable", `Cannot send events to ${BUS}`],
  ])("fails where nothing was taken: %i %j", async (status, answer, code, message) => {
    const { bus } = await busThat(status, answer);
    await expect(bus.putEvents(events)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
