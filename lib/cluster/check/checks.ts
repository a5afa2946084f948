// The checks that `outrigger check` makes, in order. Each is a pure function of the facts; docs/check.md has a section for each id.
import { admissionChecks } from "./admission-checks.ts";
import type { CheckPorts } from "./check-ports.ts";
import { clusterChecks } from "./cluster-checks.ts";
import { collectFacts, type Facts } from "./collect-facts.ts";
import { deploymentChecks } from "./deployment-checks.ts";
import { endpointChecks } from "./endpoint-checks.ts";
import type { Verdict } from "./finding.ts";
import { meshChecks } from "./mesh-checks.ts";

/** By id, which is also the anchor in docs/check.md. What is undefined was not asked for. */
const judges = { ...deploymentChecks, ...endpointChecks, ...clusterChecks, ...admissionChecks, ...meshChecks };

type Id = keyof typeof judges;

const SECTIONS = {
  deployment: [
    "credentials",
    "region",
    "stack",
    "functions",
    "guardrails",
    "logs",
    "alarms",
    "served",
    "edits",
    "images",
  ],
  endpoint: ["tls", "self-test", "tokens"],
  cluster: ["access", "other-injectors", "permissions", "safety-net", "dry-run", "other-webhooks", "workloads"],
  registration: ["record", "webhooks", "drift"],
  mesh: ["istiod", "revision", "mesh-config", "discovery"],
  pods: ["created", "injected", "current"],
} as const satisfies Readonly<Record<string, readonly Id[]>>;

export type Section = keyof typeof SECTIONS;

/** Made before a cluster is registered too. */
const EARLY: ReadonlySet<Id> = new Set<Id>([
  ...SECTIONS.deployment,
  "tls",
  "self-test",
  "access",
  "other-injectors",
  "permissions",
  "istiod",
  "discovery",
]);

/** What one check found. */
export interface CheckResult extends Verdict {
  readonly id: string;
  readonly section: Section;
  /** `docs/check.md#stack` */
  readonly docs: string;
}

export const checks = (Object.keys(SECTIONS) as readonly Section[]).flatMap((section) =>
  SECTIONS[section].map((id) => ({ id, section })),
);

/** Judges the facts: all checks, or those that are made before registering. */
export function judgeFacts(facts: Facts, { isEarly }: { readonly isEarly: boolean }): readonly CheckResult[] {
  return checks.flatMap(({ id, section }) => {
    const verdict = isEarly && !EARLY.has(id) ? undefined : judges[id](facts);
    return verdict === undefined ? [] : [{ id, section, ...verdict, docs: `docs/check.md#${id}` }];
  });
}

/**
 * Checks a deployment, its endpoint and, where one is named, a cluster with its mesh and pods.
 *
 * @returns one result for each check, in the order of docs/check.md; what could not be read is `unknown`, with the reason
 */
export async function runChecks(ports: CheckPorts): Promise<readonly CheckResult[]> {
  return judgeFacts(await collectFacts(ports), ports);
}
