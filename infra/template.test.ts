import { describe, expect, it } from "vitest";
import { decodeTemplate, resourceOf, withProperties } from "./template.ts";

describe("decodeTemplate()", () => {
  it("keeps every member of a template and of its resources", () => {
    const template = {
      AWSTemplateFormatVersion: "2010-09-09",
      Resources: { A: { Type: "T", DependsOn: "B", DeletionPolicy: "Retain", Properties: { a: null } } },
      Outputs: { O: { Value: 1 } },
      Conditions: { C: { "Fn::Equals": [1, 1] } },
    };
    expect(decodeTemplate(template)).toEqual(template);
  });

  it.each([
    [[], "it is not an object"],
    [{}, "Resources is not an object"],
    [{ Resources: { A: 1 } }, "Cannot read the resource A of the compiled template: it is not an object"],
    [{ Resources: { A: {} } }, "it has no Type"],
    [{ Resources: { A: { Type: "T", Properties: [] } } }, "its Properties are not an object"],
    [{ Resources: { A: { Type: "T", DependsOn: [1] } } }, "its DependsOn is not a list of names"],
    [{ Resources: { A: { Type: "T", Condition: {} } } }, "its Condition is not a name"],
    [{ Resources: {}, Outputs: { O: 1 } }, "Cannot read the output O"],
    [{ Resources: {}, Conditions: [] }, "Conditions is not an object"],
  ])("names what is wrong with %j", (value, message) => {
    expect(() => decodeTemplate(value)).toThrow(message);
  });
});

describe("resourceOf()", () => {
  it("names the resource that is missing", () => {
    expect(() => resourceOf({}, "Api")).toThrow("Cannot find the resource Api: infra/ does not define it");
  });
});

describe("withProperties()", () => {
  it("sets properties and keeps the others", () => {
    const resource = { Type: "T", Properties: { a: 1, b: 2 } };
    expect(withProperties(resource, { b: 3 })).toEqual({ Type: "T", Properties: { a: 1, b: 3 } });
    expect(resource.Properties.b).toBe(2);
  });
});
