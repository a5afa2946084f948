// The entry points of the publish function: which kinds of event each takes, and one line of log for each call.
import { defined, OutriggerError, objectOf, ownError } from "@outrigger/base";
import {
  announceChanges,
  type Cause,
  type Done,
  type PublisherRequest,
  type PublisherResult,
  parsePublisherRequest,
  type RingRefusals,
  reconcileRollouts,
  reconcileSource,
  refusalOf,
  runPublisher,
} from "@outrigger/publisher";
import type { Context as LambdaContext } from "aws-lambda";
import { isCloudFormation } from "../cloudformation-response.ts";
import { boundedCalls } from "./bounded-calls.ts";
import type { PublishFunction } from "./dependencies.ts";
import { eventsLine, isFailure, publishLine, rolloutLines, settledLine } from "./log-lines.ts";
import { deployAnswer, ensureCanary } from "./on-deploy.ts";
import { isEdit, onEdit } from "./on-edit.ts";

/**
 * The part of Lambda's context that is used. `invokedFunctionArn` is the ARN that the caller used, with the alias if there
 * is one: a caller cannot choose it freely, because IAM decides by it.
 */
export type Context = Partial<Pick<LambdaContext, "getRemainingTimeInMillis" | "invokedFunctionArn">>;

/** What a request is answered: with the version that answers, so that a command of another one can say so. */
type Answered = PublisherResult & { readonly version?: string };

/** The alias that CloudFormation's events come through: infra/publishing.yml. */
export const DEPLOY_HOOK = "deploy-hook";

/**
 * A handler for the function and its alias. What an event may do depends on who can send it, and IAM decides that by the
 * ARN that is invoked, so the ARN decides here and never the form of the event:
 *
 * | invoked as         | may be sent by                            | takes                                            |
 * |--------------------|-------------------------------------------|--------------------------------------------------|
 * | the alias          | CloudFormation, for who deploys the stack | events of this stack's custom resources          |
 * | the function       | EventBridge, people, the register function | edits and requests; a CloudFormation event is refused |
 *
 * A request is always answered. An edit is thrown when Parameter Store did not accept the writes, so that Lambda retries.
 */
export function publishHandler(given: PublishFunction) {
  const edits = onEdit();
  const refusals: RingRefusals = new Map();
  return async (event: unknown, context: Context = {}): Promise<Answered | undefined> => {
    const dependencies = boundedCalls(given, timeOf(event, context, given));
    const automatic = { ...dependencies, store: dependencies.automaticStore ?? dependencies.store };
    const started = dependencies.now().getTime();
    const look = () => ({ stage: dependencies.stage, time: dependencies.now().getTime(), started });
    const log = (trigger: string, result: PublisherResult, action?: string) =>
      dependencies.write(publishLine({ trigger, action, result, ...look() }));
    // `arn:<partition>:lambda:<region>:<account>:function:<name>:<alias>`
    if (context.invokedFunctionArn?.split(":")[7] === DEPLOY_HOOK) {
      if (!isCloudFormation(event) || event.StackId !== dependencies.stackId)
        throw new TypeError(`The alias ${DEPLOY_HOOK} takes events of this deployment's own stack only`);
      const left = context.getRemainingTimeInMillis?.() ?? 60_000;
      const { response, result } = await deployAnswer(event, left, dependencies);
      log("deploy", result);
      await dependencies.respond({ request: event, response });
      return undefined;
    }
    if (isEdit(event)) {
      const result = await edits(event, automatic);
      log("edit", result);
      if (!result.ok && isFailure(result.error.code)) throw new OutriggerError(result.error.code, result.error.message);
      return result;
    }
    const action = actionOf(event);
    const isLook = action === RECONCILE || action === ROLLOUTS;
    const { time } = objectOf(event);
    if (isLook && typeof time === "string" && started - Date.parse(time) > LATE) return undefined;
    if (action === ROLLOUTS) {
      try {
        const { settled, stepped } = await reconcileRollouts(automatic, refusals);
        for (const line of [settledLine(settled, look()), ...rolloutLines(stepped, look())]) dependencies.write(line);
        await announce(settled.lastChange, automatic, look);
      } catch (error) {
        // What a look cannot do, the next one does: Lambda need not repeat it.
        log("schedule", refusalOf(error), "rollout");
      }
      return undefined;
    }
    if (action === RECONCILE) {
      const { result, age, settled } = await reconcileSource(automatic);
      if (settled !== undefined) dependencies.write(settledLine(settled, look()));
      dependencies.write(publishLine({ trigger: "schedule", result, ...look(), age }));
      return result;
    }
    const answered = await onRequest(event, dependencies);
    log("request", answered.result, answered.action);
    return { ...answered.result, version: dependencies.version };
  };
}

