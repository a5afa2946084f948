// The words and tables of docs/cost.md.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULTS } from "../../infra/settings/schema.ts";
import { projectRoot } from "../build/bundled-release.ts";
import { ASSUMED, MEASURED } from "./assumptions.ts";
import { countMetrics, type MetricCounts } from "./count-metrics.ts";
import { GB, HOURS, LOOKED_UP, PRICES } from "./prices.ts";
import {
  type Api,
  type Assumed,
  answerBytes,
  billedSeconds,
  type CostContext,
  type Costs,
  costOfCalls,
  costOfWarmContainer,
  fixedCosts,
  logBytes,
  type Measured,
  storeCalls,
  sum,
} from "./reckon.ts";

const FLEETS = [1, 10, 100];
const APIS: readonly Api[] = ["http", "rest", "private"];

export interface CostChanges {
  readonly assumed?: Partial<Assumed>;
  readonly measured?: Partial<Measured>;
  /** How many clusters it has. */
  readonly fleet?: number | undefined;
}

/** Numbers that the page names and the sums do not need. */
type PageContext = CostContext & { readonly metrics: MetricCounts };

/** The page, or with `fleet` the table of one fleet only. */
export function costPage(changes: CostChanges = {}): string {
  const { fleet } = changes;
  const context = contextOf(changes);
  return fleet === undefined ? wholePage(context) : `${fleetTable([fleet], context)}\n`;
}

/** Dollars for a month of a deployment with one cluster that makes no pods. */
export function idleMonth(): number {
  return sum(fixedCosts(1, "http", contextOf({})));
}

function contextOf({ assumed = {}, measured = {} }: CostChanges): PageContext {
  const metrics = countMetrics();
  return {
    prices: PRICES,
    measured: { ...MEASURED, ...measured },
    assumed: { ...ASSUMED, ...assumed },
    lineBytes: metrics.lineBytes,
    gigabyte: GB,
    hours: HOURS,
    metrics,
    alarms: { shared: alarmedMetrics(readFileSync(join(projectRoot, "infra/alarms.yml"), "utf8")), perCluster: 1 },
  };
}

/** What is paid for an alarm is each metric that it looks at. */
export function alarmedMetrics(yaml: string): number {
  const count = (pattern: RegExp) => (yaml.match(pattern) ?? []).length;
  return count(/Type: AWS::CloudWatch::Alarm$/gm) - count(/^ {6}Metrics:$/gm) + count(/^ {10}MetricStat:$/gm);
}

