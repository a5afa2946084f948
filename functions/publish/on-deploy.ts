// What a deploy does: it checks that the new code can load what is served, publishes with it, and gives the canary a
// token. Removing the deployment removes what was derived and leaves what people wrote. CloudFormation is answered in time, whatever
// happens, and in a rollback no failure that the schedule makes good.
import { createHash } from "node:crypto";
import { deleteAll, isCreated, readAll } from "@outrigger/aws";
import { isOwnError, ownError } from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import {
  type Cause,
  convertReleases,
  nothingDone,
  type PublisherResult,
  type Refused,
  readRecords,
  readServed,
  refusalOf,
  runPublisher,
} from "@outrigger/publisher";
import { describeError, metricLine } from "@outrigger/serving";
import type { CloudFormationRequest, CloudFormationResponse } from "../cloudformation-response.ts";
import type { AnswerDependencies } from "./dependencies.ts";
import { isFailure } from "./log-lines.ts";

interface Deployed {
  readonly response: CloudFormationResponse;
  readonly result: PublisherResult;
}

/** Milliseconds that are kept for the stack's state and the answer to CloudFormation, which otherwise waits for an hour. */
const TIME_TO_ANSWER = 14_000;

/** Milliseconds that CloudFormation may take to say the state of a stack. */
const STATUS_TIMEOUT = 4000;

/** @param left milliseconds that the function has */
export async function deployAnswer(request: CloudFormationRequest, left: number, dependencies: AnswerDependencies) {
  const tooLate = { code: "deadline-exceeded", message: "Publishing was not done in time; deploy again" } as const;
  const late = dependencies.sleep(Math.max(0, left - TIME_TO_ANSWER)).then(() => failed(tooLate));
  const done = onDeploy(request, dependencies).catch((error: unknown) => thrown(error, dependencies));
  const deployed = await Promise.race([done, late]);
  return { ...deployed, response: await responseOf(request, deployed, dependencies) };
}

/**
 * A rollback that fails leaves a stack that takes no deploy.
 *
 * | what failed                                                   | in an update | in its rollback                               |
 * |---------------------------------------------------------------|--------------|-----------------------------------------------|
 * | the code of the stack cannot load what is served               | FAILED       | FAILED: calls stay with the code that can     |
 * | Parameter Store, the time, or the function itself              | FAILED       | SUCCESS: the schedule publishes what is left  |
 * | a removal: what was derived, and the canary's token, would stay | FAILED       | FAILED                                        |
 */
async function responseOf(
  { RequestType, StackId }: CloudFormationRequest,
  { response, result }: Deployed,
  { stackStatus }: AnswerDependencies,
): Promise<CloudFormationResponse> {
  if (response.status === "SUCCESS" || RequestType === "Delete" || result.ok) return response;
  if (result.error.code === "release-unsupported") return response;
  const signal = AbortSignal.timeout(STATUS_TIMEOUT);
  const status = await stackStatus(StackId, { signal }).catch((error: unknown) => String(error));
  if (status !== "UPDATE_ROLLBACK_IN_PROGRESS") return response;
  const left = "the schedule publishes within five minutes what this rollback could not";
  return { status: "SUCCESS", reason: `${response.reason}; ${left}` };
}

function thrown(error: unknown, { write, now }: AnswerDependencies): Deployed {
  if (isOwnError(error)) return failed(refusalOf(error).error);
  const fields = { trigger: "deploy", error: describeError(error) };
  write(metricLine({ level: "error", event: "publish", timestamp: now().getTime(), fields }));
  return failed({ code: "deadline-exceeded", message: "Something is wrong with Outrigger itself; see the log" });
}

/** The custom resource that is settled before calls reach the new code; any other publishes. infra/serving.yml */
const CHECK = "CheckRelease";

/**
 * Answers CloudFormation, for either of its two custom resources. Before calls reach the new code, only the third line is
 * checked and nothing is written; afterwards everything is published.
 *
 * | what is so after the deploy                                       | answer                |
 * |-------------------------------------------------------------------|-----------------------|
 * | the tree is published, or its channel is pinned                   | SUCCESS               |
 * | the tree is refused; all that is served can be served by this code | SUCCESS, and an alarm |
 * | nothing is served, or something that this code cannot load        | FAILED: rolled back   |
 * | Parameter Store cannot be read or written                         | FAILED                |
 *
 * A replica takes over what its primary serves in place of publishing; that it cannot read it is like a refused tree.
 *
 * A refused tree does not fail a deploy: pods get what they got before, the alarm on PublishRefused fires, and neither the
 * deploy that fixes it nor a rollback may be blocked by an unrelated edit.
 */
