// What a restart that stops leaves for others: an Event on the workload, which `kubectl describe` shows, and a metric in CloudWatch's
// embedded format; and for the terminal alone the pod's own events and the end of its log, of which nothing is stored.
import { ownError } from "@outrigger/base";
import { type KubeClient, listed } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { metricLine } from "@outrigger/serving";
import { countRunning } from "../running.ts";
import type { RestartFailure } from "./journal-entry.ts";
import { itemsOf, podPath, seeWorkload } from "./pods-of-workload.ts";
import type { Run } from "./run.ts";
import { partsOf, timeText } from "./workload.ts";

/** Says who injects, and from which release to which. What may not be read or written is a line for people. */
export async function sayStopped(run: Run, { workload, pod, container, why }: RestartFailure): Promise<void> {
  if (workload === undefined) return;
  const { kube, held, report, now } = run;
  const { namespace, kind, name } = partsOf(workload);
  const events = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  if (pod !== undefined && container !== undefined) {
    const orWhy = (error: unknown) => [ownError(error).message];
    const said = await eventsOf(kube, events, pod).catch(orWhy);
    const log = await logOf(kube, podPath(namespace, pod), container).catch(orWhy);
    for (const line of titled(`Events of the pod ${pod}:`, said)) report(line);
    for (const line of titled(`The end of the log of ${container}:`, log)) report(line);
  }
  const { deployment, by } = held.current();
  const { object, pods = [] } = (await seeWorkload(kube, workload)) ?? {};
  const { served: to = "none", releases = {} } = (await countRunning(pods.map(listed), run)).workloads[0] ?? {};
  const from = Object.keys(releases).find((release) => release !== to) ?? "none";
  const fields = { cluster: kube.name, workload, from, to, by };
  const event = { level: "error", event: "restart", stage: deployment, timestamp: now() } as const;
  report(metricLine({ ...event, metrics: { RestartStopped: 1 }, fields }).trimEnd());
  if (object === undefined) return;
  const time = timeText(now());
  const message = `The restart for the deployment "${deployment}" by ${by}, from release ${from} to ${to}, stopped here: ${why}`;
  const stored = {
    ...{ apiVersion: "v1", kind: "Event", type: "Warning", reason: "RestartStopped", count: 1 },
    metadata: { name: `${name}.${now().toString(16)}`, namespace },
    involvedObject: { apiVersion: String(object["apiVersion"]), kind, name, namespace, uid: metadataOf(object).uid },
    ...{ message: message.slice(0, LONGEST_MESSAGE), source: { component: "outrigger" } },
    ...{ firstTimestamp: time, lastTimestamp: time },
  };
  await kube.create(events, stored).catch((error: unknown) => {
    report(`No Event says so on ${workload}: ${ownError(error).message}`);
  });
}

/** The longest message of an event that an API server takes, in characters. */
const LONGEST_MESSAGE = 1024;
const MOST_EVENTS = 5;
const LOG_LINES = 10;
const LONGEST_LINE = 300;

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line.slice(0, LONGEST_LINE)}`)];
}

async function eventsOf(kube: KubeClient, path: string, pod: string): Promise<readonly string[]> {
  const events = await itemsOf(kube.list(path, { fieldSelector: `involvedObject.name=${pod}` }));
  const worrying = events.filter(({ type }) => type !== "Normal").slice(-MOST_EVENTS);
  return worrying.map(({ reason, message }) => `${String(reason)}: ${String(message).replaceAll("\n", " ")}`);
}

/** The last lines of a container's log. Where the container was restarted, they are of the run before, which is the one that ended. */
async function logOf(kube: KubeClient, path: string, container: string): Promise<readonly string[]> {
  const log = `${path}/log?container=${encodeURIComponent(container)}&tailLines=${LOG_LINES}`;
  const text = (await kube.text(`${log}&previous=true`)) ?? (await kube.text(log)) ?? "";
  return text.split("\n").filter((line) => line.trim() !== "");
}
