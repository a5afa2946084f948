// What a deployment leaves in AWS: the output of its stack, its functions, alarms and logs, all as they should be.
import { stackNames } from "@outrigger/aws";
import type { FakeServices } from "./http/services.ts";

/** Deploys a stage, whose endpoint is the URL. */
export function putDeployment(services: FakeServices, stage: string, url: string): void {
  const { outputs, functions, alarms, logGroups } = services;
  outputs.set(`outrigger-${stage}`, url);
  for (const name of ["inject", "publish", "register", "canary"]) {
    const configuration = { State: "Active", LastUpdateStatus: "Successful", CodeSha256: `sha-${name}` };
    const latest = { ...configuration, Version: "$LATEST", Environment: { Variables: {} } };
    functions.set(`outrigger-${stage}-${name}`, latest);
    if (name === "inject") functions.set(`outrigger-${stage}-inject:live`, { ...configuration, Version: "7" });
  }
  for (const name of stackNames.alarms) alarms.set(`outrigger-${stage}-${name}`, "OK");
  for (const name of stackNames.logGroups(stage)) logGroups.set(name, name.includes("vendedlogs") ? FILTERS : []);
}

/** The metric filters of the gateway's log, as CloudWatch Logs says them. */
const FILTERS = Object.entries(stackNames.filters).map(([metricName, filterPattern]) => ({
  filterName: metricName,
  filterPattern,
  metricTransformations: [
    { metricName, metricNamespace: "Outrigger", metricValue: "1", dimensions: { Stage: "$.stage" } },
  ],
}));
