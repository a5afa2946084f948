// The checks that `outrigger check` makes, in order. Each is a pure function of the facts; docs/check.md has a section for each id.
import { checkCreated, checkCurrent, checkInjected, checkOtherWebhooks, checkWorkloads } from "./admission-checks.ts";
import {
  checkAccess,
  checkConflictingWebhooks,
  checkDrift,
  checkDryRuns,
  checkMeshConfig,
  checkPermissions,
  checkRecord,
  checkSafetyNet,
  checkWebhooks,
} from "./cluster-checks.ts";
import {
  checkAlarms,
  checkCredentials,
  checkEdits,
  checkFunctions,
  checkGuardrails,
  checkLogs,
  checkRegion,
  checkServed,
  checkStack,
} from "./deployment-checks.ts";
import { checkSelfTest, checkTls, checkTokens } from "./endpoint-checks.ts";
import type { Facts } from "./facts.ts";
import type { Verdict } from "./finding.ts";
import { checkDiscovery, checkImages, checkIstiod, checkMeshRevision } from "./mesh-checks.ts";

export type Section = "deployment" | "endpoint" | "cluster" | "registration" | "mesh" | "pods";

export interface Check {
  /** Also the anchor in docs/check.md. */
  readonly id: string;
  readonly section: Section;
  /** Whether it is made before a cluster is registered too. */
  readonly isEarly: boolean;
  readonly judge: (facts: Facts) => Verdict;
}

/** What one check found. */
export interface CheckResult extends Verdict {
  readonly id: string;
  readonly section: Section;
  /** `docs/check.md#stack` */
  readonly docs: string;
}

function check(section: Section, id: string, judge: Check["judge"], isEarly = false): Check {
  return { id, section, isEarly, judge };
}

export const checks: readonly Check[] = [
  check("deployment", "credentials", checkCredentials, true),
  check("deployment", "region", checkRegion, true),
  check("deployment", "stack", checkStack, true),
  check("deployment", "functions", checkFunctions, true),
  check("deployment", "guardrails", checkGuardrails, true),
  check("deployment", "logs", checkLogs, true),
  check("deployment", "alarms", checkAlarms, true),
  check("deployment", "served", checkServed, true),
  check("deployment", "edits", checkEdits, true),
  check("deployment", "images", checkImages, true),
  check("endpoint", "tls", checkTls, true),
  check("endpoint", "self-test", checkSelfTest, true),
  check("endpoint", "tokens", checkTokens),
  check("cluster", "access", checkAccess, true),
  check("cluster", "other-injectors", checkConflictingWebhooks, true),
  check("cluster", "permissions", checkPermissions, true),
  check("cluster", "safety-net", checkSafetyNet),
  check("cluster", "dry-run", checkDryRuns),
  check("cluster", "other-webhooks", checkOtherWebhooks),
  check("cluster", "workloads", checkWorkloads),
  check("registration", "record", checkRecord),
  check("registration", "webhooks", checkWebhooks),
  check("registration", "drift", checkDrift),
  check("mesh", "istiod", checkIstiod, true),
  check("mesh", "revision", checkMeshRevision),
  check("mesh", "mesh-config", checkMeshConfig),
  check("mesh", "discovery", checkDiscovery, true),
  check("pods", "created", checkCreated),
  check("pods", "injected", checkInjected),
  check("pods", "current", checkCurrent),
];

/** Sections that take a cluster. */
const OF_CLUSTERS: ReadonlySet<Section> = new Set(["cluster", "registration", "mesh", "pods"]);

/** Made only where they are asked for. */
const OF_NAMES: ReadonlySet<string> = new Set(["images", "discovery"]);

/** Judges the facts: all checks, or those that are made before registering. */
export function judgeFacts(facts: Facts, { isEarly }: { readonly isEarly: boolean }): readonly CheckResult[] {
  return checks
    .filter((one) => !isEarly || one.isEarly)
    .filter((one) => facts.deployment.images !== undefined || !OF_NAMES.has(one.id))
    .filter((one) => facts.cluster !== undefined || !(OF_CLUSTERS.has(one.section) || one.id === "tokens"))
    .map(({ id, section, judge }) => ({ id, section, ...judge(facts), docs: `docs/check.md#${id}` }));
}
