// The one writer of everything that is derived: its requests, and how a refusal is reported. Who calls, and how,
// is not known here.
import { OutriggerError } from "@outrigger/base";
import { moveChannel } from "./channel/move-channel.ts";
import { removeChannel, setChannel } from "./channel/set-channel.ts";
import { stepRollout } from "./channel/step-rollout.ts";
import { changeCluster } from "./cluster/change-cluster.ts";
import { carryOut } from "./commit/carry-out.ts";
import { repair } from "./commit/repair.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import { publishTree } from "./release/publish-tree.ts";
import { replicate } from "./replicate/replicate.ts";
import type { PublisherRequest } from "./request/parse-request.ts";
import { type PublisherResult, refusalOf } from "./request/publisher-result.ts";

/**
 * Carries out a request, or refuses it with a reason: then what is served has not changed. Any number of publishers may run
 * at once: each change has its place in one order, and is decided on the state that the change before it left.
 */
export async function runPublisher(
  request: PublisherRequest,
  dependencies: PublisherDependencies,
): Promise<PublisherResult> {
  try {
    requireMeant(request, dependencies);
    switch (request.action) {
      case "replicate":
        return await replicate(request, dependencies);
      case "repair":
        return await repair(request, dependencies);
      case "publish":
        requireNoPrimary(dependencies);
        return await carryOut(request, publishTree(), dependencies);
      case "promote":
      case "rollback":
      case "pin":
      case "unpin":
        return await carryOut(request, moveChannel, dependencies);
      case "step-rollout":
        return await carryOut(request, stepRollout, dependencies);
      case "set-channel":
        return await carryOut(request, setChannel, dependencies);
      case "remove-channel":
        return await carryOut(request, removeChannel, dependencies);
      default:
        return await carryOut(request, changeCluster, dependencies);
    }
  } catch (error) {
    return refusalOf(error);
  }
}

/** A caller that reads one deployment and asks another's publisher would copy records between them. */
function requireMeant({ prefix }: PublisherRequest, { layout }: PublisherDependencies): void {
  if (prefix === undefined || prefix === layout.prefix) return;
  const message = `Cannot do what is asked: this publisher writes below ${layout.prefix}, and ${JSON.stringify(prefix.slice(0, 200))} is meant; name the function of that deployment with --publisher`;
  throw new OutriggerError("usage", message, { path: "prefix" });
}

/**
 * Refuses a request in a replica. What a replica serves is published in its primary: here it would be replaced within a
 * minute.
 */
function requireNoPrimary({ primary, layout }: PublisherDependencies): void {
  if (primary === undefined) return;
  const message = `Cannot publish to ${layout.prefix} here: this deployment is a replica of ${primary.name}; edit and publish there, or clear replicaOf and deploy to make this one independent`;
  throw new OutriggerError("usage", message, { path: layout.source });
}
