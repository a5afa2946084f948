import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { type FakeServer, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readToken } from "./read-token.ts";

const TOKEN = "A1-_".padEnd(43, "x");

let server: FakeServer;
let client: SSMClient;

beforeAll(async () => {
  server = await startFakeServer({
    fault: ({ operation, input }) =>
      operation === "GetParameter" && input["Name"] === "/hang" ? { kind: "hang" } : undefined,
  });
  client = new SSMClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
});

afterAll(async () => {
  client.destroy();
  await server.close();
});

async function put(name: string, value: string, type: "SecureString" | "String" = "SecureString"): Promise<void> {
  await client.send(new PutParameterCommand({ Name: name, Value: value, Type: type }));
}

describe("readToken()", () => {
  it("gives the text of a SecureString when there is one", async () => {
    await put("/outrigger/dev/canary/token", TOKEN);
    expect(await readToken(client, "/outrigger/dev/canary/token", 5000)).toBe(TOKEN);
  });

  it("names the parameter and the way out when there is none", async () => {
    await expect(readToken(client, "/none", 5000)).rejects.toMatchObject({
      code: "store-corrupt",
      message: `Cannot read the canary's token at /none: there is none; run "outrigger repair" to make one`,
    });
  });

  it.each(["hunter2", `${TOKEN}/../x`, `${TOKEN}\n`])(
    "quotes nothing of a value when it is no token",
    async (value) => {
      await client.send(new PutParameterCommand({ Name: "/bad", Value: value, Type: "SecureString", Overwrite: true }));
      const error = await readToken(client, "/bad", 5000).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "store-corrupt", message: expect.stringContaining("it holds no token") });
      expect(String(error)).not.toContain(value);
    },
  );

  it("gives up when Parameter Store does not answer", async () => {
    await expect(readToken(client, "/hang", 50)).rejects.toMatchObject({
      code: "store-unavailable",
      message: "Cannot read the canary's token at /hang: Parameter Store did not answer within 0.05 s",
    });
  });

  it("says that it may not when access is denied", async () => {
    const send = async () => {
      throw Object.assign(new Error(`User arn:aws:sts::1:x is not authorized ${TOKEN}`), {
        name: "AccessDeniedException",
      });
    };
    const error = await readToken({ send } as Pick<SSMClient, "send">, "/p", 50).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "store-denied" });
    expect(String(error)).not.toContain(TOKEN);
  });
});
