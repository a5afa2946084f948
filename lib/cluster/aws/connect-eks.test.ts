import { readFileSync } from "node:fs";
import { EKSClient } from "@aws-sdk/client-eks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eksToken, reusedToken } from "./eks-token.ts";

async function urlOf(region: string): Promise<URL> {
  const credentials = { accessKeyId: "AKID", secretAccessKey: "s", sessionToken: "t/+=" };
  const client = new EKSClient({ region, credentials });
  const token = await eksToken(client, { cluster: "shop", region, now: 0 });
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString());
}

describe("eksToken()", () => {
  it("signs what another implementation of the signature signs", async () => {
    const { hostname, searchParams } = await urlOf("eu-west-1");
    expect(hostname).toBe("sts.eu-west-1.amazonaws.com");
    expect(Object.fromEntries(searchParams)).toEqual({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKID/19700101/eu-west-1/sts/aws4_request",
      "X-Amz-Date": "19700101T000000Z",
      "X-Amz-Expires": "60",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      "X-Amz-Security-Token": "t/+=",
      // From botocore's SigV4QueryAuth, given the same.
      "X-Amz-Signature": "6204ad98a960ba7cf2f27422992aa37b76f9fb6ac76b6a7305aec1201759da3a",
    });
  });

  it.each([
    ["cn-north-1", "sts.cn-north-1.amazonaws.com.cn"],
    ["us-gov-west-1", "sts.us-gov-west-1.amazonaws.com"],
    ["us-isob-east-1", "sts.us-isob-east-1.sc2s.sgov.gov"],
  ])("asks the partition's own service when the Region is %s", async (region, hostname) => {
    expect((await urlOf(region)).hostname).toBe(hostname);
  });

  it("signs each token anew, with credentials that are made anew before they end, for hours", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 29, 9) });
    let assumed = 0;
    // A role that is assumed by another role lives an hour.
    const credentials = async () => ({
      accessKeyId: `ROLE${++assumed}`,
      secretAccessKey: "s",
      expiration: new Date(Date.now() + 3_600_000),
    });
    const client = new EKSClient({ region: "eu-west-1", credentials });
    const ages: number[] = [];
    for (let minute = 0; minute <= 300; minute += 10) {
      const token = await eksToken(client, { cluster: "shop", region: "eu-west-1", now: Date.now() });
      const { searchParams } = new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString());
      const time = searchParams.get("X-Amz-Date") as string;
      expect(time).toBe(new Date().toISOString().replaceAll(/[-:]|\.000/g, ""));
      // Whose credentials have not ended: the last that were made, less than an hour ago.
      expect(searchParams.get("X-Amz-Credential")).toMatch(new RegExp(`^ROLE${assumed}/`));
      ages.push(assumed);
      vi.setSystemTime(Date.now() + 600_000);
    }
    vi.useRealTimers();
    // Five hours: one for each hour, made before the last one ended, and none for each token.
    expect([ages[0], Math.max(...ages) >= 5, Math.max(...ages) <= 7]).toEqual([1, true, true]);
  });

  it("says that there are no credentials when there are none", async () => {
    const credentials = async () => {
      throw Object.assign(new Error("none"), { name: "CredentialsProviderError" });
    };
    const client = new EKSClient({ region: "eu-west-1", credentials });
    const token = eksToken(client, { cluster: "shop", region: "eu-west-1", now: 0 });
    await expect(token).rejects.toThrow(
      'Cannot sign in to cluster "shop": there are no AWS credentials, or no profile of the name that is given; sign in',
    );
  });

  it("is signed for STS where botocore's rules have it, in every Region", async () => {
    const { services, regions } = JSON.parse(readFileSync("test/infra/facts/endpoints.json", "utf8")) as {
      readonly services: readonly string[];
      /** Region → partition and hosts, in the order of the services. */
      readonly regions: Readonly<Record<string, string>>;
    };
    expect(Object.keys(regions).length).toBeGreaterThan(40);
    const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
    const client = new EKSClient({ region: "eu-west-1", credentials });
    for (const [region, text] of Object.entries(regions)) {
      const [, ...hosts] = text.split(" ");
      const token = await eksToken(client, { cluster: "shop", region, now: 0 });
      const url = new URL(Buffer.from(token.replace("k8s-aws-v1.", ""), "base64url").toString());
      expect(url.host, region).toBe(hosts[services.indexOf("sts")]);
      expect(url.searchParams.get("X-Amz-Credential"), region).toContain(`/${region}/sts/`);
    }
  });
});

describe("reusedToken()", () => {
  afterEach(() => void vi.useRealTimers());

  it("gives one token for a minute, also where the clock is set back, and makes one that failed again", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    let made = 0;
    const token = reusedToken(async (now) => {
      if (made++ === 0) throw new Error("no credentials");
      return `${made} at ${now}`;
    });
    await expect(token()).rejects.toThrow("no credentials");
    const given: string[] = [];
    for (const now of [0, 59_999, 60_000, 119_999, -1]) {
      vi.setSystemTime(now);
      given.push(await token());
    }
    expect(given).toEqual(["2 at 0", "2 at 0", "3 at 60000", "3 at 60000", "4 at -1"]);
  });
});
