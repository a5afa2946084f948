// What a deploy does: it checks that the new code can load what is served, publishes with it, and gives the canary a
// token. Removing the deployment removes what was derived and leaves what people wrote.

import { deleteAll, readAll } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import type { PublisherDependencies, PublisherResult } from "@outrigger/publisher";
import { readServed, runPublisher } from "@outrigger/publisher";
import type { CloudFormationRequest, CloudFormationResponse } from "../cloudformation-response.ts";
import { type CanaryTokenDependencies, ensureCanary } from "./canary-token.ts";
import { isFailure } from "./publish-line.ts";

export interface DeployDependencies extends PublisherDependencies, CanaryTokenDependencies {}

export interface Deployed {
  readonly response: CloudFormationResponse;
  readonly result: PublisherResult;
}

type PublisherError = Extract<PublisherResult, { readonly ok: false }>["error"];

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
 * What fails in a rollback is answered otherwise: deploy-answer.ts.
 *
 * A refused tree does not fail a deploy: pods get what they got before, the alarm on PublishRefused fires, and neither the
 * deploy that fixes it nor a rollback may be blocked by an unrelated edit.
 */
export async function onDeploy(request: CloudFormationRequest, dependencies: DeployDependencies): Promise<Deployed> {
  if (request.LogicalResourceId === CHECK) return checkServed(request, dependencies);
  if (request.RequestType === "Delete") return removeDerived(dependencies);
  const cause = { by: "deploy", why: `${request.RequestType} of ${stackName(request.StackId)}` };
  const isReplica = dependencies.primary !== undefined;
  const published = await runPublisher(
    isReplica ? { action: "replicate", cause } : { action: "publish", automatic: true, cause },
    dependencies,
  );
  // A replica is deployed too while its primary is down, as long as it serves something.
  if (!published.ok && !isReplica && isFailure(published.error.code)) return failed(published.error);
  const unfit = await unfitRelease(dependencies);
  if (unfit !== undefined) return failed(unfit);
  if (!published.ok && (await servesNothing(dependencies))) return failed(published.error);
  const repaired = await runPublisher({ action: "repair", cause }, dependencies);
  const { warning } = await ensureCanary(cause, dependencies);
  const warnings = [warning, repaired.ok ? undefined : repaired.error.message].filter((text) => text !== undefined);
  const result = published.ok ? { ...published, warnings: [...published.warnings, ...warnings] } : published;
  const said = published.ok ? published.message : `What was served goes on being served: ${published.error.message}`;
  return { response: { status: "SUCCESS", reason: [said, ...warnings].join("; ") }, result };
}

/** Whether this code can load all that is served. Where nothing is served yet, there is nothing that could break. */
async function checkServed(
  { RequestType }: CloudFormationRequest,
  dependencies: DeployDependencies,
): Promise<Deployed> {
  const unfit = RequestType === "Delete" ? undefined : await unfitRelease(dependencies);
  if (unfit !== undefined) return failed(unfit);
  const message = "This version can load all that is served";
  return {
    response: { status: "SUCCESS", reason: message },
    result: { ok: true, message, seq: 0, changed: false, warnings: [] },
  };
}

/** What a newer version wrote is not this one's to judge: it is refused, and reported, when publishing. */
async function servedSnapshot(dependencies: DeployDependencies) {
  try {
    return (await readServed(dependencies)).snapshot;
  } catch (error) {
    if (error instanceof OutriggerError && error.code === "release-unsupported") return "newer";
    throw error;
  }
}

async function servesNothing(dependencies: DeployDependencies): Promise<boolean> {
  return (await servedSnapshot(dependencies)) === undefined;
}

/** A release that is served and that this code cannot load. */
async function unfitRelease(dependencies: DeployDependencies): Promise<PublisherError | undefined> {
  const snapshot = await servedSnapshot(dependencies);
  if (snapshot === undefined || snapshot === "newer") return undefined;
  for (const [channel, digest] of Object.entries(snapshot.channels)) {
    const release = snapshot.releases[digest];
    try {
      if (release !== undefined) (dependencies.load ?? loadRelease)(release);
    } catch (error) {
      const why = error instanceof OutriggerError ? error.message : "it is not understood";
      const message = `Cannot serve channel ${channel} with this version: ${why}; with the version before, unpin ${channel}, or move its clusters to another channel and remove it, then deploy again`;
      return { code: "release-unsupported", message, path: dependencies.layout.channel(channel) };
    }
  }
  return undefined;
}

/** The head goes first, so that nothing is named that is not there. */
async function removeDerived(dependencies: DeployDependencies): Promise<Deployed> {
  const { store, layout } = dependencies;
  await store.deleteParameters([layout.head]);
  const folders = [`${layout.prefix}/serve`, layout.snapshots, layout.clusters, layout.channels, layout.releases];
  for (const folder of folders) {
    const names = (await readAll(store, folder)).map(({ name }) => name);
    await deleteAll(store, names);
  }
  await store.deleteParameters([dependencies.canaryToken]);
  await removeObjects(dependencies);
  const message = `What was derived below ${layout.prefix} is removed; ${layout.source} is left as it is`;
  return {
    response: { status: "SUCCESS", reason: message },
    result: { ok: true, message, seq: 0, changed: false, warnings: [] },
  };
}

/** CloudFormation deletes a bucket of its own only when it is empty; of a bucket that is shared, only the deployment's part goes. */
async function removeObjects({ store: { objects }, layout, bucket }: DeployDependencies): Promise<void> {
  if (objects === undefined || bucket === undefined) return;
  for (const { key } of await objects.listObjects({ bucket, key: layout.objects })) {
    await objects.deleteObject({ bucket, key });
  }
}

function failed(error: PublisherError): Deployed {
  return { response: { status: "FAILED", reason: error.message }, result: { ok: false, error } };
}

/** `arn:aws:cloudformation:…:stack/outrigger-dev/…` */
function stackName(id: string): string {
  return id.split("/")[1] ?? "a stack";
}
