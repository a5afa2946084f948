// The face of @outrigger/publisher: what other packages and other people may use. Everything else is internal.

export { assertNotPinned, nothingBefore } from "./channel/move-channel.ts";
export { assertExpected, assertUnlocked, withLease } from "./cluster/cluster-guard.ts";
export type { PublisherDependencies } from "./dependencies.ts";
export { parseChannelRecord, releaseBefore, releasePattern } from "./records/channel-record.ts";
export { readRecords } from "./records/read-records.ts";
export { readServed } from "./records/read-served.ts";
export { largestTexts } from "./release/largest-texts.ts";
export { parseOrigin, type ReleaseOrigin, readRelease } from "./release/release-parameters.ts";
export { parsePublisherRequest } from "./request/parse-request.ts";
export { errorOf } from "./request/publisher-error.ts";
export type {
  Cause,
  ChannelMove,
  ChannelRecord,
  LeaseRequest,
  PublisherError,
  PublisherRequest,
  PublisherResult,
} from "./request/publisher-request.ts";
export { reconcileRollouts, type SteppedRollout } from "./rollout/reconcile-rollouts.ts";
export { type AlarmState, type AlarmStates, judgeRollout, LONGEST_BAKE, type RolloutPlan } from "./rollout/rollout.ts";
export { runPublisher } from "./run-publisher.ts";
export { type Example, readExamples, readExampleTrees } from "./source/examples.ts";
export { isPushInProgress, type Manifest, manifestText, parseManifest } from "./source/push-manifest.ts";
export { reconcileSource } from "./source/reconcile-source.ts";
export { type Expected, readSettledSource } from "./source/settled-source.ts";
export { readSourceTree } from "./source/source-directory.ts";
export { readSourceParameters, type SourceSnapshot, sourceSnapshotOf } from "./source/source-parameters.ts";
export { fromStored, toStored } from "./source/tag-translation.ts";
export { treeDigest } from "./source/tree-digest.ts";
export { watchDirectories } from "./source/watch-directory.ts";
