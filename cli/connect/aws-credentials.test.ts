// A profile with mfa_serial, the real SDK, and a service that assumes roles on loopback.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeServer, startFakeServer } from "@outrigger/fake-aws";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { awsTarget } from "../options/aws-options.ts";
import { connectAws } from "./connect-aws.ts";

const SERIAL = "arn:aws:iam::111122223333:mfa/ann";
const CONFIG = `[default]
aws_access_key_id = fake
aws_secret_access_key = fake
[profile ops]
role_arn = arn:aws:iam::111122223333:role/ops
source_profile = default
mfa_serial = ${SERIAL}
`;

describe("a profile that requires MFA", () => {
  let folder: string;
  let store: FakeServer;
  let sts: Server;
  let codes: (string | null)[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-mfa-"));
    writeFileSync(join(folder, "config"), CONFIG);
    store = await startFakeServer();
    codes = [];
    sts = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const query = new URLSearchParams(body);
      const action = query.get("Action");
      if (action === "AssumeRole") codes.push(query.get("TokenCode"));
      const credentials =
        "<Credentials><AccessKeyId>role</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials>";
      const identity = "<Arn>arn:aws:sts::111122223333:assumed-role/ops/x</Arn><Account>111122223333</Account>";
      const result = action === "AssumeRole" ? credentials : identity;
      response.end(
        `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>${result}</${action}Result></${action}Response>`,
      );
    });
    await new Promise<void>((resolve) => sts.listen(0, "127.0.0.1", resolve));
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "config"));
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ENDPOINT_URL_SSM", store.url);
    vi.stubEnv("AWS_ENDPOINT_URL_STS", `http://127.0.0.1:${(sts.address() as AddressInfo).port}`);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    sts.close();
    await store.close();
  });

  it("says what to do where there is no terminal to ask on", async () => {
    const { store: refused } = await connectAws(awsTarget({ profile: "ops" }, {}), { env: {}, version: "1.2.3" });
    await expect(refused.getParameters(["/a"])).rejects.toMatchObject({
      code: "aws-denied",
      message: expect.stringMatching(/requires an MFA code of arn:aws:iam::111122223333:mfa\/ann.*no terminal/),
    });
    expect(codes).toEqual([]);
  });

  it("asks for one code for all clients, and for all their calls", async () => {
    const asked: string[] = [];
    const ask = async (serial: string) => {
      asked.push(serial);
      return "123456";
    };
    const connection = await connectAws(awsTarget({ profile: "ops" }, {}), { env: {}, version: "1.2.3" }, ask);
    expect(await connection.store.getParameters(["/a"])).toEqual([]);
    expect(await connection.caller()).toBe("arn:aws:sts::111122223333:assumed-role/ops/x");
    await connection.store.getParameters(["/a"]);
    expect([asked, codes]).toEqual([[SERIAL], ["123456"]]);
  });
});
