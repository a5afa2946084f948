// Alarms and dashboard against what is emitted: a metric is identified by namespace, name and the names of its dimensions,
// and an alarm that asks for another unit than the emitted one never fires. And what alarms do over time.

import { isObject, type JsonObject, objectsOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { noCallsAlarm } from "../support/no-calls-alarm.ts";
import { alarmStates } from "./support/alarm-state.ts";
import { alarmMetrics, dashboardAlarms, dashboardBody, dashboardMetrics, metricKey } from "./support/asked-metrics.ts";
import { emittedMetrics } from "./support/emitted-metrics.ts";
import { goldenTemplate, type Template } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

function alarmsOf({ Resources }: Template): readonly JsonObject[] {
  return Object.values(Resources)
    .filter(({ Type }) => Type === "AWS::CloudWatch::Alarm")
    .map(({ Properties }) => Properties ?? {});
}

function alarmNamed(name: string): JsonObject {
  const alarm = alarmsOf(goldenTemplate("http")).find(({ AlarmName }) => AlarmName === `outrigger-dev-${name}`);
  if (alarm === undefined) throw new Error(`There is no alarm ${name}`);
  return alarm;
}

describe.each(VARIANTS.map(({ name }) => name))("alarms and dashboard of %s", (variant) => {
  const template = goldenTemplate(variant);

  it("ask for metrics that are emitted, by name, dimensions and unit", async () => {
    const emitted = await emittedMetrics(template);
    const asked = [
      ...alarmsOf(template).flatMap(alarmMetrics),
      ...alarmMetrics(JSON.parse(JSON.stringify(await noCallsAlarm("dev", "shop-eu")))),
      ...dashboardMetrics(dashboardBody(template)),
    ];
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.filter((metric) => !emitted.has(metricKey(metric)))).toEqual([]);
  });

  it("show every alarm on the dashboard, and no other", () => {
    const names = alarmsOf(template).map(({ AlarmName }) => String(AlarmName).replace("outrigger-dev-", ""));
    expect([...dashboardAlarms(dashboardBody(template))].sort()).toEqual(names.sort());
  });

  it("have a log line with every member that a filter of the gateway's log reads", () => {
    const formats = Object.values(template.Resources).flatMap(({ Properties = {} }) => {
      const settings = Properties["AccessLogSettings"] ?? Properties["AccessLogSetting"];
      return isObject(settings) ? [Object.keys(JSON.parse(String(settings["Format"])))] : [];
    });
    const filters = Object.values(template.Resources).filter(({ Type }) => Type === "AWS::Logs::MetricFilter");
    const read = filters.flatMap(({ Properties }) =>
      [...JSON.stringify(Properties).matchAll(/\$\.(\w+)/g)].map(([, member]) => member ?? ""),
    );
    expect(read.length).toBeGreaterThan(5);
    for (const members of formats) expect(members).toEqual(expect.arrayContaining([...new Set(read)]));
  });
});

