// What a cluster says of a container that does not come back: its pod's events and the end of its log. For the terminal alone: none of
// it is stored.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { containerStatuses, restartCount } from "../pod-status.ts";

const MOST_EVENTS = 5;
const LOG_LINES = 10;
const LONGEST_LINE = 300;

/** Where the trouble is. */
export interface TroubledContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Lines for people; what may not be read is said, and is no reason to fail. */
export async function showCause(
  kube: KubeClient,
  { namespace, pod, container }: TroubledContainer,
): Promise<readonly string[]> {
  const events = await orWhy(() => readEvents(kube, namespace, pod));
  const log = await orWhy(() => readLog(kube, { namespace, pod, container }));
  return [...titled(`Events of the pod ${pod}:`, events), ...titled(`The end of the log of ${container}:`, log)];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line.slice(0, LONGEST_LINE)}`)];
}

async function orWhy(read: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof OutriggerError) return [error.message];
    throw error;
  }
}

async function readEvents(kube: KubeClient, namespace: string, pod: string): Promise<readonly string[]> {
  const found: JsonObject[] = [];
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  for await (const event of kube.list(path, { fieldSelector: `involvedObject.name=${pod}` })) found.push(event);
  return found
    .filter(({ type }) => type !== "Normal")
    .slice(-MOST_EVENTS)
    .map(({ reason, message }) => `${String(reason)}: ${String(message).replaceAll("\n", " ")}`);
}

/** Of the run before, where the container was restarted: that is the one that ended. */
async function readLog(kube: KubeClient, { namespace, pod, container }: TroubledContainer): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
  const statuses = containerStatuses((await kube.get(path)) ?? {});
  const restarts = restartCount(statuses.find(({ name }) => name === container) ?? {});
  const query = new URLSearchParams({
    container,
    tailLines: `${LOG_LINES}`,
    ...(restarts > 0 && { previous: "true" }),
  });
  const text = (await kube.text(`${path}/log?${query}`)) ?? "";
  return text.split("\n").filter((line) => line.trim() !== "");
}
