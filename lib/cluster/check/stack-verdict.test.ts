import { StackStatus } from "@aws-sdk/client-cloudformation";
import { describe, expect, it } from "vitest";
import { stackVerdict } from "./stack-verdict.ts";

/** UpdateStack is refused in every other state: AWS CloudFormation User Guide, "Stack status codes". */
const TAKES_AN_UPDATE = new Set([
  "CREATE_COMPLETE",
  "UPDATE_COMPLETE",
  "UPDATE_ROLLBACK_COMPLETE",
  "IMPORT_COMPLETE",
  "IMPORT_ROLLBACK_COMPLETE",
  // The stack is gone: a deploy makes another.
  "DELETE_COMPLETE",
]);

describe("stackVerdict()", () => {
  it.each(Object.values(StackStatus))("says a command that CloudFormation takes in the state %s", (status) => {
    const verdict = stackVerdict("prod", { name: "outrigger-prod", status });
    expect(verdict.seen).toContain(status);
    const fix = verdict.level === "ok" ? "" : String(verdict.fix);
    expect(fix.startsWith("outrigger deploy")).toBe(TAKES_AN_UPDATE.has(status) && verdict.level !== "ok");
    if (status.endsWith("_IN_PROGRESS") && status !== "REVIEW_IN_PROGRESS") expect(fix).toBe("wait until it is done");
    else if (verdict.level !== "ok") expect(fix).toContain("docs/failed-deploy.md#when-a-deploy-fails");
  });

  it.each([
    ["UPDATE_ROLLBACK_FAILED", "continue-update-rollback"],
    ["UPDATE_FAILED", "rollback-stack"],
    ["ROLLBACK_COMPLETE", "delete-stack"],
    ["REVIEW_IN_PROGRESS", "delete-stack"],
    ["DELETE_FAILED", "delete-stack"],
  ])("of %s leads out with %s", (status, command) => {
    expect(stackVerdict("prod", { name: "outrigger-prod", status })).toMatchObject({
      level: "error",
      fix: expect.stringContaining(`aws cloudformation ${command} --stack-name outrigger-prod`),
    });
  });

  it("hands over the stack's service role: a deployer may not delete a stack without", () => {
    const serviceRole = "arn:aws:iam::123456789012:role/cfn";
    const verdict = stackVerdict("prod", { name: "outrigger-prod", status: "ROLLBACK_COMPLETE", serviceRole });
    expect(verdict).toMatchObject({
      fix: expect.stringMatching(
        `^aws cloudformation delete-stack --stack-name outrigger-prod --role-arn ${serviceRole}, `,
      ),
    });
  });

  it("leaves a state that it does not know to AWS", () => {
    expect(stackVerdict("prod", { name: "outrigger-prod", status: "NEW_STATE" })).toMatchObject({
      level: "error",
      fix: expect.stringContaining("AWS"),
    });
  });
});