function wholePage(context: PageContext): string {
  const { prices, measured, assumed, metrics, alarms } = context;
  const { warm, cold } = billedSeconds(measured, assumed);
  const warmContainer = costOfWarmContainer(context);
  const endpoint = fixedCosts(0, "private", context)["interface endpoint"] ?? 0;
  return `# What it costs

<!-- Made by npm run cost -- --write -->

*Reference, for those who choose an injector.*

Prices are AWS's list prices in us-east-1 as of ${LOOKED_UP}, in US
dollars, before tax, free tiers and discounts. The figures of a fleet are assumptions. Calculate with your own:
\`npm run cost -- --clusters 3 --pods 500000\` (pods of one cluster in a month; also \`--memory\`, \`--handler-ms\`, \`--load-ms\`,
\`--calls-per-pod\`, \`--cold-share\`).

## Per million pods

${callsTable(context)}

A call is billed ${warm * 1000} ms (${measured.handlerMilliseconds} measured for a typical pod, ${assumed.runtimeMilliseconds} of Lambda's runtime, rounded up) at ${assumed.memory} MB on arm64. ${percent(assumed.coldShare)} of calls start a
container and are billed ${cold * 1000} ms more. A pod makes ${assumed.callsPerPod} calls, because some are sent twice (\`reinvocationPolicy: IfNeeded\`). An
answer has ${(answerBytes(measured) / 1000).toFixed(1)} KB. If the cluster is in the same Region, AWS probably charges less for it than the table says.
Log lines are ${(logBytes(assumed, metrics.lineBytes) / 1000).toFixed(1)} KB a call. Outrigger writes ${(metrics.lineBytes / 1000).toFixed(1)} of them, metrics included.

Outrigger's own processing time is the smallest part: twice the milliseconds would cost ${money(warmCost(context))} more.

## A month

${fleetTable(FLEETS, context)}

A private API costs as much as rest, without most of the data out, plus ${money(endpoint)} a month for its interface endpoint in ${assumed.zones} zones. If
the canary's subnets have no other access to Parameter Store, its endpoint costs the same again.

Each cluster makes ${assumed.podsPerCluster.toLocaleString("en-US")} pods a month. For comparison, the control plane of one EKS cluster costs ${money(HOURS * prices.eksHour)}.

## Metrics are most of it

CloudWatch charges ${money(prices.metric)} a month for each metric. Each combination of a metric and values of its dimensions counts as one, in
every hour in which it has a value. A deployment makes ${metrics.shared} of them in ordinary hours, including its canary's, and ${metrics.perCluster} for
each cluster: \`Calls\`, \`TokenCalls\` and \`Served\`. Therefore

- latency by cluster is off by default: it would be ${metrics.perClusterWithLatency - metrics.perCluster} more for each cluster, ${money((metrics.perClusterWithLatency - metrics.perCluster) * prices.metric * 100)} a month for a hundred. Logs Insights has it
  ([operations](runbooks/injection.md#latency));
- events that do not happen are not counted as zero: about ten metrics of unusual events cost nothing until the event happens, and then
  by the hour;
- no dimension has a value that a caller chooses: neither namespaces, nor pods, nor clusters named in a URL.

A new release is a new metric for each cluster that it serves. It replaces the one before, so both are charged for the hour of the change.
The same is true of a token rotation. The ${alarms.shared} alarmed metrics of a deployment are ${money(alarms.shared * prices.alarm)}, and the alarm of each cluster is ${money(alarms.perCluster * prices.alarm)}.

## Containers kept warm

${warmTable(warmContainer, context)}

Provisioned concurrency is ${money(warmContainer)} a month for each container of ${assumed.memory} MB, called or not. A cold start takes a fraction of the 10 s that
an API server waits, so provisioned concurrency is off by default. It improves latency, not safety.

## Parameter Store

${storeTable(context)}

Standard parameters and standard throughput are free. A warm container asks at most once each TTL (${assumed.ttlSeconds} s), and only while
requests arrive. A container that starts reads ten parameters in one call. The quota is 40 calls a second, for everything in an account
and Region: ${40 * assumed.ttlSeconds} containers that are never idle use all of it. With more containers, raise \`ttl\`, or switch on higher throughput
([operations](operations.md#quotas)). AWS then charges for each parameter that is read, for every user of the account. The advanced tier is
${money(prices.advancedParameter)} a month for each parameter. With [\`releaseBucket\`](publishing.md#releases-in-a-bucket), an object of 100 KB costs almost
nothing: storage is $0.023 a month for each GB, 1,000 writes are $0.005 and 1,000 reads, one for each container that starts, $0.0004.

## A flood

${floodTable(context)}

The table shows a flood of calls with unknown tokens, for a whole month at the [throttle](endpoint.md#throttles) of one route (\`rate\`,
${DEFAULTS["rate"]} a second) or of the four shared routes. Each call reaches the function, which answers 404 and does not call Parameter Store. The
sums contain the gateway, Lambda and log lines, but no data out. The throttle limits the cost: with a tenth of \`rate\`, a flood costs a
tenth. Calls beyond the throttle are answered 429 and written to the access log, at ${money(1e6 * throttledLine(context))} per million. With a private API,
or REST with \`sources\`, calls of strangers do not reach the function.

## Where to save

| | saves | what is lost |
|---|---|---|
| \`canary: rate(4 minutes)\` | three quarters of the canary's calls | the alarm fires some minutes later |
| \`retention: 7\` | very little: CloudWatch charges mostly for ingestion | older logs |
| http, not rest | ${money((prices.restCall - prices.httpCall) * 1e6 * assumed.callsPerPod)} per million pods | resource policies, private access |
| namespaces that opt out by label | the whole call: the webhook's match conditions skip these pods in the cluster | – |
`;
}

