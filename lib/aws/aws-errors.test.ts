import { defined, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { awsError } from "./aws-errors.ts";

const CALL = { doing: 'describe cluster "shop"', action: "eks:DescribeCluster", region: "eu-west-1" };

function named(name: string, code?: string): Error {
  return Object.assign(new Error("may quote a signature"), defined({ name, code }));
}

describe("awsError()", () => {
  it.each([
    [
      "CredentialsProviderError",
      undefined,
      "aws-denied",
      "there are no AWS credentials, or no profile of the name that is given; sign in",
    ],
    ["ExpiredTokenException", undefined, "aws-denied", "have expired; sign in again"],
    ["UnrecognizedClientException", undefined, "aws-denied", "AWS does not know these credentials"],
    ["AccessDeniedException", undefined, "aws-denied", "do not allow eks:DescribeCluster"],
    [
      "Error",
      "ENOTFOUND",
      "aws-unavailable",
      "the name of the service cannot be resolved (DNS); check --region (eu-west-1)",
    ],
    ["ThrottlingException", undefined, "aws-unavailable", "the service is throttling"],
    ["Whatever", undefined, "aws-unavailable", "the call failed (Whatever)"],
  ])("says what to do when the SDK throws %s", (name, code, expected, message) => {
    const error = awsError(named(name, code), CALL);
    expect(error.code).toBe(expected);
    expect(error.message).toContain('Cannot describe cluster "shop": ');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain("signature");
  });

  it.each(["ENOTFOUND", "EAI_AGAIN"])("names the host that cannot be resolved: %s", (code) => {
    const error = Object.assign(named("Error", code), { hostname: "eks.eu-nowhere-1.amazonaws.com" });
    expect(awsError(error, CALL).message).toContain("the name eks.eu-nowhere-1.amazonaws.com cannot be resolved (DNS)");
  });

  it("passes our own errors on", () => {
    const own = new OutriggerError("usage", "x");
    expect(awsError(own, CALL)).toBe(own);
  });
});
