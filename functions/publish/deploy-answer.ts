// The answer to a custom resource of the deployment's own stack: in time, whatever happens, and in a rollback no failure that
// the schedule makes good.
import { OutriggerError } from "@outrigger/base";
import { errorOf } from "@outrigger/publisher";
import { describeError, metricLine } from "@outrigger/serving";
import type { CloudFormationRequest, CloudFormationResponse } from "../cloudformation-response.ts";
import { type DeployDependencies, type Deployed, onDeploy } from "./on-deploy.ts";

export interface AnswerDependencies extends DeployDependencies {
  readonly write: (line: string) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** CloudFormation's word for the state of this deployment's stack. */
  readonly stackStatus: () => Promise<string>;
}

/** Milliseconds that are kept for the stack's state and the answer to CloudFormation, which otherwise waits for an hour. */
const TIME_TO_ANSWER = 14_000;

/** @param left milliseconds that the function has */
export async function deployAnswer(
  request: CloudFormationRequest,
  left: number,
  dependencies: AnswerDependencies,
): Promise<Deployed> {
  const late = dependencies.sleep(Math.max(0, left - TIME_TO_ANSWER)).then(() => TOO_LATE);
  const done = onDeploy(request, dependencies).catch((error: unknown) => failed(error, dependencies));
  const deployed = await Promise.race([done, late]);
  return { ...deployed, response: await responseOf(request, deployed, dependencies) };
}

/**
 * A rollback that fails leaves a stack that takes no deploy.
 *
 * | what failed                                                   | in an update | in its rollback                               |
 * |---------------------------------------------------------------|--------------|-----------------------------------------------|
 * | the code of the stack cannot load what is served               | FAILED       | FAILED: calls stay with the code that can     |
 * | Parameter Store, the time, or the function itself              | FAILED       | SUCCESS: the schedule publishes what is left  |
 * | a removal: what was derived, and the canary's token, would stay | FAILED       | FAILED                                        |
 */
async function responseOf(
  { RequestType }: CloudFormationRequest,
  { response, result }: Deployed,
  { stackStatus }: AnswerDependencies,
): Promise<CloudFormationResponse> {
  if (response.status === "SUCCESS" || RequestType === "Delete" || result.ok) return response;
  if (result.error.code === "release-unsupported") return response;
  const status = await stackStatus().catch((error: unknown) => String(error));
  if (status !== "UPDATE_ROLLBACK_IN_PROGRESS") return response;
  const left = "the schedule publishes within five minutes what this rollback could not";
  return { status: "SUCCESS", reason: `${response.reason}; ${left}` };
}

function failed(error: unknown, { write, now }: AnswerDependencies) {
  if (!(error instanceof OutriggerError)) {
    const fields = { trigger: "deploy", error: describeError(error) };
    write(metricLine({ level: "error", event: "publish", timestamp: now().getTime(), fields }));
    return answerOf("Something is wrong with Outrigger itself; see the log");
  }
  return {
    response: { status: "FAILED", reason: error.message },
    result: { ok: false, error: errorOf(error) },
  } as const;
}

function answerOf(message: string) {
  const error = { code: "deadline-exceeded", message } as const;
  return { response: { status: "FAILED", reason: message }, result: { ok: false, error } } as const;
}

const TOO_LATE = answerOf("Publishing was not done in time; deploy again");
