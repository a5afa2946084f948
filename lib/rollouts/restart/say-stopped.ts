// What a restart that stops leaves for others: an Event on the workload, which `kubectl describe` shows, and a metric in CloudWatch's
// embedded format.
import { ownError } from "@outrigger/base";
import { listed } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { metricLine } from "@outrigger/serving";
import { countRunning } from "../running.ts";
import type { RestartFailure } from "./journal-entry.ts";
import { seeWorkload } from "./pods-of-workload.ts";
import type { Run } from "./run.ts";
import { partsOf, timeText } from "./workload.ts";

/** Says who injects, and from which release to which; that an Event cannot be written is a line for people. */
export async function sayStopped(run: Run, { workload = "", why }: RestartFailure): Promise<void> {
  const { kube, held, report, now } = run;
  const { deployment, by } = held.current();
  const { namespace, kind, name } = partsOf(workload);
  const { object, pods = [] } = (await seeWorkload(kube, workload)) ?? {};
  const { served: to = "none", releases = {} } = (await countRunning(pods.map(listed), run)).workloads[0] ?? {};
  const from = Object.keys(releases).find((release) => release !== to) ?? "none";
  const fields = { cluster: kube.name, workload, from, to, by };
  const event = { level: "error", event: "restart", stage: deployment, timestamp: now() } as const;
  report(metricLine({ ...event, metrics: { RestartStopped: 1 }, fields }).trimEnd());
  if (object === undefined) return;
  const time = timeText(now());
  const said = `The restart for the deployment "${deployment}" by ${by}, from release ${from} to ${to}, stopped here: ${why}`;
  const stored = {
    ...{ apiVersion: "v1", kind: "Event", type: "Warning", reason: "RestartStopped", count: 1 },
    metadata: { name: `${name}.${now().toString(16)}`, namespace },
    involvedObject: { apiVersion: String(object["apiVersion"]), kind, name, namespace, uid: metadataOf(object).uid },
    ...{ message: said.slice(0, LONGEST), source: { component: "outrigger" } },
    ...{ firstTimestamp: time, lastTimestamp: time },
  };
  await kube.create(`/api/v1/namespaces/${encodeURIComponent(namespace)}/events`, stored).catch((error: unknown) => {
    report(`No Event says so on ${workload}: ${ownError(error).message}`);
  });
}

/** Of a message that an API server takes. */
const LONGEST = 1024;
