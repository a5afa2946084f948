// Every Region of every partition, against botocore's own endpoint rules (test/infra/facts/endpoints.json, made by
// endpoints.py next to it): the names in ARNs, the hosts that are built here, and those that the SDK's clients use.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { EKSClient } from "@aws-sdk/client-eks";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SSMClient } from "@aws-sdk/client-ssm";
import { STSClient } from "@aws-sdk/client-sts";
import { partitionOf } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { regionProblems } from "../../infra/settings/check.ts";

interface Facts {
  readonly services: readonly string[];
  /** The partition and hosts of each Region, in the order of the services. */
  readonly regions: Readonly<Record<string, string>>;
}

const { services, regions } = JSON.parse(readFileSync("test/infra/facts/endpoints.json", "utf8")) as Facts;
const rows = Object.entries(regions).map(([region, text]) => {
  const [partition = "", ...hosts] = text.split(" ");
  return { region, partition, hosts: Object.fromEntries(services.map((name, index) => [name, hosts[index]])) };
});

describe("botocore's rules", () => {
  it("are there for every partition", () => {
    const partitions = new Set(rows.map(({ partition }) => partition));
    expect(rows.length).toBeGreaterThan(40);
    expect([...partitions]).toEqual(expect.arrayContaining(["aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-eusc"]));
  });

  it("name the same partition", () => {
    expect(rows.filter(({ region, partition }) => partitionOf(region).id !== partition)).toEqual([]);
  });

  it("have every service where the SDK's clients ask it", async () => {
    const clients = {
      ssm: new SSMClient(),
      sts: new STSClient(),
      eks: new EKSClient(),
      lambda: new LambdaClient(),
      cloudwatch: new CloudWatchClient(),
      cloudformation: new CloudFormationClient(),
    };
    expect(Object.keys(clients).sort()).toEqual([...services].sort());
    for (const [name, { config }] of Object.entries(clients))
      for (const { region, hosts } of rows) {
        const resolve = config.endpointProvider as (parameters: object) => { readonly url: URL };
        const { url } = resolve({ Region: region, UseFIPS: false, UseDualStack: false });
        expect(url.host, `${name} ${region}`).toBe(hosts[name]);
      }
  });
});

describe("osls", () => {
  const require = createRequire(import.meta.url);

  it("deploys where it finds its template in the partition's own storage, and nowhere else", () => {
    const hostOf: (region: string) => string = require("serverless/lib/plugins/aws/utils/get-s3-endpoint-for-region");
    for (const { region } of rows) {
      const isFound = hostOf(region).endsWith(`.${partitionOf(region).domain}`);
      expect(regionProblems({ command: "deploy", region }, [region]).length === 0, region).toBe(isFound);
    }
  });
});

describe("what is deployed", () => {
  const files = ["serverless.yml", ...["infra", "infra/api"].flatMap(ymlIn)];

  it("names no partition and no domain of one, but in principals of services", () => {
    expect(files.length).toBeGreaterThan(12);
    const lines = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((line) => `${file}: ${line}`),
    );
    const fixed = lines.filter((line) => /arn:aws[:-]|amazonaws\.com|api\.aws/.test(line) && !/^\S+: *#/.test(line));
    expect(fixed.filter((line) => !/Principal: (\{ Service: )?(\w+\.amazonaws\.com)/.test(line))).toEqual([]);
  });

  it("answers CloudFormation at the bucket of every Region's domain", () => {
    for (const { region, hosts } of rows)
      expect(hosts["ssm"], region).toBe(`ssm.${region}.${partitionOf(region).domain}`);
  });
});

function ymlIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yml"))
    .map((name) => join(folder, name));
}
