import { describe, expect, it } from "vitest";
import type { awsRequest } from "./aws-request.ts";
import { decodeFramework } from "./serverless-framework.ts";

const calls: string[] = [];
let isMissing = false;

class FrameworkError extends Error {}

function serverlessObject() {
  return {
    serviceDir: "/service",
    processedInput: { commands: ["deploy"], options: { stage: "prod" } },
    getProvider: () => ({ getAwsSdkV3Config: async () => ({ region: "eu-west-1" }) }),
    classes: { Error: FrameworkError },
    service: {
      service: "outrigger",
      custom: { api: "http" },
      functions: { inject: {}, publish: {} },
      resources: { Resources: { Publication: { Type: "Custom::P", Properties: { Code: "", Kept: 1 } } } },
      provider: {
        stage: "prod",
        region: "eu-west-1",
        compiledCloudFormationTemplate: { Resources: { A: { Type: "T" } } },
      },
    },
  };
}

describe("decodeFramework()", () => {
  it("reads what the plugin needs", () => {
    const framework = decodeFramework(serverlessObject());
    expect([framework.directory, framework.functionNames, framework.custom]).toEqual([
      "/service",
      ["inject", "publish"],
      { api: "http" },
    ]);
    expect(framework.failure("Cannot deploy")).toBeInstanceOf(FrameworkError);
  });

  it("knows the command, and none for a Region that is not given", () => {
    const serverless = serverlessObject();
    const framework = decodeFramework(serverless);
    expect([framework.command, framework.options, framework.region]).toEqual([
      "deploy",
      { stage: "prod" },
      "eu-west-1",
    ]);
    serverless.service.provider.region = "none";
    expect(framework.region).toBe("");
  });

  it("asks AWS with the framework's credentials", async () => {
    const configurations: object[] = [];
    const requestOf: typeof awsRequest =
      (configuration) =>
      async (operation, { StackName = "" }) => {
        configurations.push(await configuration());
        calls.push(`${operation} ${StackName}`);
        if (operation === "sts:GetCallerIdentity") return { Account: "123456789012" };
        if (isMissing) throw new Error("Stack with id outrigger-prod does not exist");
        return { TemplateBody: "{}" };
      };
    const framework = decodeFramework(serverlessObject(), requestOf);
    expect([await framework.accountId(), await framework.deployedTemplate()]).toEqual(["123456789012", "{}"]);
    expect(calls).toEqual(["sts:GetCallerIdentity ", "cloudformation:GetTemplate outrigger-prod"]);
    expect(configurations[0]).toEqual({ region: "eu-west-1" });
    isMissing = true;
    expect(await framework.deployedTemplate()).toBeUndefined();
  });

  it("writes where the framework reads again", () => {
    const serverless = serverlessObject();
    const framework = decodeFramework(serverless);
    framework.setResourceProperties("Publication", { Code: "abc" });
    framework.changeTemplate((template) => ({ ...template, Resources: { B: { Type: "U" } } }));
    expect(serverless.service.resources.Resources.Publication.Properties).toEqual({ Code: "abc", Kept: 1 });
    expect(serverless.service.provider.compiledCloudFormationTemplate).toMatchObject({
      Resources: { B: { Type: "U" } },
    });
  });

  it.each([
    [undefined, "Cannot read serverless"],
    [{ ...serverlessObject(), serviceDir: 1 }, "Cannot read serviceDir"],
    [{ ...serverlessObject(), classes: {} }, "Cannot read classes.Error"],
  ])("names the member that is not as expected", (serverless, message) => {
    expect(() => decodeFramework(serverless)).toThrow(message);
  });

  it("names what is missing in the service when it is asked for", () => {
    const framework = decodeFramework({ ...serverlessObject(), service: {} });
    expect(() => framework.custom).toThrow("Cannot read service.custom of the Serverless framework");
    expect(() => framework.functionNames).toThrow("Cannot read service.functions");
  });
});
