// Sending a request to the publish function and printing the answer: the same for every command that moves a
// channel or changes a record.
import { randomUUID } from "node:crypto";
import { defined, OutriggerError } from "@outrigger/base";
import type { Published } from "@outrigger/cluster";
import type { PublisherRequest } from "@outrigger/publisher";
import { type Command, InvalidArgumentError } from "commander";
import { causeOf, type Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, progressOf } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import { type ActionRequest, MAX_MESSAGE } from "./action-request.ts";
import { pendingRequest } from "./pending-request.ts";
import { type MoveOptions, resolveMove } from "./resolve-move.ts";
import type { ReplicaSteps } from "./several-deployments.ts";

export interface AskSettings {
  readonly message?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Gives a command the options of everything that the publish function is asked. */
export function withAskOptions(command: Command): Command {
  return withMessage(command)
    .option("--dry-run", "check it, and write nothing")
    .option("--json", "print the result as JSON");
}

/** Gives a command the option by which people say why. */
export function withMessage(command: Command): Command {
  return command.option("-m, --message <text>", "why: kept in the channel's history", (text: string) => {
    if (text.length <= MAX_MESSAGE) return text;
    throw new InvalidArgumentError(`A message has at most ${MAX_MESSAGE} characters.`);
  });
}

/**
 * Asks, waits, and prints the answer. What is refused is thrown. A command that got no answer and is run again sends its
 * request again, which is carried out once.
 */
export async function askAndPrint(
  request: ActionRequest,
  settings: AskSettings & MoveOptions,
  deployment: Deployment,
  io: Io,
  steps?: ReplicaSteps,
): Promise<void> {
  const { dryRun, json } = settings;
  const progress = progressOf(io);
  progress.at(`Waiting for ${deployment.target.publisher}`);
  const answer = await askOnce(request, settings, deployment, io, steps).finally(progress.done);
  for (const warning of answer.warnings) io.stderr.write(printable(`Warning: ${warning}\n`));
  for (const problem of answer.problems ?? []) io.stderr.write(printable(`Warning: ${problem.message}\n`));
  printResult(io, json, answer, dryRun === true ? `${answer.message} (dry run: nothing was written)` : answer.message);
}

/** Resolves a request and sends it. What is refused is thrown. The steps are what other deployments do, before it is sent and once it is answered. */
export async function askOnce(
  request: ActionRequest,
  { dryRun, message, steps, ifServing }: AskSettings & MoveOptions,
  deployment: Deployment,
  io: Io,
  { before, after }: ReplicaSteps = NO_STEPS,
): Promise<Published> {
  const options = defined({ steps, ifServing });
  const cause = await causeOf(deployment, message);
  const command = {
    request,
    options,
    dryRun,
    message,
    place: await deployment.place(),
    of: deployment.target.layout.prefix,
  };
  const pending = pendingRequest(command, io);
  const again = await pending.find();
  if (again !== undefined) io.stderr.write("The last run of this command got no answer: its request is sent again\n");
  const sent = again ?? (await before(await newRequest()));
  await pending.keep(sent);
  const answer = await deployment.askPublisher(sent).catch(async (error: unknown) => {
    // What the publisher refuses, it has answered.
    if (error instanceof OutriggerError && !UNANSWERED.includes(error.code)) await pending.forget();
    throw error;
  });
  // Until the last step is made, the same command is the same request.
  const done = dryRun === true ? answer : await after(answer);
  await pending.forget();
  return done;

  async function newRequest(): Promise<PublisherRequest> {
    const resolved = { ...(await resolveMove(request, options, deployment)), id: randomUUID(), cause };
    return { ...resolved, ...defined({ dryRun }) } as PublisherRequest;
  }
}

const NO_STEPS: ReplicaSteps = { before: async (request) => request, after: async (answer) => answer };

const UNANSWERED: readonly string[] = ["aws-unavailable", "store-unavailable", "deadline-exceeded"];
