// Everything from the deployment to the running pods, in one call. Nothing is changed: pods are created as dry runs only.
import type { CheckPorts } from "./check-ports.ts";
import { type CheckResult, judgeFacts } from "./checks.ts";
import { collectFacts } from "./collect-facts.ts";

/**
 * Checks a deployment, its endpoint and, where one is named, a cluster with its mesh and pods.
 *
 * @returns one result for each check, in the order of docs/check.md; what could not be read is `unknown`, with the reason
 */
export async function runChecks(ports: CheckPorts): Promise<readonly CheckResult[]> {
  return judgeFacts(await collectFacts(ports), ports);
}
