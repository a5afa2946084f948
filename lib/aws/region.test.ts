import { describe, expect, it } from "vitest";
import { profileOf, regionOf } from "./region.ts";

const CONFIG = `
[default]
region = eu-north-1
[profile prod]
output = json
s3 =
  region = us-west-1
region=eu-west-1 # Ireland
[profile empty]
[sso-session prod]
region = ap-south-1
`;

const readText = (file: string) => (file === "/home/ann/.aws/config" ? CONFIG : undefined);
const HOME = "/home/ann";

describe("regionOf()", () => {
  it.each([
    ["the option first", { option: "a-1" }, { AWS_REGION: "b-1", AWS_DEFAULT_REGION: "c-1" }, "a-1"],
    ["then AWS_REGION", {}, { AWS_REGION: "b-1", AWS_DEFAULT_REGION: "c-1" }, "b-1"],
    ["then AWS_DEFAULT_REGION", {}, { AWS_REGION: "", AWS_DEFAULT_REGION: "c-1" }, "c-1"],
    ["the environment before the profile", { profile: "prod" }, { AWS_DEFAULT_REGION: "c-1" }, "c-1"],
    ["then the profile's", { profile: "prod" }, {}, "eu-west-1"],
    ["the profile of AWS_PROFILE", {}, { AWS_PROFILE: "prod" }, "eu-west-1"],
    ["the default profile's", {}, {}, "eu-north-1"],
    ["none where the profile has none", { profile: "empty" }, {}, undefined],
    ["none where there is no such profile", { profile: "other" }, {}, undefined],
    ["none where there is no file", {}, { AWS_CONFIG_FILE: "/none" }, undefined],
  ])("takes %s", (_what, options, env, region) => {
    expect(regionOf({ ...options, env: { HOME, ...env }, readText })).toBe(region);
  });
});

describe("profileOf()", () => {
  it("takes the option, AWS_PROFILE, AWS_DEFAULT_PROFILE, then default", () => {
    const env = { AWS_PROFILE: "b", AWS_DEFAULT_PROFILE: "c" };
    expect([profileOf("a", env), profileOf(undefined, env), profileOf("", { AWS_DEFAULT_PROFILE: "c" })]).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(profileOf(undefined, {})).toBe("default");
  });
});
