import { describe, expect, it } from "vitest";
import { commandsOf } from "../../test/cli/commands-of.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { awsClientConfig } from "../connect/aws-request-handler.ts";
import { createProgram, main } from "../main.ts";
import { awsFlags, awsTarget } from "./aws-options.ts";

describe("-m", () => {
  it("says where the reason goes: to the change of a registration, or to a channel's history", async () => {
    const commands = commandsOf(await createProgram(fakeIo()));
    const about = (path: string) =>
      commands.find((one) => one.path.join(" ") === path)?.command.options.find(({ short }) => short === "-m")
        ?.description;
    for (const path of ["register", "tag", "unregister", "token add"])
      expect([path, about(path)]).toEqual([path, "the reason, recorded with the change"]);
    expect(about("pin")).toBe("why: kept in the channel's history");
  });

  it("has at most 500 characters, whatever is changed", async () => {
    for (const line of [
      ["pin", "stable"],
      ["tag", "list", "--cluster", "shop"],
      ["register", "--cluster", "shop"],
    ]) {
      const io = fakeIo();
      expect([await main([...line, "-m", "x".repeat(501)], io), io.err()]).toEqual([
        2,
        expect.stringContaining("A message has at most 500 characters."),
      ]);
    }
  });
});

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

  it("finds the Region as the AWS CLI does: --region, AWS_REGION, AWS_DEFAULT_REGION", () => {
    const regionOf = (options: { region?: string }, env: Record<string, string>) =>
      awsClientConfig("ssm", awsTarget(options, env), env).region;
    const env = { AWS_DEFAULT_REGION: "eu-north-1" };
    expect([regionOf({}, env), regionOf({ region: "eu-west-1" }, env)]).toEqual(["eu-north-1", "eu-west-1"]);
    // The SDK itself reads AWS_REGION, and the profile's Region.
    expect(regionOf({}, { ...env, AWS_REGION: "eu-south-1" })).toBeUndefined();
    expect(regionOf({}, { AWS_DEFAULT_REGION: "" })).toBeUndefined();
    expect(awsFlags(awsTarget({}, env))).toBe("");
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