function callsTable(context: CostContext): string {
  const calls = 1e6 * context.assumed.callsPerPod;
  return table(
    ["per million pods", ...APIS],
    APIS.map((api) => costOfCalls(calls, api, context)),
  );
}

function fleetTable(fleets: readonly number[], context: CostContext): string {
  const columns = fleets.flatMap((clusters) => APIS.slice(0, 2).map((api) => ({ clusters, api })));
  const calls = ({ clusters }: { readonly clusters: number }) =>
    clusters * context.assumed.podsPerCluster * context.assumed.callsPerPod;
  return table(
    ["a month", ...columns.map(({ clusters, api }) => `${clusters} cluster${clusters === 1 ? "" : "s"}, ${api}`)],
    columns.map((column) => ({
      "calls (table above)": sum(costOfCalls(calls(column), column.api, context)),
      ...fixedCosts(column.clusters, column.api, context),
    })),
  );
}

function warmTable(warmContainer: number, { assumed }: CostContext): string {
  const rows = [1, 2, 5, 10].map((count) => `| ${count} | ${money(count * warmContainer)} |`);
  return `| containers of ${assumed.memory} MB | a month |\n|---:|---:|\n${rows.join("\n")}`;
}

function storeTable(context: CostContext): string {
  const rows = [1, 10, 100, 400, 1000].map((containers) => {
    const { perSecond, perMonth } = storeCalls(containers, context);
    const paid = money(perMonth * context.prices.interaction);
    return `| ${containers} | ${perSecond} | ${perSecond > 40 ? "over the quota" : "nothing"} | ${paid} |`;
  });
  const head = "| containers never idle | calls a second | standard throughput | higher throughput, a month |";
  return `${head}\n|---:|---:|---:|---:|\n${rows.join("\n")}`;
}

/** At the throttle, all month. The routes have the same throttle each. */
function floodTable(context: PageContext): string {
  const calls = Number(DEFAULTS["rate"]) * 3600 * context.hours;
  const flood = (routes: number, api: Api) => {
    const { "data out": _small, "Lambda, cold starts": _few, ...parts } = costOfCalls(routes * calls, api, context);
    return money(sum(parts));
  };
  const rows = [1, 4].map(
    (routes) =>
      `| ${routes} | ${routes * Number(DEFAULTS["rate"])} | ${flood(routes, "http")} | ${flood(routes, "rest")} |`,
  );
  return `| routes | calls a second | http, a month | rest, a month |\n|---:|---:|---:|---:|\n${rows.join("\n")}`;
}

/** A line of the access log, in dollars. */
function throttledLine({ prices, assumed, gigabyte }: CostContext): number {
  return ((assumed.accessLogBytes + assumed.logEventBytes) / gigabyte) * prices.logs;
}

function warmCost({ prices, measured, assumed }: CostContext): number {
  const { warm } = billedSeconds(measured, assumed);
  return 1e6 * assumed.callsPerPod * warm * (assumed.memory / 1024) * prices.lambdaSecond;
}

/** Columns of parts, by the names of the first; the last line is their sum. */
function table([corner, ...heads]: readonly string[], columns: readonly Costs[]): string {
  const names = [...new Set(columns.flatMap((parts) => Object.keys(parts)))];
  const rows = names.map((name) => `| ${name} | ${columns.map((parts) => money(parts[name] ?? 0)).join(" | ")} |`);
  const total = `| **together** | ${columns.map((parts) => `**${money(sum(parts))}**`).join(" | ")} |`;
  return [`| ${corner} | ${heads.join(" | ")} |`, `|---|${heads.map(() => "---:|").join("")}`, ...rows, total].join(
    "\n",
  );
}

function money(dollars: number): string {
  return `$${dollars >= 100 ? Math.round(dollars).toLocaleString("en-US") : dollars.toFixed(2)}`;
}

function percent(share: number): string {
  return `${share * 100} %`;
}
