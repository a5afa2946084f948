// What to do about a stack by its state. CloudFormation takes a deploy in some states only: in the others it answers that the
// stack "is in … state and can not be updated". AWS CloudFormation User Guide, "Stack status codes" and "Troubleshooting".
import type { StackFacts } from "../aws/read-stack.ts";
import { failing, ok, type Verdict, warning } from "./finding.ts";

type Remedy = "none" | "wait" | "deploy" | "continue" | "undo" | "delete" | "delete-again" | "support";

const REMEDIES: Readonly<Record<string, Remedy>> = {
  CREATE_COMPLETE: "none",
  UPDATE_COMPLETE: "none",
  IMPORT_COMPLETE: "none",
  // Only a change set that nobody has carried out: it waits for ever.
  REVIEW_IN_PROGRESS: "delete",
  CREATE_FAILED: "delete",
  ROLLBACK_COMPLETE: "delete",
  ROLLBACK_FAILED: "delete",
  DELETE_FAILED: "delete-again",
  UPDATE_ROLLBACK_COMPLETE: "deploy",
  IMPORT_ROLLBACK_COMPLETE: "deploy",
  DELETE_COMPLETE: "deploy",
  UPDATE_FAILED: "undo",
  UPDATE_ROLLBACK_FAILED: "continue",
  IMPORT_ROLLBACK_FAILED: "support",
};

/** The verdict on a stack in a state. */
export function stackVerdict(
  deployment: string,
  { name: stack, status }: Pick<StackFacts, "name" | "status">,
): Verdict {
  const seen = `${stack} is ${status}`;
  const aws = (command: string) => `aws cloudformation ${command} --stack-name ${stack}`;
  const see = "see docs/failed-deploy.md#when-a-deploy-fails";
  const deploy = `outrigger deploy --stage ${deployment}`;
  switch (REMEDIES[status] ?? (status.endsWith("_IN_PROGRESS") ? "wait" : "support")) {
    case "none":
      return ok(seen);
    case "wait":
      return warning(seen, "wait until it is done");
    case "deploy":
      return failing(seen, `${deploy}; the last deploy failed: ${see}`);
    case "continue":
      return failing(`${seen}: it takes no deploy`, `${aws("continue-update-rollback")}, then ${deploy}; ${see}`);
    case "undo":
      return failing(seen, `${aws("rollback-stack")}, then ${deploy}; ${see}`);
    case "delete":
      return failing(`${seen}: it takes no deploy`, `${aws("delete-stack")}, then ${deploy}; ${see}`);
    case "delete-again":
      return failing(
        `${seen}: it takes no deploy`,
        `${aws("delete-stack")} once more, after its cause is removed; ${see}`,
      );
    case "support":
      return failing(
        `${seen}: it takes no deploy`,
        `ask AWS Support to bring the stack into a state that can be updated; ${see}`,
      );
  }
}
