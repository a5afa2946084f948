// The checks that `outrigger check` makes, in order. Each is a pure function of the facts; docs/check.md has a section for each id.
import type { CheckPorts } from "./check-ports.ts";
import { clusterChecks, meshChecks, podChecks, registrationChecks } from "./cluster-checks.ts";
import { collectFacts, type Facts } from "./collect-facts.ts";
import { deploymentChecks } from "./deployment-checks.ts";
import { endpointChecks } from "./endpoint-checks.ts";
import type { Verdict } from "./finding.ts";

/** What is undefined was not asked for. */
type Judge = (facts: Facts) => Verdict | undefined;

/** By id, which is also the anchor in docs/check.md. */
const SECTIONS = {
  deployment: deploymentChecks,
  endpoint: endpointChecks,
  cluster: clusterChecks,
  registration: registrationChecks,
  mesh: meshChecks,
  pods: podChecks,
} satisfies Readonly<Record<string, Readonly<Record<string, Judge>>>>;

export type Section = keyof typeof SECTIONS;

type Id = { [Name in Section]: keyof (typeof SECTIONS)[Name] }[Section];

/** Made before a cluster is registered too, with those of the deployment. */
const EARLY: readonly Id[] = ["tls", "self-test", "access", "other-injectors", "permissions", "istiod", "discovery"];

/** What one check found. */
export interface CheckResult extends Verdict {
  readonly id: string;
  readonly section: Section;
  /** `docs/check.md#stack` */
  readonly docs: string;
}

export const checks = (Object.keys(SECTIONS) as readonly Section[]).flatMap((section) =>
  Object.entries<Judge>(SECTIONS[section]).map(([id, judge]) => ({ id, section, judge })),
);

/** Judges the facts: all checks, or those that are made before registering. */
export function judgeFacts(facts: Facts, { isEarly }: { readonly isEarly: boolean }): readonly CheckResult[] {
  return checks.flatMap(({ id, section, judge }) => {
    const isMade = !isEarly || section === "deployment" || EARLY.some((one) => one === id);
    const verdict = isMade ? judge(facts) : undefined;
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
