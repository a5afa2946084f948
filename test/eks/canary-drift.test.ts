// The canary's hourly look, with the unmodified SDK against services on loopback: what it asks is what its role allows, no more
// and no less.
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { findDrift } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statementsOf } from "../infra/support/policies.ts";
import { goldenTemplate } from "../infra/support/template.ts";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { allows } from "./judge-policy.ts";

/** The statements of the canary's role that its look at a cluster needs. */
const GRANTS = statementsOf(goldenTemplate("http"))
  .filter(({ holder, actions }) => holder === "CanaryRole" && !/^(logs:(Create|Put)|ssm:|kms:)/.test(actions[0] ?? ""))
  .map(({ actions, resources }) => ({
    Sid: actions.join(),
    Action: actions,
    Resource: resources.map((resource) =>
      resource
        .replace('{"Ref":"AWS::StackId"}', "arn:aws:cloudformation:eu-west-1:111122223333:stack/outrigger-dev/1")
        .replaceAll(/\$\{AWS::Partition\}/g, "aws")
        .replaceAll(/\$\{AWS::Region\}/g, "eu-west-1")
        .replaceAll(/\$\{AWS::AccountId\}/g, "111122223333"),
    ),
  }));

describe("findDrift()", () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
  });
  afterEach(() => lab.close());

  const look = () => {
    const clients = { maxAttempts: 1 };
    const aws = {
      cloudFormation: new CloudFormationClient(clients),
      cloudWatch: new CloudWatchClient(clients),
      logs: new CloudWatchLogsClient(clients),
      lambda: new LambdaClient(clients),
      region: "eu-west-1",
    };
    return findDrift({ deployment: "dev", url: lab.webhook.url, aws, now: Date.now });
  };
  /** The certificate of this laboratory is not public. */
  const untrusted = [expect.stringMatching(/^tls: Cannot connect to localhost/)];

  it("finds nothing in a deployment as it was deployed, with the calls that the role allows and no other", async () => {
    expect(await look()).toEqual({ found: [], unseen: untrusted });
    const { asked } = lab.services;
    expect(asked.filter((call) => !GRANTS.some((one) => allows(one, call)))).toEqual([]);
    expect(GRANTS.filter((one) => !asked.some((call) => allows(one, call)))).toEqual([]);
    expect(GRANTS).toHaveLength(4);
  });

  it.each(["cloudformation", "monitoring", "lambda", "logs"] as const)("finds that %s denies it", async (service) => {
    lab.services.faults.set(service, { status: 403, type: "AccessDenied" });
    expect((await look())?.found).toEqual([expect.stringContaining("the credentials do not allow")]);
  });

  it("does not take a service that is down for drift", async () => {
    lab.services.faults.set("logs", { status: 503, type: "ServiceUnavailableException" });
    expect(await look()).toEqual({ found: [], unseen: [expect.stringContaining("logs: "), ...untrusted] });
  });

  it("finds a log group that was deleted, and alarms whose actions are switched off", async () => {
    lab.services.logGroups.delete("/aws/lambda/outrigger-dev-inject");
    lab.services.switchedOff.add("outrigger-dev-canary");
    expect((await look())?.found).toEqual([
      "logs: missing: /aws/lambda/outrigger-dev-inject",
      "alarms: actions are switched off: outrigger-dev-canary",
    ]);
  });
});
