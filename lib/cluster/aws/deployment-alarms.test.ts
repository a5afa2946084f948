import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { afterEach, describe, expect, it, vi } from "vitest";
import { alarmStates } from "./alarm-states.ts";

describe("alarmStates()", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("gives the states of metric and composite alarms by name, with one client for all calls", async () => {
    const asked: unknown[] = [];
    const client = {
      send: async ({ input }: { readonly input: unknown }) => {
        asked.push(input);
        return {
          MetricAlarms: [{ AlarmName: "one", StateValue: "ALARM" }, { StateValue: "OK" }],
          CompositeAlarms: [{ AlarmName: "both", StateValue: "OK" }],
        };
      },
    };
    const connect = vi.fn(() => client as unknown as CloudWatchClient);
    const states = alarmStates(connect);
    expect(connect).not.toHaveBeenCalled();
    for (const _ of [1, 2]) expect(await states(["one", "both"])).toEqual({ one: "ALARM", both: "OK" });
    expect(connect).toHaveBeenCalledOnce();
    const AlarmTypes = ["MetricAlarm", "CompositeAlarm"];
    expect(asked[0]).toEqual({ AlarmNames: ["one", "both"], AlarmTypes });
  });

  it.each([["eu-west-1"], [undefined]])("says where nothing answers: %s", async (region) => {
    vi.stubEnv("AWS_REGION", region);
    const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
    const client = { send: () => Promise.reject(refused) } as unknown as CloudWatchClient;
    const message = expect.stringContaining(`check --region (${region ?? "this Region"})`);
    await expect(alarmStates(() => client)(["one"])).rejects.toMatchObject({ code: "aws-unavailable", message });
  });
});
