import { describe, expect, it } from "vitest";
import { decodeFramework } from "./serverless-framework.ts";

class FrameworkError extends Error {}

function serverlessObject() {
  return {
    serviceDir: "/service",
    classes: { Error: FrameworkError },
    service: {
      custom: { api: "http" },
      functions: { inject: {}, publish: {} },
      resources: { Resources: { Publication: { Type: "Custom::P", Properties: { Code: "", Kept: 1 } } } },
      provider: { compiledCloudFormationTemplate: { Resources: { A: { Type: "T" } } } },
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
