import { type ErrorCode, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { describeError } from "./describe-error.ts";

const FAKE = { AWS_ENDPOINT_URL: "http://127.0.0.1:45661", AWS_REGION: "us-east-1" };
const UNSET =
  "\nAWS calls go where the environment says: AWS_ENDPOINT_URL=http://127.0.0.1:45661; for AWS itself: unset AWS_ENDPOINT_URL";

describe("describeError()", () => {
  it.each<ErrorCode>(["aws-unavailable", "aws-denied", "store-unavailable", "store-corrupt", "cluster-unknown"])(
    "names AWS_ENDPOINT_URL for %s, and how to be without it",
    (code) => {
      const error = new OutriggerError(code, "Cannot read stack");
      expect(describeError(error, FAKE)).toBe(`Cannot read stack${UNSET}`);
      expect(describeError(error, { AWS_ENDPOINT_URL: "", AWS_REGION: "us-east-1" })).toBe("Cannot read stack");
      expect(describeError(error, { ...FAKE, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" })).toBe("Cannot read stack");
    },
  );

  it("names it for an error of the SDK that nothing has put into words", () => {
    expect(describeError(new SyntaxError("Unexpected token '<'"), FAKE)).toContain(UNSET);
  });

  it("does not for what makes no call", () => {
    expect(describeError(new OutriggerError("usage", "Cannot use both"), FAKE)).toBe("Cannot use both");
    const odd = new OutriggerError("values-invalid", "Cannot read", { path: "values/1", line: 3 });
    expect(describeError(odd, FAKE)).toBe("Cannot read (values/1:3)");
  });
});
