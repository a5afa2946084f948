// What differs from what was deployed, as far as it is seen without a person's rights: the part of `outrigger check` that the
// canary does by itself. A deployment that is being changed is not judged.

import { learn } from "../fact.ts";
import type { DeployedFacts } from "./collect-facts.ts";
import { alarmDrift, deploymentChecks } from "./deployment-checks.ts";
import { endpointChecks, type TlsQuestion } from "./endpoint-checks.ts";
import { type DeploymentClients, readDeployed } from "./read-deployment.ts";
import { readTls } from "./read-endpoint.ts";

/**
 * The result of a look at a deployment. Each entry begins with the id of its check: `logs: missing:
 * /aws/lambda/outrigger-dev-inject`.
 */
export interface Drift {
  readonly found: readonly string[];
  /** The parts that could not be reached. Missing rights are found: they were deployed. */
  readonly unseen: readonly string[];
}

export interface DriftQuestion {
  /** The deployment's stage: `dev`. */
  readonly deployment: string;
  readonly url: string;
  readonly connectTo?: string;
  readonly aws: DeploymentClients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Looks for drift; undefined while the deployment is being changed. */
export async function findDrift({ deployment, url, connectTo, aws, now }: DriftQuestion): Promise<Drift | undefined> {
  const [deployed, tls] = await Promise.all([readDeployed(aws, deployment), learn(() => readTls(url, { connectTo }))]);
  return judgeDrift({ deployment: { name: deployment, ...deployed }, endpoint: { tls }, now: now() });
}

export function judgeDrift(facts: DeployedFacts & TlsQuestion): Drift | undefined {
  const { stack, functions, alarms, logs } = facts.deployment;
  if (stack.known && stack.value?.status.endsWith("_IN_PROGRESS") === true) return undefined;
  const verdicts = {
    stack: deploymentChecks.stack.judge(facts),
    functions: deploymentChecks.functions.judge(facts),
    guardrails: deploymentChecks.guardrails.judge(facts),
    logs: deploymentChecks.logs.judge(facts),
    alarms: alarmDrift(facts),
    tls: endpointChecks.tls.judge(facts),
  };
  const differs = Object.entries(verdicts).flatMap(([id, verdict]) =>
    verdict?.level === "error" || verdict?.level === "warning" ? [`${id}: ${verdict.seen}`] : [],
  );
  const read = Object.entries({ stack, functions, alarms, logs, tls: facts.endpoint.tls });
  const lines = (isDenied: boolean) =>
    read.flatMap(([id, fact]) => (fact.known || (fact.isDenied === true) !== isDenied ? [] : [`${id}: ${fact.why}`]));
  return { found: [...differs, ...lines(true)], unseen: lines(false) };
}
