// Reading the states of CloudWatch alarms, for rollouts. Most deployments have no rollout under way: the client is made late.
import { type CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { awsFailure, type OutsideCall } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import type { AlarmStates } from "@outrigger/publisher";

/** @throws OutriggerError `aws-denied` or `aws-unavailable` */
export function alarmStates(connect: () => CloudWatchClient): OutsideCall<readonly string[], AlarmStates> {
  let client: CloudWatchClient | undefined;
  return async (names, { signal } = {}) => {
    client ??= connect();
    const command = new DescribeAlarmsCommand({
      AlarmNames: [...names],
      AlarmTypes: ["MetricAlarm", "CompositeAlarm"],
    });
    const region = process.env["AWS_REGION"] ?? "this Region";
    const call = { doing: "read the alarms of a rollout", action: "cloudwatch:DescribeAlarms", region };
    const { MetricAlarms = [], CompositeAlarms = [] } = await client
      .send(command, defined({ abortSignal: signal }))
      .catch(awsFailure(call));
    const alarms = [...MetricAlarms, ...CompositeAlarms].flatMap(({ AlarmName: name, StateValue: state }) => {
      return name === undefined ? [] : [[name, state as AlarmStates[string]] as const];
    });
    return Object.fromEntries(alarms);
  };
}
