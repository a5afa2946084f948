// `outrigger pods --state missing`: the pods that should have a sidecar and have none, with the reason of each, and those of them that
// were made while calls got no review. Loaded only when a command runs.
import { defined, isOwnError, OutriggerError } from "@outrigger/base";
import type { deploymentMetrics } from "@outrigger/cluster";
import { type RunningReport, readRunning } from "@outrigger/rollouts";
import { enablingLabel } from "@outrigger/webhook";
import { watchDeployment } from "../connect/connect-cluster.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import type { RunningCluster } from "./running-cluster.ts";

type Uninjected = RunningReport["uninjected"][number];
type LostCalls = Awaited<ReturnType<ReturnType<typeof deploymentMetrics>["lostCalls"]>>[number];

type MissingQuestion = Parameters<typeof readRunning>[2] & { readonly json?: true };

/** @throws OutriggerError `findings` where there are such pods */
export async function printMissing(cluster: RunningCluster, question: MissingQuestion, io: Io): Promise<void> {
  const { value, text, finding } = await askMissing(cluster, question, io);
  printResult(io, question.json, { cluster: cluster.name, ...value }, text);
  if (finding !== undefined) throw finding;
}

/** The headings of what {@link askMissing} says of a cluster among others. */
export const MISSING_HEADINGS: readonly string[] = ["PODS", "INJECTED", "MISSING"];

export async function askMissing(
  { name, kube, deployment, ...ports }: RunningCluster,
  question: MissingQuestion,
  io: Io,
) {
  const { pods, injected, uninjected, unlabelled } = await readRunning(kube, ports, question);
  const since = oldestMissed(uninjected);
  const read = async () => (since === undefined ? [] : (await watchDeployment(deployment, io.env)).lostCalls(since));
  // Why pods were missed is worth a line; that it cannot be read is no reason to keep the list back.
  const lost = await read().catch((error: unknown) => {
    if (!isOwnError(error)) throw error;
    io.stderr.write(`Whether calls were lost when these pods were made is not known: ${error.message}\n`);
    return [];
  });
  const shown = { pods, injected, uninjected, unlabelled };
  const enabling = enablingLabel(ports.sidecars?.installed[0]?.settings?.injectionLabel);
  const missed = missedPods(uninjected, lost);
  const { length } = uninjected;
  const [some, have] = length === 1 ? ["One pod", "has"] : [`${length} pods`, "have"];
  const [first] = uninjected;
  return {
    value: { ...shown, ...defined({ missed }) },
    text: textOf(shown, missed, enabling),
    cells: [pods, injected, length].map(String),
    said: first === undefined ? "none is missing" : `${first.namespace}/${first.name}: ${first.reason}`,
    ...(length > 0 && {
      finding: new OutriggerError("findings", `${some} of ${name} should have a sidecar and ${have} none`),
    }),
  };
}

const MOST_NAMESPACES = 10;

type Shown = Pick<RunningReport, "pods" | "injected" | "uninjected" | "unlabelled">;

function textOf(
  { pods, injected, uninjected, unlabelled }: Shown,
  missed: MissedPods | undefined,
  enabling: string,
): string {
  const rows = uninjected.map(({ namespace, name, owner, reason, remediation }) => [
    `${namespace}/${name}`,
    owner || "-",
    reason,
    remediation,
  ]);
  const some = unlabelled.slice(0, MOST_NAMESPACES).join(", ");
  const rest = unlabelled.length - MOST_NAMESPACES;
  const silent = `Neither namespace nor pods ask for a sidecar in ${some}${rest > 0 ? ` and ${rest} more` : ""}: kubectl label namespace NAME ${enabling}, if they should\n`;
  const count = `${injected} of ${pods} pods have a sidecar, ${uninjected.length} should have one\n`;
  const lost = missed === undefined ? "" : `${lostLine(missed)}\n`;
  const summary = `${count}${lost}${unlabelled.length === 0 ? "" : silent}`;
  return rows.length === 0 ? summary : `${summary}\n${table(["POD", "OWNER", "WHY", "REMEDIATION"], rows)}`;
}

function lostLine({ pods, calls, since, until }: MissedPods): string {
  const made = pods === 1 ? "One of them was" : `${pods} of them were`;
  return `${made} made when calls got no review: ${calls} calls of all clusters from ${since} to ${until}`;
}

type MissedPods = NonNullable<ReturnType<typeof missedPods>>;

/** An API server makes the call before it gives a pod its time, and may wait half a minute for it. */
const SLACK = 60_000;

/** The time at which the oldest pod that a webhook let pass was made, in milliseconds since 1970; undefined where there is none. */
export function oldestMissed(uninjected: readonly Uninjected[]): number | undefined {
  const times = uninjected.flatMap((pod) => timeOf(pod) ?? []);
  return times.length === 0 ? undefined : Math.min(...times) - SLACK;
}

/** The pods that were made when calls were lost, or undefined where there is none. */
export function missedPods(uninjected: readonly Uninjected[], lost: readonly LostCalls[]) {
  const near = (time: number, { since, until }: LostCalls) => time >= since - SLACK && time < until + SLACK;
  const times = uninjected.flatMap((pod) => timeOf(pod) ?? []).filter((time) => lost.some((one) => near(time, one)));
  const during = lost.filter((one) => times.some((time) => near(time, one)));
  const [first, last] = [during[0], during.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    pods: times.length,
    /** Calls that were lost then, of all clusters of the deployment. */
    calls: during.reduce((sum, { calls }) => sum + calls, 0),
    /** The first and the last such time: ISO 8601, in UTC. */
    since: new Date(first.since).toISOString(),
    until: new Date(last.until).toISOString(),
  };
}

function timeOf({ isMissed, created }: Uninjected): number | undefined {
  return isMissed === true && created !== undefined ? Date.parse(created) : undefined;
}
