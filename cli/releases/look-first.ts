// A move as the publisher answers it before it is made: what it comes to, and what changes for pods, which a person reads first.
import { defined } from "@outrigger/base";
import { type Cause, type Done, describeEffects, type PublisherRequest } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { printable } from "../terminal/printable.ts";
import type { ActionRequest } from "./action-request.ts";

/** Whether a request serves pods another release than they have, or a person accepts what it does to them. */
export function changesPods(request: ActionRequest): boolean {
  switch (request.action) {
    case "promote":
    case "rollback":
    case "pin":
      return true;
    case "publish":
      return request.accept !== undefined;
    default:
      return false;
  }
}

/**
 * Asks what a request would come to, and prints what changes for pods.
 *
 * @returns the request as it was shown: of what is accepted, to which channel, from which release and to which
 * @throws OutriggerError with what the request would be refused for
 */
export async function lookFirst(
  request: ActionRequest,
  cause: Cause,
  deployment: Pick<Deployment, "askPublisher">,
  io: Pick<Io, "stderr">,
): Promise<ActionRequest> {
  const answer = await deployment.askPublisher({ ...request, dryRun: true, cause } as PublisherRequest);
  printEffects(answer.effects ?? [], io);
  if (request.action !== "publish") return request;
  const { message, channel, serving, release } = answer;
  io.stderr.write(printable(`Accepted: ${message}\n`));
  return { ...request, ...defined({ channel, serving, release }) };
}

/** Prints what changes for pods, one line for each class; nothing where nothing does. */
export function printEffects(
  effects: NonNullable<Done["effects"]> | Parameters<typeof describeEffects>[0],
  io: Pick<Io, "stderr">,
): void {
  if (effects.length === 0) return;
  const lines = effects.map((effect) => `  ${describeEffects([effect])}\n`);
  io.stderr.write(printable(`What changes for pods:\n${lines.join("")}`));
}
