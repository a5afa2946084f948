import { describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { AwsTarget } from "../connect/aws-connection.ts";
import { openNamed, placeOf } from "./open-named-deployment.ts";

it("placeOf() is the options that name a deployment, without those that the file leaves out", () => {
  expect(placeOf({ stage: "dev", ring: 1 })).toEqual({ deployment: "dev" });
  expect(placeOf({ stage: "dev", ring: 1, region: "eu-west-1", profile: "ops", account: "111122223333" })).toEqual({
    deployment: "dev",
    region: "eu-west-1",
    profile: "ops",
  });
});

describe("openNamed()", () => {
  const aws = fakeAws({}, SHIPPED, "111122223333/eu-west-1/");
  const asked: AwsTarget[] = [];
  const io = fakeIo({
    connect: (target) => {
      asked.push(target);
      return aws.connect(target);
    },
  });

  it("opens it in its Region with its credentials", async () => {
    const named = { stage: "dev", ring: 1, region: "eu-west-1", profile: "ops", account: "111122223333" };
    const { target } = await openNamed(named, io);
    expect(target).toMatchObject({ stage: "dev", region: "eu-west-1", profile: "ops" });
    expect(asked.at(-1)).toBe(target);
  });

  it("asks for no account where the file names none", async () => {
    const unknown = fakeIo({
      connect: async (target) => ({
        ...(await aws.connect(target)),
        place: () => Promise.reject(new Error("asked for the account")),
      }),
    });
    expect((await openNamed({ stage: "dev", ring: 1 }, unknown)).target.stage).toBe("dev");
  });

  it("refuses credentials of another account, and names both", async () => {
    await expect(openNamed({ stage: "dev", ring: 1, account: "444455556666" }, io)).rejects.toMatchObject({
      code: "usage",
      message:
        "The credentials are of account 111122223333, and not of 444455556666; correct the profile, or sign in again",
    });
  });
});