describe("an alarm over time", () => {
  const MINUTE = 60;

  it("publish-refused lasts until the tree is published, through silence and other people's requests", () => {
    const samples = [
      { at: 0, value: 0 },
      { at: 2 * MINUTE, value: 1 },
      { at: 5 * MINUTE, value: 1 }, // the schedule tries again
      { at: 9 * MINUTE, value: 0 }, // published
    ];
    const states = alarmStates(alarmNamed("publish-refused"), samples, 12 * MINUTE);
    expect(states).toEqual([...Array(2).fill("OK"), ...Array(7).fill("ALARM"), ...Array(3).fill("OK")]);
  });

  it("edits-unpublished fires once an edit is 15 minutes old, and lasts until it is live", () => {
    const ages = [0, 300, 600, 900, 1200, undefined, 1800, 0];
    const samples = ages.flatMap((value, index) => (value === undefined ? [] : [{ at: index * 300, value }]));
    const states = alarmStates(alarmNamed("edits-unpublished"), samples, ages.length * 300);
    expect(states).toEqual(["OK", "OK", "OK", "ALARM", "ALARM", "ALARM", "ALARM", "OK"]);
  });

  it.each(["GatewayThrottled", "GatewayFailed", "GatewayRejected"])(
    "fires within the minute for a burst of calls that are lost, counted by %s, and not for a few",
    (metric) => {
      const alarms = alarmsOf(goldenTemplate("http")).filter((alarm) =>
        alarmMetrics(alarm).some(({ name }) => name === metric),
      );
      const ringing = (value: number) =>
        alarms.filter((alarm) => alarmStates(alarm, [{ at: 3 * MINUTE, value }], 5 * MINUTE)[3] === "ALARM");
      // What is lost of 5,000 pods in ten seconds, with the defaults: docs/contributing/scale.md.
      expect(ringing(3901).map(({ AlarmName }) => AlarmName)).toEqual(["outrigger-dev-burst"]);
      expect(ringing(9)).toEqual([]);
    },
  );

  it("unsettled fires once a difference is five minutes old, and lasts through silence until it is settled", () => {
    const ages = [0, 60, 299, 300, undefined, 420, 0];
    const samples = ages.flatMap((value, minute) => (value === undefined ? [] : [{ at: minute * MINUTE, value }]));
    const states = alarmStates(alarmNamed("unsettled"), samples, ages.length * MINUTE);
    expect(states).toEqual(["OK", "OK", "OK", "ALARM", "ALARM", "ALARM", "OK"]);
  });

  it("rollout-stuck fires when five looks in a row find a rollout stuck, and ends when one does not", () => {
    const samples = [0, 2, 3, 4, 5, 6].map((minute) => ({ at: minute * MINUTE, value: 60 }));
    const states = alarmStates(alarmNamed("rollout-stuck"), samples, 8 * MINUTE);
    expect(states).toEqual([...Array(6).fill("OK"), "ALARM", "OK"]);
  });

  it("denied fires when a tenth of the pods is rejected in two of three periods, and not for a few", () => {
    const alarm = alarmNamed("denied");
    const [share] = objectsOf(alarm["Metrics"]);
    expect(share?.["Expression"]).toBe("IF(denied >= 10, 100 * denied / (denied + FILL(injected, 0)), 0)");
    expect(alarmMetrics(alarm).map(({ name, dimensions }) => [name, dimensions])).toEqual([
      ["Denied", ["Stage"]],
      ["Injected", ["Stage"]],
    ]);
    const shares = [0, 12, 9, 10, undefined, 3].flatMap((value, at) =>
      value === undefined ? [] : [{ at: at * 300, value }],
    );
    expect(alarmStates(alarm, shares, 6 * 300)).toEqual(["OK", "OK", "OK", "ALARM", "OK", "OK"]);
  });

  it("guardrail-violated fires for one call, within its minute", () => {
    const { MetricName, Dimensions } = alarmNamed("guardrail-violated");
    expect([MetricName, Dimensions]).toEqual([
      "Decisions",
      [
        { Name: "Stage", Value: "dev" },
        { Name: "Reason", Value: "guardrail-violated" },
      ],
    ]);
    const states = alarmStates(alarmNamed("guardrail-violated"), [{ at: MINUTE, value: 1 }], 3 * MINUTE);
    expect(states).toEqual(["OK", "ALARM", "OK"]);
  });

  it("edit-held fires with the first look at a held edit, lasts while one is, and ends within 15 minutes", () => {
    const samples = [1, 2, 4].map((look) => ({ at: look * 5 * MINUTE, value: 1 }));
    const states = alarmStates(alarmNamed("edit-held"), samples, 9 * 5 * MINUTE);
    expect(states).toEqual(["OK", ...Array(6).fill("ALARM"), "OK", "OK"]);
  });

  it("canary fires when the canary is silent for five minutes", () => {
    const samples = [0, 1, 2].map((minute) => ({ at: minute * MINUTE, value: 1 }));
    expect(alarmStates(alarmNamed("canary"), samples, 9 * MINUTE).slice(-3)).toEqual(["OK", "ALARM", "ALARM"]);
  });
});
