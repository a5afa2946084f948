// The face of @outrigger/publisher: what other packages and other people may use. Everything else is internal.

// what is stored: channels, clusters, releases, what is served
export { editsChannel } from "./channel/edits-channel.ts";
export { whyEditWaits } from "./channel/move-checks.ts";
export { guardedChange } from "./cluster/cluster-guard.ts";
export { largestTexts } from "./commit/plan-commit.ts";
// what continues by itself
export { readUnsettled } from "./commit/settle.ts";
export type { PublisherDependencies } from "./dependencies.ts";
// requests and answers
export { EFFECT_NAMES, type Hold, parseHold } from "./effect/effects.ts";
export { previewDeploy, previewPublication } from "./effect/preview-publication.ts";
export { describeEffects, heldText } from "./effect/say-effects.ts";
export { announceChanges } from "./events/announce-changes.ts";
export { type ChangeEvent, changeEventKind } from "./events/change-event.ts";
export type { ChannelRecord } from "./records/channel-record.ts";
export { MAX_HISTORY, readChannelRecord, releasePattern, rollbackTarget } from "./records/channel-record.ts";
export { assertApproved } from "./records/channel-settings.ts";
export { readRecords } from "./records/read-records.ts";
export { readServed } from "./records/read-served.ts";
export { convertReleases } from "./release/convert-releases.ts";
export { listReleases, type ReleaseOrigin, readRelease } from "./release/release-object.ts";
export type { PublisherRequest } from "./request/parse-request.ts";
export { parsePublisherRequest } from "./request/parse-request.ts";
export type { Cause, Done, PublisherResult, Refused } from "./request/publisher-result.ts";
export { nothingDone, refusalOf } from "./request/publisher-result.ts";
export { durationText } from "./rollout/judge-rollout.ts";
export { judgeRing, type RingRefusals } from "./rollout/move-rings.ts";
export { judgeShare, reconcileRollouts } from "./rollout/reconcile-rollouts.ts";
export { type AlarmStates, LONGEST_BAKE } from "./rollout/rollout.ts";
export type { ReleaseCounts } from "./rollout/signals.ts";
export { runPublisher } from "./run-publisher.ts";
// source trees, in directories and in Parameter Store
export { assertEnvironment, ENVIRONMENT_ENTRY, environmentOf } from "./source/environment.ts";
export { readExamples, readExampleTrees } from "./source/examples.ts";
export { type Manifest, manifestText, parseManifest, treeDigest } from "./source/push-manifest.ts";
export { reconcileSource } from "./source/reconcile-source.ts";
export { readSettledSource } from "./source/settled-source.ts";
export { listEnvironments, readEnvironment, readSourceTree } from "./source/source-directory.ts";
export { isPushing, readSourceParameters } from "./source/source-parameters.ts";
export { watchDirectories } from "./source/watch-directory.ts";
