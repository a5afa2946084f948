// Owns the one writer of everything that is derived: its requests, and how a refusal is reported. Who calls, and how,
// is not known here.
import { OutriggerError } from "../errors.ts";
import { applyChange } from "./apply-change.ts";
import { changeCluster } from "./change-cluster.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import { answer, moveChannel, removeChannel } from "./move-channel.ts";
import { publishTree } from "./publish-tree.ts";
import { errorOf } from "./publisher-error.ts";
import type { PublisherRequest, PublisherResult } from "./publisher-request.ts";
import { readState } from "./read-state.ts";

/**
 * Does what is asked, or says why not: then what is served has not changed. One at a time: two at once may undo each
 * other's moves, though no reader ever finds half of anything.
 */
export async function runPublisher(
  request: PublisherRequest,
  dependencies: PublisherDependencies,
): Promise<PublisherResult> {
  try {
    requireMeant(request, dependencies);
    return await perform(request, dependencies);
  } catch (error) {
    if (error instanceof OutriggerError) return { ok: false, error: errorOf(error) };
    throw error;
  }
}

/** A caller that reads one deployment and asks another's publisher would copy records between them. */
function requireMeant({ prefix }: PublisherRequest, { layout }: PublisherDependencies): void {
  if (prefix === undefined || prefix === layout.prefix) return;
  const message = `Cannot do what is asked: this publisher writes below ${layout.prefix}, and ${JSON.stringify(prefix.slice(0, 200))} is meant; name the function of that deployment with --publisher`;
  throw new OutriggerError("usage", message, { path: "prefix" });
}

function perform(request: PublisherRequest, dependencies: PublisherDependencies): Promise<PublisherResult> {
  switch (request.action) {
    case "publish":
      return publishTree(request, dependencies);
    case "promote":
    case "rollback":
    case "pin":
    case "unpin":
      return moveChannel(request, dependencies);
    case "remove-channel":
      return removeChannel(request, dependencies);
    case "put-cluster":
    case "remove-cluster":
    case "add-token":
    case "retire-token":
      return changeCluster(request, dependencies);
    case "repair":
      return repair(request.dryRun === true, dependencies);
  }
}

async function repair(dryRun: boolean, dependencies: PublisherDependencies): Promise<PublisherResult> {
  const applied = await applyChange({ kind: "repair" }, await readState(dependencies), dependencies, dryRun);
  const done = dryRun ? "What is served would be derived again" : "What is served was derived again";
  return answer(applied, applied.changed ? done : "What is served is what the records say");
}
