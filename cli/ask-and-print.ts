// Owns sending a request to the publish function and printing the answer: the same for every command that moves a
// channel or changes a record.
import { type Command, InvalidArgumentError } from "commander";
import type { PublisherRequest } from "../lib/publish/publisher-request.ts";
import { causeOf, type Deployment } from "./deployment.ts";
import type { Io } from "./io.ts";
import { printResult, progressOf } from "./print.ts";
import { printable } from "./printable.ts";

export interface AskSettings {
  readonly message?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** A request without what every request has. */
export type Wish = PublisherRequest extends infer Request
  ? Request extends PublisherRequest
    ? Omit<Request, "cause" | "dryRun">
    : never
  : never;

/** Gives a command the options of everything that the publish function is asked. */
export function withAskOptions(command: Command): Command {
  return withMessage(command)
    .option("--dry-run", "check it, and write nothing")
    .option("--json", "print the result as JSON");
}

const MAX_MESSAGE = 500;

/** Gives a command the option by which people say why. */
export function withMessage(command: Command): Command {
  return command.option("-m, --message <text>", "why: kept in the channel's history", (text: string) => {
    if (text.length <= MAX_MESSAGE) return text;
    throw new InvalidArgumentError(`A message has at most ${MAX_MESSAGE} characters.`);
  });
}

/** Asks, waits, and prints the answer. What is refused is thrown. */
export async function askAndPrint(wish: Wish, settings: AskSettings, deployment: Deployment, io: Io): Promise<void> {
  const { dryRun, json, message } = settings;
  const progress = progressOf(io);
  progress.at(`Waiting for ${deployment.target.publisher}`);
  const cause = await causeOf(deployment, message);
  const request = { ...wish, cause, ...(dryRun === true && { dryRun }) } as PublisherRequest;
  const answer = await deployment.askPublisher(request).finally(progress.done);
  for (const warning of answer.warnings) io.stderr.write(printable(`Warning: ${warning}\n`));
  for (const problem of answer.problems ?? []) io.stderr.write(printable(`Warning: ${problem.message}\n`));
  printResult(io, json, answer, dryRun === true ? `${answer.message} (dry run: nothing was written)` : answer.message);
}
