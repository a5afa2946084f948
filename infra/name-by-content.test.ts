import { describe, expect, it } from "vitest";
import { nameDeployment } from "./name-by-content.ts";
import type { Template } from "./template.ts";

function templateWith(PathPart: string, memory = 1): Template {
  return {
    Resources: {
      Path: { Type: "AWS::ApiGateway::Resource", Properties: { PathPart } },
      Function: { Type: "AWS::Lambda::Function", Properties: { MemorySize: memory } },
      ApiDeployment: { Type: "AWS::ApiGateway::Deployment", DependsOn: ["Path"] },
      ApiStage: { Type: "AWS::ApiGateway::Stage", Properties: { DeploymentId: { Ref: "ApiDeployment" } } },
    },
  };
}

function deploymentOf(template: Template): string | undefined {
  return Object.keys(nameDeployment(template).Resources).find((id) => id.startsWith("ApiDeployment"));
}

describe("nameDeployment()", () => {
  it("names the deployment after the API's paths and outputs the stage", () => {
    const { Resources } = nameDeployment(templateWith("inject"));
    const id = deploymentOf(templateWith("inject")) as string;
    expect(id).toMatch(/^ApiDeployment[0-9a-f]{10}$/);
    expect(Resources[id]).toEqual({ Type: "AWS::ApiGateway::Deployment", DependsOn: ["Path"] });
    expect(Resources["ApiStage"]?.Properties).toEqual({ DeploymentId: { Ref: id } });
    expect(Resources).not.toHaveProperty("ApiDeployment");
  });

  it("gives another name when a path changes, and the same when only a function does", () => {
    expect(deploymentOf(templateWith("inject", 2))).toBe(deploymentOf(templateWith("inject")));
    expect(deploymentOf(templateWith("other"))).not.toBe(deploymentOf(templateWith("inject")));
  });

  it("leaves a template alone when it has no deployment", () => {
    const template = { Resources: {} };
    expect(nameDeployment(template)).toBe(template);
  });
});
