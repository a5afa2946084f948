// What `outrigger check` says: of a cluster's checks, of its registration, and of the workloads that are behind. Pure.
import { defined, OutriggerError } from "@outrigger/base";
import { type CheckResult, type clusterStatus, some } from "@outrigger/cluster";
import { type countRunning, isOutdated } from "@outrigger/rollouts";
import type { ClusterAnswer } from "../fleet/print-each.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import { table } from "../terminal/print.ts";

type Status = Awaited<ReturnType<typeof clusterStatus>>;
type Workload = Awaited<ReturnType<typeof countRunning>>["workloads"][number];

/** The row of a cluster, or of the deployment. */
export function checkAnswer(results: readonly CheckResult[]): ClusterAnswer {
  const ofLevel = (level: CheckResult["level"]) => results.filter((result) => result.level === level);
  const bad = (["error", "warning", "unknown"] as const).flatMap(ofLevel);
  const finding = checkFinding(results);
  return {
    value: { checks: results },
    cells: (["ok", "warning", "error", "unknown"] as const).map((level) => String(ofLevel(level).length)),
    said: bad.length === 0 ? "sound" : some(bad.map(({ id, seen }) => `${id}: ${seen}`)),
    ...defined({ finding }),
  };
}

/** The error with which a check ends: what was found, or else what could not be checked. */
export function checkFinding(results: readonly CheckResult[]): OutriggerError | undefined {
  const count = (...levels: readonly CheckResult["level"][]) =>
    results.filter(({ level }) => levels.includes(level)).length;
  const [found, unknown] = [count("warning", "error"), count("unknown")];
  if (found > 0) return new OutriggerError("findings", `${found} of ${results.length} checks found something`);
  if (unknown === 0) return undefined;
  return new OutriggerError("aws-unavailable", `${unknown} of ${results.length} checks could not be made`);
}

/** `shop/Deployment/web: containers[istio-proxy].image`, of a workload whose next pods would differ. */
export function outdatedText({ namespace, kind, name, example }: Workload): readonly string[] {
  // Pods without a sidecar have a check of their own.
  if (example === undefined || example.verdict.state === "missing" || !isOutdated({ example })) return [];
  const { verdict } = example;
  const fields = "changes" in verdict ? verdict.changes.map(({ field }) => field).slice(0, 3) : [verdict.state];
  return [`${namespace}/${kind}/${name}: ${fields.join(", ")}`];
}

/** The options that say where a cluster is, as they are written in a command that a fix proposes. */
export function placeFlags({ cluster, as, clusterRegion, roleArn }: RunningOptions): string {
  const given = { as: as === cluster ? undefined : as, "cluster-region": clusterRegion, "role-arn": roleArn };
  return Object.entries(defined(given))
    .map(([name, value]) => ` --${name} ${value}`)
    .join("");
}

/** The row of a cluster that is compared with its registration. */
export function registrationAnswer(status: Status, finding: OutriggerError | undefined): ClusterAnswer {
  const { drift, revisions } = status;
  const seen = drift.map(({ place, expected, actual }) => `${place} should be ${expected}, is ${actual}`);
  return {
    value: status,
    cells: [revisions.map(({ revision, channel }) => `${revision}=${channel}`).join(","), String(drift.length)],
    said: drift.length === 0 ? "no difference" : some(seen),
    finding,
  };
}

/**
 * The error with which a comparison ends that finds a difference.
 *
 * @param name of the registration
 * @param eksName left out where the cluster is reached by a context
 */
export function registrationFinding({ drift }: Pick<Status, "drift">, name: string, eksName: string | undefined) {
  const { length } = drift;
  if (length === 0) return undefined;
  const places = length === 1 ? "one place" : `${length} places`;
  const message = `${name} differs from its registration in ${places}: run outrigger register --cluster ${eksName ?? name} to repair the cluster`;
  return new OutriggerError("findings", message);
}

/** A registration and its differences, for people. */
export function registrationText({ revisions, tokens, drift, notes }: Status): string {
  const rows = revisions.map(({ revision, tags, channel, phase, off }) => [
    revision,
    tags.join(",") || "-",
    channel || "-",
    off === undefined ? phase || "-" : `${phase}, off since ${off}`,
  ]);
  const differences = drift.map(({ place, expected, actual }) => [place, expected, actual]);
  return [
    rows.length === 0 ? "" : table(["REVISION", "TAGS", "CHANNEL", "PHASE"], rows),
    tokens > 1 ? "Two tokens are live: run outrigger token rotate to finish the rotation\n" : "",
    ...notes.map((note) => `${note}\n`),
    differences.length === 0 ? "No difference\n" : `\n${table(["PLACE", "SHOULD BE", "IS"], differences)}`,
  ].join("");
}
