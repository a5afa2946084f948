// What differs from what was deployed, as far as it is seen without a person's rights: the part of `outrigger check` that the
// canary does by itself. A deployment that is being changed is not judged.
import { readStack } from "../aws/read-stack.ts";
import type { DeploymentClients } from "./check-ports.ts";
import { alarmDrift, checkFunctions, checkGuardrails, checkLogs, checkStack } from "./deployment-checks.ts";
import { checkTls } from "./endpoint-checks.ts";
import type { DeployedFacts, TlsFacts } from "./facts.ts";
import { type Fact, learn } from "./finding.ts";
import { readAlarms, readFunctions, readLogs } from "./read-deployment.ts";
import { readTls } from "./read-endpoint.ts";

/** What a look at a deployment found, each with the id of its check: `logs: missing: /aws/lambda/outrigger-dev-inject`. */
export interface Drift {
  readonly found: readonly string[];
  /** What could not be reached. Missing rights are found: they were deployed. */
  readonly unseen: readonly string[];
}

export interface DriftQuestion {
  /** The deployment's stage: `dev`. */
  readonly deployment: string;
  /** Where the webhook answers. */
  readonly url: string;
  /** The host to connect to, in place of the URL's. */
  readonly connectTo?: string;
  readonly aws: DeploymentClients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Looks for drift; undefined while the deployment is being changed. */
export async function findDrift({ deployment, url, connectTo, aws, now }: DriftQuestion): Promise<Drift | undefined> {
  const [stack, functions, alarms, logs, tls] = await Promise.all([
    learn(() => readStack(aws, deployment)),
    learn(() => readFunctions(aws.lambda, deployment, aws.region)),
    learn(() => readAlarms(aws.cloudWatch, deployment, aws.region)),
    learn(() => readLogs(aws.logs, deployment, aws.region)),
    learn(() => readTls(url, { connectTo })),
  ]);
  return judgeDrift({
    deployment: { name: deployment, stack, functions, alarms, logs },
    endpoint: { tls },
    now: now(),
  });
}

interface DriftFacts extends DeployedFacts {
  readonly endpoint: { readonly tls: Fact<TlsFacts> };
  readonly now: number;
}

/** Judges what was read, with the judgements of `outrigger check`. */
export function judgeDrift(facts: DriftFacts): Drift | undefined {
  const { stack, functions, alarms, logs } = facts.deployment;
  if (stack.known && stack.value?.status.endsWith("_IN_PROGRESS") === true) return undefined;
  const verdicts = {
    stack: checkStack(facts),
    functions: checkFunctions(facts),
    guardrails: checkGuardrails(facts),
    logs: checkLogs(facts),
    alarms: alarmDrift(facts),
    tls: checkTls(facts),
  };
  const differs = Object.entries(verdicts).flatMap(([id, verdict]) =>
    verdict?.level === "error" || verdict?.level === "warning" ? [`${id}: ${verdict.seen}`] : [],
  );
  const unread = Object.entries({ stack, functions, alarms, logs, tls: facts.endpoint.tls }).flatMap(([id, fact]) =>
    fact.known ? [] : [{ isDenied: fact.isDenied === true, line: `${id}: ${fact.why}` }],
  );
  const lines = (isDenied: boolean) => unread.filter((one) => one.isDenied === isDenied).map(({ line }) => line);
  return { found: [...differs, ...lines(true)], unseen: lines(false) };
}