async function onDeploy(request: CloudFormationRequest, dependencies: AnswerDependencies): Promise<Deployed> {
  if (request.LogicalResourceId === CHECK) return checkServed(request, dependencies);
  if (request.RequestType === "Delete") return removeDerived(dependencies);
  // `arn:aws:cloudformation:…:stack/outrigger-dev/…`
  const stack = request.StackId.split("/")[1] ?? "a stack";
  const cause = { by: "deploy", why: `${request.RequestType} of ${stack}` };
  const isReplica = dependencies.primary !== undefined;
  await convertReleases(dependencies);
  const published = await runPublisher(
    isReplica ? { action: "replicate", cause } : { action: "publish", automatic: true, cause },
    dependencies,
  );
  // A replica is deployed too while its primary is down, as long as it serves something.
  if (!published.ok && !isReplica && isFailure(published.error.code)) return failed(published.error);
  const unfit = await unfitRelease(dependencies);
  if (unfit !== undefined) return failed(unfit);
  if (!published.ok && (await servedSnapshot(dependencies)) === undefined) return failed(published.error);
  const repaired = await runPublisher({ action: "repair", cause }, dependencies);
  const { warning } = await ensureCanary(cause, dependencies);
  const warnings = [warning, repaired.ok ? undefined : repaired.error.message].filter((text) => text !== undefined);
  const result = published.ok ? { ...published, warnings: [...published.warnings, ...warnings] } : published;
  const said = published.ok ? published.message : `What was served continues being served: ${published.error.message}`;
  return { response: { status: "SUCCESS", reason: [said, ...warnings].join("; ") }, result };
}

/** Whether this code can load all that is served. Where nothing is served yet, there is nothing that could break. */
async function checkServed({ RequestType }: CloudFormationRequest, dependencies: AnswerDependencies) {
  const unfit = RequestType === "Delete" ? undefined : await unfitRelease(dependencies);
  return unfit === undefined ? succeeded("This version can load all that is served") : failed(unfit);
}

/**
 * Reads the served snapshot. One that a newer version wrote is not this one's to judge: it is refused, and reported,
 * when publishing.
 */
async function servedSnapshot(dependencies: AnswerDependencies) {
  try {
    return (await readServed(dependencies)).snapshot;
  } catch (error) {
    ownError(error, "release-unsupported");
    return "newer";
  }
}

async function unfitRelease(dependencies: AnswerDependencies): Promise<Refused["error"] | undefined> {
  const snapshot = await servedSnapshot(dependencies);
  if (snapshot === undefined || snapshot === "newer") return undefined;
  for (const [channel, digest] of Object.entries(snapshot.channels)) {
    const release = snapshot.releases[digest];
    try {
      if (release !== undefined) (dependencies.load ?? loadRelease)(release);
    } catch (error) {
      const why = isOwnError(error) ? error.message : "it is not understood";
      const message = `Cannot serve channel ${channel} with this version: ${why}; with the version before, unpin ${channel}, or move its clusters to another channel and remove it, then deploy again`;
      return { code: "release-unsupported", message, path: dependencies.layout.channel(channel) };
    }
  }
  return undefined;
}

/** The head goes first, so that nothing is named that is not there. */
async function removeDerived(dependencies: AnswerDependencies): Promise<Deployed> {
  const { store, layout } = dependencies;
  await store.deleteParameters([layout.head]);
  const folders = ["serve", "clusters", "channels", "releases", "images"].map((folder) => `${layout.prefix}/${folder}`);
  for (const folder of folders) {
    const names = (await readAll(store, folder)).map(({ name }) => name);
    await deleteAll(store, names);
  }
  await store.deleteParameters([dependencies.canaryToken]);
  // CloudFormation deletes a bucket of its own only when it is empty; of a bucket that is shared, only the deployment's part goes.
  await store.objects.emptyFolder(layout.objects);
  return succeeded(`What was derived below ${layout.prefix} is removed; ${layout.source} is left as it is`);
}

function succeeded(message: string): Deployed {
  return { response: { status: "SUCCESS", reason: message }, result: nothingDone(message) };
}

function failed(error: Refused["error"]): Deployed {
  return { response: { status: "FAILED", reason: error.message }, result: { ok: false, error } };
}

const CLUSTER = "canary";

/**
 * Makes the canary able to call: with a token that only it can read, registered as any cluster's is. A token that is there and
 * registered is left alone; one of the two without the other is what a crash or a deletion left, and both are made again. The
 * warning says what keeps the canary from calling.
 */
export async function ensureCanary(cause: Cause, dependencies: AnswerDependencies) {
  const { channels, clusters } = await readRecords(dependencies);
  const channel = Object.hasOwn(channels, "stable") ? "stable" : Object.keys(channels)[0];
  if (channel === undefined) return { isRenewed: false, warning: "The canary has no channel to be served from yet" };
  const isRegistered = (clusters[CLUSTER]?.tokens.length ?? 0) > 0;
  const token = dependencies.makeToken();
  const { canaryToken, putSecret } = dependencies;
  if (!(await isCreated(putSecret({ name: canaryToken, value: token, overwrite: false })))) {
    if (isRegistered) return { isRenewed: false };
    await putSecret({ name: canaryToken, value: token, overwrite: true });
  }
  const sha256 = createHash("sha256").update(token).digest("hex");
  const tokens = [{ sha256, created: dependencies.now().toISOString() }];
  const record = { revisions: { default: channel }, arn: "", tokens };
  const result = await runPublisher({ action: "put-cluster", cluster: CLUSTER, record, cause }, dependencies);
  if (result.ok) return { isRenewed: true };
  return { isRenewed: false, warning: `The canary cannot call: ${result.error.message}` };
}
