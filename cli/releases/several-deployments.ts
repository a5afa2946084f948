// A move as one action in several Regions: every replica keeps the release before the primary serves it, and takes it over at
// once when the primary does.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import type { Published } from "@outrigger/cluster";
import type { PublisherRequest } from "@outrigger/publisher";
import { causeOf, type Deployment, openDeployment } from "../connect/deployment.ts";
import { awsFlags } from "../options/aws-options.ts";
import type { ReplicaName } from "../options/names.ts";
import type { Io } from "../terminal/io.ts";

/**
 * The steps of replicas before a request is sent to the primary, and once it is answered.
 *
 * | it fails                         | what is served                     | the same command again                        |
 * |----------------------------------|------------------------------------|-----------------------------------------------|
 * | while a replica copies           | as before, everywhere              | begins again                                  |
 * | when the primary is asked        | as before, or the next in primary  | sends the same request, then asks the replicas |
 * | when a replica is asked          | the next, but for that replica     | the same; the replica follows by itself, too  |
 */
export async function replicaSteps(names: readonly ReplicaName[], primary: Deployment, io: Io) {
  const replicas: Deployment[] = [];
  for (const { stage, region = primary.target.region } of names) {
    const place = { deployment: stage, ...defined({ region, profile: primary.target.profile }) };
    replicas.push(await openDeployment(place, io));
  }
  return {
    before: async (request: PublisherRequest): Promise<PublisherRequest> => {
      if (request.dryRun === true) return request;
      const release = await releaseOf(request, primary);
      if (release === undefined) return request;
      for (const replica of replicas) await copyTo(replica, release);
      return request.action === "publish" ? { ...request, release } : request;
    },
    after: async (answer: Published): Promise<Published> => {
      const { channel, change } = answer;
      const until = channel === undefined || change === undefined ? {} : { until: { channel, change } };
      const failures: Failure[] = [];
      for (const replica of replicas) {
        await takeOver(replica, until).catch((error: unknown) => failures.push({ replica, error: ownError(error) }));
      }
      const [first] = failures;
      if (first !== undefined) throw notSwitched(answer, failures, first.error);
      return { ...answer, message: `${answer.message}, in ${replicas.length + 1} deployments` };
    },
  };
}

interface Failure {
  readonly replica: Deployment;
  readonly error: OutriggerError;
}

/**
 * Returns the release that the request will serve, or undefined if the publisher is left to refuse it. A tree is
 * compiled and kept first.
 */
async function releaseOf(request: PublisherRequest, primary: Deployment): Promise<string | undefined> {
  if (request.action !== "publish") return "release" in request ? request.release : undefined;
  const { id: _, ...rest } = request;
  return (await primary.askPublisher({ ...rest, prepare: true })).release;
}

async function copyTo(replica: Deployment, release: string): Promise<void> {
  const cause = await causeOf(replica, undefined);
  try {
    await replica.askPublisher({ action: "replicate", copy: release, cause });
  } catch (cause) {
    const { code, message } = ownError(cause);
    const said = `Cannot prepare ${nameOf(replica)}: ${message}; nothing has changed in any deployment`;
    throw new OutriggerError(code, said, { cause });
  }
}

async function takeOver(replica: Deployment, until: Partial<Extract<PublisherRequest, { action: "replicate" }>>) {
  const cause = await causeOf(replica, undefined);
  const { problems = [] } = await replica.askPublisher({ action: "replicate", ...until, cause });
  const moved = problems.find(({ code }) => code === "channel-moved");
  if (moved !== undefined) throw new OutriggerError(moved.code, moved.message);
}

function notSwitched({ message }: Published, failures: readonly Failure[], { code }: OutriggerError): OutriggerError {
  const each = failures.map(({ replica, error }) => {
    return `${nameOf(replica)} (${error.message}): outrigger repair --replica${awsFlags(replica.target)}`;
  });
  const said = `Cannot switch every replica: ${message}, but not in ${each.join("; ")}. Run the same command again, or the one above; a replica also follows by itself within a minute`;
  return new OutriggerError(code, said);
}

function nameOf({ target: { stage, region } }: Deployment): string {
  return region === undefined ? stage : `${stage} in ${region}`;
}
