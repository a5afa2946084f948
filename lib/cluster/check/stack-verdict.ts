// What the state of a deployment's stack means, and the command that brings it into a state that takes a deploy. Pure.
// CloudFormation takes a deploy in some states of a stack only: in the others it answers that the stack "is in … state and can not be
// updated". Source: AWS CloudFormation User Guide, "Stack status codes" and "Troubleshooting".
import { failing, ok, type Verdict, warning } from "./finding.ts";
import type { StackFacts } from "./read-deployment.ts";

/** The command that deploys a stage again. */
export function deploy(name: string): string {
  return `outrigger deploy --stage ${name}`;
}

export function stackVerdict(
  deployment: string,
  { name: stack, status, serviceRole }: Pick<StackFacts, "name" | "status" | "serviceRole">,
): Verdict {
  const seen = `${stack} is ${status}`;
  const noDeploy = `${seen}: it takes no deploy`;
  const role = serviceRole === undefined ? "" : ` --role-arn ${serviceRole}`;
  const aws = (command: string) => `aws cloudformation ${command} --stack-name ${stack}${role}`;
  const see = "see docs/failed-deploy.md#when-a-deploy-fails";
  const again = deploy(deployment);
  const is = (...states: readonly string[]) => states.includes(status);
  if (is("CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE")) return ok(seen);
  if (is("UPDATE_ROLLBACK_COMPLETE", "IMPORT_ROLLBACK_COMPLETE", "DELETE_COMPLETE")) {
    return failing(seen, `${again}; the last deploy failed: ${see}`);
  }
  if (is("UPDATE_FAILED")) return failing(seen, `${aws("rollback-stack")}, then ${again}; ${see}`);
  if (is("UPDATE_ROLLBACK_FAILED")) {
    return failing(noDeploy, `${aws("continue-update-rollback")}, then ${again}; ${see}`);
  }
  // In review is a change set that nobody has carried out: it waits forever.
  if (is("REVIEW_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED")) {
    return failing(noDeploy, `${aws("delete-stack")}, then ${again}; ${see}`);
  }
  if (is("DELETE_FAILED")) {
    return failing(noDeploy, `${aws("delete-stack")} once more, after its cause is removed; ${see}`);
  }
  if (status.endsWith("_IN_PROGRESS")) return warning(seen, "wait until it is done");
  return failing(noDeploy, `ask AWS Support to bring the stack into a state that can be updated; ${see}`);
}
