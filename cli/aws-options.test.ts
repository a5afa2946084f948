import { describe, expect, it } from "vitest";
import { awsTarget } from "./aws-options.ts";

describe("awsTarget()", () => {
  it("is the deployment dev when nothing is said", () => {
    const target = awsTarget({}, {});
    expect([target.stage, target.layout.prefix, target.publisher]).toEqual([
      "dev",
      "/outrigger/dev",
      "outrigger-dev-publish",
    ]);
    expect(target).not.toHaveProperty("region");
  });

  it("follows the environment, and options before it", () => {
    const env = { OUTRIGGER_STAGE: "prod" };
    expect(awsTarget({}, env).publisher).toBe("outrigger-prod-publish");
    expect(awsTarget({ deployment: "test" }, env).layout.source).toBe("/outrigger/test/source");
    expect(awsTarget({}, { OUTRIGGER_STAGE: "" }).stage).toBe("dev");
  });

  it("takes a prefix, a function, a Region and a profile", () => {
    const options = { prefix: "/team/outrigger/", publisher: "publisher", region: "eu-west-1", profile: "ops" };
    expect(awsTarget(options, {})).toMatchObject({
      layout: { prefix: "/team/outrigger" },
      publisher: "publisher",
      region: "eu-west-1",
      profile: "ops",
    });
  });

  it.each([
    [{ deployment: "a/b" }, 'Cannot use "a/b" as a deployment: a stage has letters, digits and dashes'],
    [{ deployment: "" }, 'Cannot use "" as a deployment'],
    [{ prefix: "outrigger" }, 'Cannot use "outrigger" as a prefix: it begins with a slash'],
    [{ prefix: "/a//b" }, 'Cannot use "/a//b" as a prefix'],
    [{ prefix: "/a b" }, 'Cannot use "/a b" as a prefix'],
  ])("refuses %j", (options, message) => {
    expect(() => awsTarget(options, {})).toThrow(message);
  });
});
