// The alarm that registering sets for a cluster, as CloudWatch is sent it.
import { CloudWatchClient, PutMetricAlarmCommand, type PutMetricAlarmCommandInput } from "@aws-sdk/client-cloudwatch";
import { deploymentAlarms } from "@outrigger/cluster";

/** The request without the actions, which are the deployment's. */
export async function noCallsAlarm(deployment: string, cluster: string): Promise<PutMetricAlarmCommandInput> {
  const client = new CloudWatchClient({ region: "eu-west-1" });
  let sent: PutMetricAlarmCommandInput | undefined;
  client.send = async (command: unknown) => {
    if (command instanceof PutMetricAlarmCommand) sent = command.input;
    return {};
  };
  await deploymentAlarms(client, deployment, "eu-west-1").noCalls.put(cluster);
  if (sent === undefined) throw new Error("no alarm was set");
  const { AlarmActions: _, OKActions: _ok, ...alarm } = sent;
  return alarm;
}
