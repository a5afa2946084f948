import { describe, expect, it } from "vitest";
import { noCallsAlarm } from "../test/support/no-calls-alarm.ts";
import type { AwsRequest } from "./aws-request.ts";
import { notifyForClusters } from "./cluster-alarms.ts";

const TOPIC = "arn:aws:sns:eu-west-1:123456789012:pager";

/** CloudWatch with alarms of clusters, and the alarms that were put. */
async function cloudWatch(
  topics: readonly string[],
  clusters: Readonly<Record<string, readonly string[]>>,
  muted = {},
) {
  const put: unknown[] = [];
  const alarms = [
    { AlarmName: "outrigger-prod-canary", AlarmActions: topics, OKActions: topics },
    ...(await Promise.all(
      Object.entries(clusters).map(async ([cluster, actions]) => ({
        ...(await noCallsAlarm("prod", cluster)),
        ...muted,
        StateValue: "OK",
        AlarmArn: "arn:aws:cloudwatch:…",
        AlarmActions: actions,
        OKActions: actions,
      })),
    )),
  ];
  const request: AwsRequest = async (operation, { AlarmNamePrefix = "", Alarm = "" }) => {
    if (operation === "cloudwatch:PutMetricAlarm") return void put.push(JSON.parse(Alarm));
    return { MetricAlarms: alarms.filter(({ AlarmName }) => AlarmName?.startsWith(AlarmNamePrefix)) };
  };
  return { request, put };
}

describe("notifyForClusters()", () => {
  it("gives alarms of clusters the deployment's actions, and changes nothing else of them", async () => {
    const { request, put } = await cloudWatch([TOPIC], { "shop-eu": [], shop_us: [TOPIC] });
    expect(await notifyForClusters(request, "prod")).toBe(1);
    const alarm = await noCallsAlarm("prod", "shop-eu");
    expect(put).toEqual([{ ...alarm, AlarmActions: [TOPIC], OKActions: [TOPIC] }]);
  });

  it("takes a topic away that the deployment no longer has", async () => {
    const { request, put } = await cloudWatch([], { "shop-eu": [TOPIC] });
    expect(await notifyForClusters(request, "prod")).toBe(1);
    expect(put).toMatchObject([{ AlarmActions: [], OKActions: [] }]);
  });

  it("leaves an alarm muted that a person has muted", async () => {
    const { request, put } = await cloudWatch([TOPIC], { "shop-eu": [] }, { ActionsEnabled: false });
    await notifyForClusters(request, "prod");
    expect(put).toMatchObject([{ ActionsEnabled: false, AlarmActions: [TOPIC] }]);
  });

  it("puts nothing where nothing changed", async () => {
    const { request, put } = await cloudWatch([TOPIC], { "shop-eu": [TOPIC] });
    expect(await notifyForClusters(request, "prod")).toBe(0);
    expect(put).toEqual([]);
  });
});