/** Milliseconds for a look of the schedule: it has ended before the next one begins. */
const LOOK = 45_000;

/** Milliseconds for the look that publishes, every five minutes. */
const LONG_LOOK = 100_000;

/** Milliseconds for an edit: less than the time after which another call takes its turn over (takeEditTurn). */
const EDIT = 55_000;

/** Milliseconds of the function's time that are kept for what follows the last call. */
const TIME_TO_END = 5000;

/** Milliseconds within which the calls for an event must have ended. */
function timeOf(event: unknown, { getRemainingTimeInMillis }: Context, { primary }: PublishFunction): number {
  const action = actionOf(event);
  if (action === ROLLOUTS) return LOOK;
  if (action === RECONCILE) return primary === undefined ? LONG_LOOK : LOOK;
  const left = (getRemainingTimeInMillis?.() ?? 120_000) - TIME_TO_END;
  return isEdit(event) ? Math.min(left, EDIT) : left;
}

/** Milliseconds after which a look is not made any more: a later one was. Calls that had to wait come many at once. */
const LATE = 3 * 60_000;

/**
 * The action that the schedule of infra/publishing.yml sends. It may publish what was edited, as an edit's own event
 * does.
 */
const RECONCILE = "reconcile";
/** The action that the other schedule sends every minute: rollouts continue, or go back, by themselves. */
const ROLLOUTS = "reconcile-rollouts";

/** Sends what changed to the bus. What cannot be sent is sent by a later look, and keeps nothing else from being done. */
async function announce(
  lastChange: number,
  dependencies: PublishFunction,
  look: () => Parameters<typeof eventsLine>[1],
) {
  try {
    const sent = await announceChanges(lastChange, dependencies);
    if (sent > 0) dependencies.write(eventsLine({ sent }, look()));
  } catch (error) {
    dependencies.write(eventsLine({ error }, look()));
  }
}

function actionOf(event: unknown): unknown {
  return objectOf(event)["action"];
}

/**
 * Carries out a request. One that this version does not know is refused in one form, by which commands of another version find that it is
 * not theirs.
 */
async function onRequest(event: unknown, dependencies: PublishFunction) {
  let request: PublisherRequest;
  try {
    request = parsePublisherRequest(event);
  } catch (error) {
    const { message, path } = ownError(error);
    return { action: undefined, result: refusalOf(new OutriggerError("request-unknown", message, defined({ path }))) };
  }
  try {
    const action = request.dryRun === true ? `${request.action} (dry run)` : request.action;
    const result = await runPublisher(request, dependencies);
    const isRepaired = result.ok && request.action === "repair" && request.dryRun !== true;
    return { action, result: isRepaired ? await withCanary(result, request.cause, dependencies) : result };
  } catch (error) {
    return { action: undefined, result: refusalOf(error) };
  }
}

/** Repairing everything includes the canary, whose token is no part of what is served. */
async function withCanary(repaired: Done, cause: Cause, dependencies: PublishFunction): Promise<Done> {
  const { isRenewed, warning } = await ensureCanary(cause, dependencies);
  const message = isRenewed ? `${repaired.message}; the canary has a new token` : repaired.message;
  const warnings = warning === undefined ? repaired.warnings : [...repaired.warnings, warning];
  return { ...repaired, message, changed: repaired.changed || isRenewed, warnings };
}
