import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { awsRequest } from "./aws-request.ts";
import { deployPlugin } from "./deploy-plugin.ts";
import { MORE_REGIONS } from "./settings/check.ts";

class FrameworkError extends Error {}

const calls: string[] = [];
let printed = "";
let recorded: object;
let attached: object;

beforeEach(() => {
  calls.length = 0;
  printed = "";
  recorded = {};
  attached = {};
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const REGIONS = ["eu-west-1", "eu-central-1", "cn-north-1"];

function serverless(command: string, params: readonly string[], region = "eu-west-1") {
  return {
    serviceDir: "/service",
    classes: { Error: FrameworkError },
    configSchemaHandler: { schema: { properties: { provider: { properties: { region: { enum: REGIONS } } } } } },
    processedInput: { commands: command.split(" "), options: { stage: "prod", param: params } },
    service: {
      service: "outrigger",
      provider: { stage: "prod", region, compiledCloudFormationTemplate: { Resources: {} } },
    },
  };
}

const requestOf: typeof awsRequest = () => async (operation) => {
  calls.push(operation);
  if (operation === "sts:GetCallerIdentity") return { Account: "123456789012" };
  if (operation === "iam:ListEntitiesForPolicy") return attached;
  if (operation === "cloudformation:ListStackResources")
    return {
      StackResourceSummaries: [
        { ResourceType: "AWS::IAM::ManagedPolicy", PhysicalResourceId: "arn:p/editors" },
        { LogicalResourceId: "HttpApi", PhysicalResourceId: "api1" },
      ],
    };
  if (operation === "apigateway:GetStage") return { RouteSettings: { "POST /gone": {} } };
  return { TemplateBody: JSON.stringify({ Metadata: { Outrigger: { Settings: recorded } } }) };
};

const UPDATE = "aws:deploy:deploy:updateStack";
const plugin = (...arguments_: Parameters<typeof serverless>) =>
  deployPlugin(serverless(...arguments_), { buildArtifacts: async () => {}, requestOf });

describe("deployPlugin()", () => {
  it.each(["deploy", "package"])("refuses wrong settings at once: %s", (command) => {
    expect(() => plugin(command, ["aip=rest", "ttl=0"])).toThrow(FrameworkError);
    expect(() => plugin(command, ["aip=rest", "ttl=0"])).toThrow(/the nearest is api\n.*ttl=0/s);
  });

  it.each(["deploy", "package", "remove"])("refuses to continue without a Region: %s", (command) => {
    expect(() => plugin(command, [], "none")).toThrow("no Region is given. Use --region, or set AWS_REGION");
  });

  it.each(["deploy", "package", "remove"])("makes the framework take each of AWS's Regions: %s", (command) => {
    const regions = ["eu-west-1", "eu-central-1", "cn-north-1"];
    const { configSchemaHandler, ...rest } = serverless(command, [], "sa-west-1");
    configSchemaHandler.schema.properties.provider.properties.region.enum = regions;
    deployPlugin({ ...rest, configSchemaHandler }, { buildArtifacts: async () => {}, requestOf });
    expect(regions).toEqual(expect.arrayContaining(["eu-west-1", ...MORE_REGIONS]));
  });

  it("refuses a Region that does not exist, and packages for one where osls cannot deploy", () => {
    for (const command of ["deploy", "package"])
      expect(() => plugin(command, [], "eu-wst-1")).toThrow("Cannot deploy to eu-wst-1: no such Region is known");
    expect(() => plugin("deploy", [], "eusc-de-east-1")).toThrow(
      "Cannot deploy to eusc-de-east-1 with osls, which looks for its template in another partition. Use outrigger package",
    );
    expect(() => plugin("package", [], "eusc-de-east-1")).not.toThrow();
  });

  it.each([
    ["deploy function", "Use outrigger deploy"],
    ["rollback function", "Deploy the version of Outrigger that you want"],
    ["invoke local", "outrigger inject -f pod.yaml prints what a pod gets"],
  ])("refuses what would pass over the check of releases, or cannot work: serverless %s", (command, remedy) => {
    expect(() => plugin(command, [])).toThrow(FrameworkError);
    expect(() => plugin(command, [])).toThrow(remedy);
  });

  it("compares nothing where a command of two words only looks", async () => {
    recorded = { reserved: "300" };
    await plugin("deploy list", []).hooks["initialize"]?.();
    expect([calls, printed]).toEqual([[], ""]);
  });

  it.each([
    [["replicaOf=eu-west-1"], "Cannot make the deployment prod in eu-west-1 a replica of itself"],
    [["replicaOf=cn-north-1"], "they are of different partitions"],
    [["sharedDomain=on"], "Cannot share a domain without one"],
    [["replicaOfStage=main"], "Cannot use replicaOfStage without replicaOf"],
    [["replicaOf=europe"], "it must be a Region such as eu-west-1"],
    [["kmsKey=arn:aws:kms:us-east-1:123456789012:key/1"], "in eu-west-1: it is of us-east-1"],
  ])("refuses a replica that could not follow: %j", (params, message) => {
    expect(() => plugin("deploy", params)).toThrow(message);
  });

  it("takes a replica of another stage in the same Region", () => {
    expect(() => plugin("deploy", ["replicaOf=eu-west-1", "replicaOfStage=main"])).not.toThrow();
    expect(() => plugin("deploy", ["replicaOf=eu-central-1"])).not.toThrow();
  });

  it("lets settings be wrong where nothing is made of them", () => {
    expect(() => plugin("info", ["aip=rest"], "none")).not.toThrow();
  });

  it.each(["deploy", "remove"])("says account, Region and stage first: %s", async (command) => {
    await plugin(command, []).hooks["initialize"]?.();
    expect(printed.split("\n")[0]).toBe("Account 123456789012, Region eu-west-1, stage prod");
  });

  it("refuses a deploy that would drop a setting, and changes nothing", async () => {
    recorded = { reserved: "300" };
    await expect(plugin("deploy", []).hooks["initialize"]?.()).rejects.toThrow("Cannot drop the setting reserved=300");
    expect(calls).toEqual(["sts:GetCallerIdentity", "cloudformation:GetTemplate"]);
  });

  it("refuses to remove a stack whose policies are attached, before anything is gone, and says what goes and stays", async () => {
    attached = { PolicyRoles: [{ RoleName: "editors" }] };
    await expect(plugin("remove", []).hooks["initialize"]?.()).rejects.toThrow(
      "Detach it first: aws iam detach-role-policy --role-name editors --policy-arn arn:p/editors",
    );
    attached = {};
    await plugin("remove", []).hooks["initialize"]?.();
    expect(printed).toContain("Removes the API, the functions with their log groups");
    expect(printed).toContain("Keeps what people wrote below /outrigger/prod/source");
  });

  it("says where the settings come from", async () => {
    await plugin("deploy", []).hooks["initialize"]?.();
    expect(printed).toContain("Settings have their defaults: there is no outrigger.prod.yml in this folder\n");
  });

  it("shows what holds for one deploy, and what changes", async () => {
    recorded = { reserved: "300" };
    await plugin("deploy", ["reserved=50"]).hooks["initialize"]?.();
    expect(printed).toContain("Setting reserved=50, for this deploy only (default: 100)");
    expect(printed).toContain("Changes reserved: 300 → 50");
  });

  it.each(["deploy", "package"])("warns in China of the license that the API needs: %s", async (command) => {
    await plugin(command, [], "cn-north-1").hooks["after:package:finalize"]?.();
    expect(printed).toContain("Warning: In China, API Gateway answers 403");
    printed = "";
    await plugin(command, []).hooks["after:package:finalize"]?.();
    expect(printed).not.toContain("China");
  });

  it("warns before it deploys where alarms notify nobody, and refuses with alarms=require", async () => {
    await plugin("deploy", []).hooks["initialize"]?.();
    expect(printed).toContain("Warning: Alarms notify nobody: set email or topic");
    expect(() => plugin("deploy", ["alarms=require"])).toThrow("alarms would notify nobody");
  });

  it("gives the alarms of clusters the topics of the deploy", async () => {
    await plugin("deploy", []).hooks[`after:${UPDATE}`]?.();
    expect(calls).toContain("cloudwatch:DescribeAlarms");
  });

  it("restores the throttles that it reset when the update fails, and only then", async () => {
    const { hooks } = plugin("deploy", []);
    await hooks["error"]?.();
    await hooks[`before:${UPDATE}`]?.();
    expect(calls.at(-1)).toBe("apigateway:DeleteRouteSettings");
    await hooks["error"]?.();
    expect(calls.at(-1)).toBe("apigateway:UpdateStage");
    expect(printed).toContain("The throttles of clusters are as they were before the deploy");
    calls.length = 0;
    await hooks[`after:${UPDATE}`]?.();
    await hooks["error"]?.();
    expect(calls).toEqual(["cloudwatch:DescribeAlarms", "cloudwatch:DescribeAlarms"]);
  });

  it("says how to restore throttles where it cannot", async () => {
    const { hooks } = deployPlugin(serverless("deploy", []), {
      buildArtifacts: async () => {},
      requestOf: (configuration) => async (operation, input) => {
        if (operation === "apigateway:UpdateStage") throw new Error("AccessDenied");
        return requestOf(configuration)(operation, input);
      },
    });
    await hooks[`before:${UPDATE}`]?.();
    await hooks["error"]?.();
    expect(printed).toContain(
      "Cannot restore the throttles of clusters (Error: AccessDenied): use aws apigatewayv2 update-stage --api-id api1",
    );
  });

  it("compares with the stack when outrigger package has credentials, and says what has to be done besides", async () => {
    vi.stubEnv("OUTRIGGER_COMPARE", "on");
    recorded = { reserved: "300" };
    await expect(plugin("package", []).hooks["initialize"]?.()).rejects.toThrow("Cannot drop the setting reserved=300");
    recorded = { email: "one@example.com", clusters: "shop-eu-9f3c1a7e" };
    const one = plugin("package", ["email=two@example.com", "clusters="]);
    await one.hooks["initialize"]?.();
    expect(printed).toContain("Account 123456789012, Region eu-west-1, stage prod");
    expect(printed).toContain("After this template is deployed: outrigger register --deployment prod --cluster NAME");
    await one.hooks["after:package:finalize"]?.();
    expect(printed).toContain(
      "Before this template is deployed: aws apigatewayv2 delete-route-settings --api-id api1 --stage-name '$default' --route-key 'POST /gone'",
    );
    expect(printed).toContain(
      `update-stage --api-id api1 --stage-name '$default' --route-settings '{"POST /gone":{}}'`,
    );
  });

  it("asks AWS for nothing when it only packages", async () => {
    const one = plugin("package", []);
    await one.hooks["initialize"]?.();
    await one.hooks["after:package:finalize"]?.();
    expect([calls, printed]).toEqual([[], ""]);
  });
});
