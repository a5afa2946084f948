// The checks that `outrigger check` makes, in order. Each is a pure function of the facts; docs/check.md is made of their docs.
import type { Check, Checks } from "./check.ts";
import type { CheckPorts } from "./check-ports.ts";
import { clusterChecks } from "./cluster-checks.ts";
import { collectFacts, type DeploymentFacts, type Facts } from "./collect-facts.ts";
import { deploymentChecks } from "./deployment-checks.ts";
import { endpointChecks } from "./endpoint-checks.ts";
import type { Verdict } from "./finding.ts";
import { meshChecks } from "./mesh-checks.ts";
import { podChecks } from "./pod-checks.ts";
import { registrationChecks } from "./registration-checks.ts";

/** The checks by section, in the order in which they are printed. */
const SECTIONS = {
  deployment: deploymentChecks,
  endpoint: endpointChecks,
  cluster: clusterChecks,
  registration: registrationChecks,
  mesh: meshChecks,
  pods: podChecks,
} satisfies Readonly<Record<string, Checks>>;

export type Section = keyof typeof SECTIONS;

export type CheckId = { [Name in Section]: keyof (typeof SECTIONS)[Name] }[Section];

/** The result of one check. */
export interface CheckResult extends Verdict {
  readonly id: CheckId;
  readonly section: Section;
  /** The section of the documentation: `docs/check.md#stack`. */
  readonly docs: string;
}

export const checks: readonly (Check & Pick<CheckResult, "id" | "section">)[] = (
  Object.keys(SECTIONS) as readonly Section[]
).flatMap((section) => {
  const entries = Object.entries<Check>(SECTIONS[section]) as readonly (readonly [CheckId, Check])[];
  return entries.map(([id, check]) => ({ id, section, ...check }));
});

/** Judges the facts: all checks, or those that are made before registering. */
export function judgeFacts(facts: Facts, { isEarly }: { readonly isEarly: boolean }): readonly CheckResult[] {
  const made = isEarly ? checks.filter((check) => check.isEarly) : checks;
  return made.flatMap(({ id, section, judge }) => {
    const verdict = section === "mesh" && isWithoutMesh(facts) ? undefined : judge(facts);
    return verdict === undefined ? [] : [{ id, section, ...verdict, docs: `docs/check.md#${id}` }];
  });
}

/** Where no release has a part in a mesh, or no istiod runs and none adds a proxy, there is no mesh to check. */
function isWithoutMesh({ cluster }: Facts): boolean {
  if (cluster === undefined) return false;
  if (cluster.isWithoutMesh) return true;
  const { istiods, proxyImages } = cluster;
  const isKnown = istiods.known && proxyImages.known;
  return isKnown && istiods.value.length === 0 && Object.keys(proxyImages.value).length === 0;
}

/**
 * Checks a deployment, its endpoint and, where one is named, a cluster with its mesh and pods.
 *
 * @param deployment gets the facts about the deployment, where they are collected once for several clusters
 * @returns one result for each check, in the order of docs/check.md; what could not be read is `unknown`, with the reason
 */
export async function runChecks(
  ports: CheckPorts,
  deployment?: () => Promise<DeploymentFacts>,
): Promise<readonly CheckResult[]> {
  return judgeFacts(await collectFacts(ports, deployment), ports);
}
