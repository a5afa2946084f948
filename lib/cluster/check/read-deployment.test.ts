// What is read of a deployment, against services on loopback: the facts alone, which the checks judge (checks.test.ts).
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { stackNames } from "@outrigger/aws";
import { putDeployment } from "@outrigger/fake-aws";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeAwsServices, startFakeAwsServices } from "../../../test/eks/fake-aws-services.ts";
import { type DeploymentClients, findWebhookUrl, readDeployed } from "./read-deployment.ts";

const ACCESS_LOG = "/aws/vendedlogs/outrigger/dev/access";
const DENIED = { status: 400, type: "AccessDeniedException" };

let services: FakeAwsServices;
let clients: DeploymentClients;
beforeEach(async () => {
  services = await startFakeAwsServices();
  putDeployment(services, "dev", "https://hook.test");
  const config = {
    region: "eu-west-1",
    endpoint: services.url,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
    maxAttempts: 1,
  };
  clients = {
    region: config.region,
    cloudFormation: new CloudFormationClient(config),
    cloudWatch: new CloudWatchClient(config),
    lambda: new LambdaClient(config),
    logs: new CloudWatchLogsClient(config),
  };
});
afterEach(() => services.close());

/** The facts of the deployment, each in place of its `Fact`, or the reason why it is not known. */
async function read() {
  const { stack, functions, alarms, logs } = await readDeployed(clients, "dev");
  const of = <Value>(fact: { known: true; value: Value } | { known: false; why: string }) =>
    fact.known ? fact.value : fact.why;
  return { stack: of(stack), functions: of(functions), alarms: of(alarms), logs: of(logs) };
}

describe("readDeployed()", () => {
  it("reads the stack, every function, alarm and log group of a deployment", async () => {
    const { stack, functions, alarms, logs } = await read();
    expect(stack).toEqual({ name: "outrigger-dev", status: "CREATE_COMPLETE", url: "https://hook.test" });
    expect(Object.keys(functions)).toEqual(stackNames.functions);
    expect(functions).toMatchObject({ inject: { live: { codeSha256: expect.any(String) } } });
    expect(alarms).toContainEqual({ name: "outrigger-dev-errors", state: "OK", hasActions: true, isEnabled: true });
    expect(Object.keys(logs)).toEqual(stackNames.logGroups("dev"));
    expect(logs).toMatchObject({ [ACCESS_LOG]: Object.keys(stackNames.filters).map((metric) => ({ metric })) });
  });

  it("knows that the stack, a function, an alarm, a log group or a filter is not there", async () => {
    services.outputs.clear();
    services.functions.delete("outrigger-dev-canary");
    services.alarms.delete("outrigger-dev-burst");
    services.logGroups.delete("/aws/lambda/outrigger-dev-inject");
    services.logGroups.set(ACCESS_LOG, (services.logGroups.get(ACCESS_LOG) ?? []).slice(1));
    const { stack, functions, alarms, logs } = await read();
    expect(stack).toBeUndefined();
    expect(functions).toMatchObject({ canary: undefined });
    expect(alarms).not.toContainEqual(expect.objectContaining({ name: "outrigger-dev-burst" }));
    expect(logs).toMatchObject({ "/aws/lambda/outrigger-dev-inject": undefined });
    expect(JSON.stringify(logs)).not.toContain("GatewayThrottled");
  });

  it("reads of an alarm whether it fires, has an action and is switched on", async () => {
    services.alarms.set("outrigger-dev-errors", "ALARM");
    services.silent.add("outrigger-dev-burst");
    services.switchedOff.add("outrigger-dev-canary");
    const { alarms } = await read();
    expect(alarms).toContainEqual({ name: "outrigger-dev-errors", state: "ALARM", hasActions: true, isEnabled: true });
    expect(alarms).toContainEqual({ name: "outrigger-dev-burst", state: "OK", hasActions: false, isEnabled: true });
    expect(alarms).toContainEqual({ name: "outrigger-dev-canary", state: "OK", hasActions: false, isEnabled: false });
  });

  it.each([
    ["functions", "lambda", "lambda:GetFunctionConfiguration"],
    ["alarms", "monitoring", "cloudwatch:DescribeAlarms"],
    ["logs", "logs", "logs:DescribeMetricFilters"],
  ] as const)("names the permission that is missing: %s", async (name, service, action) => {
    services.faults.set(service, DENIED);
    const { [name]: fact, ...others } = await readDeployed(clients, "dev");
    expect(fact).toEqual({
      known: false,
      isDenied: true,
      why: expect.stringContaining(`the credentials do not allow ${action}`),
    });
    expect(Object.values(others).map(({ known }) => known)).toEqual([true, true, true]);
  });
});

describe("findWebhookUrl()", () => {
  it("is the output of the stack, or says how to give it where there is none", async () => {
    expect(await findWebhookUrl(clients, "dev")).toBe("https://hook.test");
    services.outputs.clear();
    await expect(findWebhookUrl(clients, "dev")).rejects.toThrow("or give the URL with --url");
  });
});
