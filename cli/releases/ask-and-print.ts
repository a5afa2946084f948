// Sending a request to the publish function and printing the answer: the same for every command that moves a
// channel or changes a record.

import { randomUUID } from "node:crypto";
import { defined, OutriggerError } from "@outrigger/base";
import type { Published } from "@outrigger/cluster";
import type { PublisherRequest } from "@outrigger/publisher";
import { causeOf, type Deployment, openDeployment } from "../connect/deployment.ts";
import { type AwsOptions, deploymentOptions } from "../options/aws-options.ts";
import { type OptionsOf, optionTable } from "../options/option.ts";
import { resultOptions, sharedOptions } from "../options/shared-options.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, warn, withProgress } from "../terminal/print.ts";
import type { ActionRequest } from "./action-request.ts";
import { changesPods, lookFirst, printEffects } from "./look-first.ts";
import { pendingRequest } from "./pending-request.ts";
import { wholeDigest } from "./read-records.ts";
import { type MoveOptions, resolveMove } from "./resolve-move.ts";
import { replicaSteps } from "./several-deployments.ts";

/** The options of everything that the publish function is asked. */
export const askOptions = optionTable({
  ...deploymentOptions,
  message: sharedOptions.message,
  ...resultOptions,
  dryRun: { ...sharedOptions.dryRun, about: "check it, and write nothing" },
});

export type AskOptions = AwsOptions &
  MoveOptions &
  Pick<OptionsOf<typeof askOptions>, "message" | "json" | "dryRun"> & {
    /** Asks a person who has read what changes for pods; throws where the answer is no. */
    readonly confirm?: () => Promise<void>;
    /** Reads what an answer does to the workloads of a cluster: fields that the answer gets, and a text that is printed after it. */
    readonly readEffect?: (
      answer: Published,
      deployment: Deployment,
    ) => Promise<{ readonly value: object; readonly text: string } | undefined>;
  };

/**
 * Asks, waits, and prints the answer. What is refused is thrown. A command that got no answer and is run again sends its
 * request again, which is carried out once.
 */
export async function askAndPrint(
  request: ActionRequest,
  settings: AskOptions,
  deployment: Deployment,
  io: Io,
): Promise<void> {
  const { dryRun, json } = settings;
  const answer = await withProgress(io, (report) => {
    report(`Waiting for ${deployment.target.publisher}`);
    return askOnce(request, settings, deployment, io);
  });
  printEffects(answer.effects ?? [], io);
  for (const warning of answer.warnings) warn(warning, io);
  for (const { message } of answer.problems ?? []) warn(message, io);
  const effect = await settings.readEffect?.(answer, deployment);
  const value = { ...answer, ...effect?.value };
  const text = dryRun === true ? `${answer.message} (dry run: nothing was written)` : answer.message;
  printResult(io, json, value, effect === undefined ? text : `${text}\n${effect.text}`);
}

/** Opens the deployment that the options name, asks it, and prints the answer. */
export async function openAndAsk(request: ActionRequest, options: AskOptions, io: Io): Promise<void> {
  await askAndPrint(request, options, await openDeployment(options, io), io);
}

/** Resolves a request and sends it. What is refused is thrown. */
export async function askOnce(
  request: ActionRequest,
  { dryRun, message, steps, ifServing, isResolved, replicas, confirm }: AskOptions,
  deployment: Deployment,
  io: Io,
): Promise<Published> {
  const inReplicas = replicas && (await replicaSteps(replicas, deployment, io));
  const options = defined({ steps, ifServing, isResolved });
  const cause = await causeOf(deployment, message);
  const of = deployment.target.layout.prefix;
  const pending = pendingRequest({ request, options, dryRun, message, place: await deployment.place(), of }, io);
  const again = await pending?.find();
  if (again !== undefined) io.stderr.write("The last run of this command got no answer: its request is sent again\n");
  const asked = again ?? (await newRequest());
  const sent = again === undefined && inReplicas !== undefined ? await inReplicas.before(asked) : asked;
  await pending?.keep(sent);
  const answer = await deployment.askPublisher(sent).catch(async (error: unknown) => {
    // What the publisher refuses, it has answered.
    if (error instanceof OutriggerError && !UNANSWERED.includes(error.code)) await pending?.forget();
    throw error;
  });
  // Until the last step is made, the same command is the same request.
  const done = inReplicas === undefined || dryRun === true ? answer : await inReplicas.after(answer);
  await pending?.forget();
  return done;

  async function newRequest(): Promise<PublisherRequest> {
    const whole = ifServing && (await wholeDigest(ifServing, deployment, io));
    const move = await resolveMove(request, { ...options, ...defined({ ifServing: whole }) }, deployment);
    const isShown = isResolved !== true && dryRun !== true && changesPods(move);
    const shown = isShown ? await lookFirst(move, cause, deployment, io) : move;
    if (dryRun !== true) await confirm?.();
    const resolved = { ...shown, id: randomUUID(), cause };
    return { ...resolved, ...defined({ dryRun }) } as PublisherRequest;
  }
}

const UNANSWERED: readonly string[] = ["aws-unavailable", "store-unavailable", "deadline-exceeded"];
