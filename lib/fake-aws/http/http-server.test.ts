import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { afterEach, describe, expect, it } from "vitest";
import type { Fault } from "../parameters/fake-service.ts";
import { type FakeServer, type FakeServerOptions, startFakeServer } from "./http-server.ts";
import { fakeServices } from "./services.ts";

const CREDENTIALS = { accessKeyId: "fake", secretAccessKey: "fake" };
const WRITE = { name: "/a/b", value: "ünï", overwrite: true, tier: "Standard" } as const;

describe("startFakeServer()", () => {
  let server: FakeServer;
  let client: SSMClient;
  const start = async (options: FakeServerOptions = {}, maxAttempts = 1) => {
    server = await startFakeServer(options);
    client = new SSMClient({ endpoint: server.url, region: "eu-central-1", credentials: CREDENTIALS, maxAttempts });
    return ssmParameterStore(client, server.objects);
  };
  afterEach(async () => {
    client.destroy();
    await server.close();
  });

  it("answers the SDK, times and letters included", async () => {
    const store = await start({ now: () => 1_700_000_000_123 });
    expect(await store.putParameter(WRITE)).toBe(1);
    expect(await store.getParameters(["/a/b"])).toEqual([
      { name: "/a/b", value: "ünï", type: "String", version: 1, lastModified: 1_700_000_000_123 },
    ]);
    expect(server.service.calls()).toEqual({ PutParameter: 1, GetParameters: 1 });
  });

  it("gives errors the names that the SDK makes its classes from", async () => {
    await start();
    await expect(client.send(new GetParameterCommand({ Name: "/none" }))).rejects.toMatchObject({
      name: "ParameterNotFound",
      message: "UnknownError",
      $metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    const put = new PutParameterCommand({ Name: "/a", Value: "{{x}}", Type: "String" });
    await expect(client.send(put)).rejects.toMatchObject({ name: "ValidationException" });
  });

  it.each<[string, Fault, string]>([
    ["an internal error", { kind: "error", name: "InternalServerError", status: 500 }, "store-unavailable"],
    ["no service", { kind: "error", name: "ServiceUnavailable", status: 503 }, "store-unavailable"],
    ["throttling", { kind: "error", name: "ThrottlingException", message: "Rate exceeded" }, "store-unavailable"],
    ["no permission", { kind: "error", name: "AccessDeniedException", message: "not you" }, "store-denied"],
    ["old credentials", { kind: "error", name: "ExpiredTokenException" }, "store-denied"],
    ["another refusal", { kind: "error", name: "InvalidFilterKey", message: "no" }, "parameter-refused"],
    ["a reset", { kind: "reset" }, "store-unavailable"],
    ["half an answer", { kind: "truncated" }, "store-unavailable"],
    ["no JSON", { kind: "garbled" }, "store-unavailable"],
  ])("makes the store say what can be done when it meets %s", async (_what, fault, code) => {
    const store = await start({ fault: () => fault });
    await expect(store.getParameters(["/a"])).rejects.toMatchObject({
      name: "OutriggerError",
      code,
      path: "/a",
      message: expect.stringMatching(/^Cannot read \/a: .+/),
    });
  });

  it("lets the signal of a call end its wait", async () => {
    const store = await start({ fault: () => ({ kind: "hang" }) });
    const giveUp = new AbortController();
    const read = store.getParameters(["/a"], { signal: giveUp.signal });
    const refused = expect(read).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("in time"),
    });
    giveUp.abort();
    await refused;
  });

  it("is tried again by the SDK when it throttles", async () => {
    let faults = 1;
    const fault = (): Fault | undefined => (faults-- > 0 ? { kind: "error", name: "ThrottlingException" } : undefined);
    const store = await start({ fault }, 2);
    expect(await store.getParameters(["/a"])).toEqual([]);
    expect(server.service.calls()).toEqual({ GetParameters: 2 });
  });

  it.each([
    ["another service", { "x-amz-target": "DynamoDB_20120810.GetItem" }, "{}", "UnknownOperationException"],
    ["no operation", {}, "{}", "UnknownOperationException"],
    ["an operation of a prototype", { "x-amz-target": "AmazonSSM.constructor" }, "{}", "UnknownOperationException"],
    ["no JSON", { "x-amz-target": "AmazonSSM.GetParameters" }, "{", "SerializationException"],
    ["a list", { "x-amz-target": "AmazonSSM.GetParameters" }, "[]", "SerializationException"],
    ["a name that is a number", { "x-amz-target": "AmazonSSM.GetParameter" }, '{"Name":1}', "SerializationException"],
    ["no name", { "x-amz-target": "AmazonSSM.GetParameter" }, "{}", "ValidationException"],
  ])(
    "answers 400 and continues when it is asked for %s",
    async (_what, headers: Record<string, string>, body, type) => {
      await start();
      const response = await fetch(server.url, { method: "POST", headers, body });
      expect([response.status, ((await response.json()) as { __type: string }).__type]).toEqual([400, type]);
      expect((await fetch(server.url)).status).toBe(400);
    },
  );

  describe("with functions", () => {
    const invoke = async (name: string, event: unknown) => {
      if (name === "broken") throw new TypeError("it broke");
      return name === "echo" ? { event } : undefined;
    };
    const call = async (FunctionName: string, Payload = '{"a":1}') => {
      await start({ invoke });
      const lambda = new LambdaClient({
        endpoint: server.url,
        region: "eu-central-1",
        credentials: CREDENTIALS,
        maxAttempts: 1,
      });
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: Buffer.from(Payload) }));
      return { ...answer, text: Buffer.from(answer.Payload ?? []).toString() };
    };

    it.each([
      "echo",
      "echo:live",
      "arn:aws:lambda:eu-central-1:123456789012:function:echo:7",
      "123456789012:function:echo",
    ])("answers Invoke of %s as Lambda does", async (name) => {
      expect(await call(name)).toMatchObject({ StatusCode: 200, text: '{"event":{"a":1}}' });
    });

    it("describes a function that is deployed, and no other", async () => {
      const services = fakeServices("eu-central-1");
      services.functions.set("echo", { Environment: { Variables: { A: "1" } } });
      await start({ services });
      const lambda = new LambdaClient({ endpoint: server.url, region: "eu-central-1", credentials: CREDENTIALS });
      const read = (FunctionName: string) => lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      expect(await read("echo")).toMatchObject({ Environment: { Variables: { A: "1" } } });
      await expect(read("none")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    });

    it("distinguishes a function that throws, a missing function and an event that is not JSON", async () => {
      expect(await call("broken")).toMatchObject({
        FunctionError: "Unhandled",
        text: '{"errorMessage":"it broke","errorType":"TypeError"}',
      });
      await server.close();
      await expect(call("none")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
      await server.close();
      await expect(call("echo", "{")).rejects.toMatchObject({ name: "InvalidRequestContentException" });
    });
  });
});
