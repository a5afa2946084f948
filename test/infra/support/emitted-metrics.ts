// Which metrics a deployment emits: those of our own lines, found by writing the lines; those that filters make of the
// gateway's log, from the template; those of AWS's own services that are used, as AWS documents them.
import { createServer } from "node:http";
import { isObject, objectsOf } from "@outrigger/base";
import { type AdmissionRecord, logAdmission } from "@outrigger/serving";
import { createCanary } from "../../../functions/canary/canary.ts";
import { reportDrift } from "../../../functions/canary/report-drift.ts";
import { eventsLine, publishLine, rolloutLines, settledLine } from "../../../functions/publish/log-lines.ts";
import { bodyOf, closing, listening } from "../../support/loopback.ts";
import { readMetrics } from "../../support/read-metrics.ts";
import { metricKey } from "./asked-metrics.ts";
import type { Template } from "./template.ts";

/** Metrics of AWS's services with their dimensions, as their documentation lists them ("Monitoring … with CloudWatch"). */
const OF_AWS: readonly string[] = [
  "AWS/Lambda Errors [FunctionName]",
  "AWS/Lambda Throttles [FunctionName]",
  "AWS/Lambda ConcurrentExecutions [FunctionName]",
  "AWS/CertificateManager DaysToExpiry [CertificateArn]",
  "AWS/Logs IncomingLogEvents [LogGroupName]",
  "AWS/SQS ApproximateNumberOfMessagesVisible [QueueName]",
  "AWS/ApiGateway Latency [ApiId]", // HTTP APIs
  "AWS/ApiGateway Latency [ApiName]", // REST APIs
];

/** Units of AWS's own, for the metrics above. */
const UNITS: Readonly<Record<string, string>> = { Latency: "Milliseconds" };

/** Every metric that a deployment emits, once without its unit and once with it; without a unit it is `None`. */
export async function emittedMetrics({ Resources }: Template): Promise<ReadonlySet<string>> {
  const lines = [...admissionLines(), ...publishLines(), ...(await canaryLines())];
  const own = lines.flatMap(keysOfLine);
  const filtered = Object.values(Resources)
    .filter(({ Type }) => Type === "AWS::Logs::MetricFilter")
    .flatMap(({ Properties }) => transformationsOf(Properties?.["MetricTransformations"]));
  const aws = OF_AWS.flatMap((key) => [key, `${key} ${UNITS[key.split(" ")[1] ?? ""] ?? "Count"}`]);
  return new Set([...own, ...filtered, ...aws]);
}

function keysOfLine(line: string): readonly string[] {
  return readMetrics(line).flatMap(({ name, unit = "None", dimensions }) => {
    const key = metricKey({ namespace: "Outrigger", name, dimensions: Object.keys(dimensions) });
    return [key, `${key} ${unit}`];
  });
}

function transformationsOf(value: unknown): readonly string[] {
  const list = objectsOf(value);
  return list.flatMap(({ MetricNamespace, MetricName, Dimensions, Unit }) => {
    const names = Array.isArray(Dimensions) ? Dimensions.filter(isObject).map(({ Key }) => String(Key)) : [];
    const key = metricKey({ namespace: String(MetricNamespace), name: String(MetricName), dimensions: names });
    return [key, `${key} ${String(Unit ?? "None")}`];
  });
}

/** A pod that was injected, as the function logs it. */
export const INJECTED_CALL: AdmissionRecord = {
  uid: "1",
  cluster: "shop-eu",
  namespace: "shop",
  name: "web",
  decision: "injected",
  status: 200,
  release: "r1",
  milliseconds: 1,
  tokenSlot: 1,
  served: "current",
};

/** A call of each kind that the metrics distinguish. */
function admissionLines(): readonly string[] {
  const call: AdmissionRecord = { ...INJECTED_CALL, cold: true, late: true };
  const calls: readonly AdmissionRecord[] = [
    call,
    { ...call, regressed: { release: "r2", error: new Error("x") } },
    { ...call, decision: "skipped", served: "stale", storeError: "store-unavailable" },
    { ...call, decision: "denied", served: "bundled", storeError: "release-unsupported" },
    { ...call, decision: "refused" },
    { ...call, decision: "failed", storeError: "store-corrupt" },
  ];
  const lines: string[] = [];
  const metrics = { stage: "dev", now: () => 1, clusterLatency: true };
  for (const record of calls) logAdmission(record, { write: (line) => void lines.push(line), metrics });
  return lines;
}

function publishLines(): readonly string[] {
  const common = { stage: "dev", time: 1, started: 0 };
  const done = { ok: true, message: "", changed: true, warnings: [], release: "r1", seq: 1 } as const;
  const refused = (code: "template-invalid" | "store-denied") => ({ ok: false, error: { code, message: "" } }) as const;
  return [
    publishLine({ ...common, trigger: "edit", result: done }),
    publishLine({ ...common, trigger: "edit", result: refused("template-invalid") }),
    publishLine({ ...common, trigger: "edit", result: refused("store-denied") }),
    publishLine({ ...common, trigger: "schedule", result: done, age: 0 }),
    publishLine({ ...common, trigger: "schedule", result: { ...done, held: [] } }),
    settledLine({ channels: {}, numbers: {}, edits: undefined, lastChange: 0, age: 1, problems: [] }, common),
    eventsLine({ error: new Error("the bus is gone") }, common),
    ...rolloutLines(
      [
        { channel: "stable", verdict: { kind: "abort", why: "" }, result: done },
        { channel: "stable", verdict: { kind: "wait", why: "", stuck: 1 } },
      ],
      common,
    ),
  ];
}

async function canaryLines(): Promise<readonly string[]> {
  const server = createServer(async (request, response) => {
    const { apiVersion, request: review } = JSON.parse(await bodyOf(request));
    const operations = [{ op: "add", path: "/spec/containers/-", value: { name: "istio-proxy", image: "p" } }];
    const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
    const answer = { uid: review.uid, allowed: true, patchType: "JSONPatch", patch };
    response.end(JSON.stringify({ apiVersion, kind: "AdmissionReview", response: answer }));
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const lines: string[] = [];
  const options = { url, stage: "dev", now: Date.now, write: (line: string) => void lines.push(line) };
  await createCanary({ ...options, readToken: async () => "t".repeat(43) })();
  await createCanary({ ...options, readToken: () => Promise.reject(new Error("no token")) })();
  await reportDrift({ ...options, look: async () => ({ found: [], unseen: [] }) });
  await closing(server);
  return lines;
}
