import { SSMClient } from "@aws-sdk/client-ssm";
import { startFakeServer } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { publisherSetup } from "../../test/support/publisher-setup.ts";
import { boundedCalls } from "./bounded-calls.ts";
import type { PublishFunction } from "./dependencies.ts";
import { editorOf } from "./parameter-history.ts";

describe("editorOf()", () => {
  it("finds who wrote a version, on whichever page it is, and says nothing when it cannot", async () => {
    const server = await startFakeServer();
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    const client = new SSMClient({ endpoint: server.url, region: "us-east-1", credentials, maxAttempts: 1 });
    try {
      for (let count = 0; count < 60; count++) {
        await server.service.call("PutParameter", { Name: "/a/b", Value: `${count}`, Type: "String", Overwrite: true });
      }
      const given = { ...publisherSetup().dependencies, editorOf: editorOf(client) } as PublishFunction;
      const { editorOf: editor } = boundedCalls(given, 60_000);
      expect(await editor?.({ name: "/a/b", version: 1 })).toMatch(/^arn:aws:iam::/);
      expect(await editor?.({ name: "/a/b", version: 60 })).toMatch(/^arn:aws:iam::/);
      expect(await editor?.({ name: "/a/b", version: 61 })).toBeUndefined();
      expect(await editor?.({ name: "/a/c", version: 1 })).toBeUndefined();
    } finally {
      client.destroy();
      await server.close();
    }
  });
});
