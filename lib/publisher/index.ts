// The face of @outrigger/publisher: what other packages and other people may use. Everything else is internal.
export { parseChannelRecord, releaseBefore, releasePattern } from "./publish/channel-record.ts";
export { assertExpected, assertUnlocked, withLease } from "./publish/cluster-guard.ts";
export type { PublisherDependencies } from "./publish/dependencies.ts";
export { largestTexts } from "./publish/largest-texts.ts";
export { assertNotPinned, nothingBefore } from "./publish/move-channel.ts";
export { parsePublisherRequest } from "./publish/parse-request.ts";
export { errorOf } from "./publish/publisher-error.ts";
export type {
  Cause,
  ChannelMove,
  ChannelRecord,
  LeaseRequest,
  PublisherError,
  PublisherRequest,
  PublisherResult,
} from "./publish/publisher-request.ts";
export { readRecords } from "./publish/read-records.ts";
export { readServed } from "./publish/read-served.ts";
export { reconcileRollouts, type SteppedRollout } from "./publish/reconcile-rollouts.ts";
export { reconcileSource } from "./publish/reconcile-source.ts";
export { parseOrigin, type ReleaseOrigin, readRelease } from "./publish/release-parameters.ts";
export { type AlarmState, type AlarmStates, judgeRollout, LONGEST_BAKE, type RolloutPlan } from "./publish/rollout.ts";
export { runPublisher } from "./publish/run-publisher.ts";
export { type Example, readExamples, readExampleTrees } from "./source/examples.ts";
export { isPushInProgress, type Manifest, manifestText, parseManifest } from "./source/push-manifest.ts";
export { type Expected, readSettledSource } from "./source/settled-source.ts";
export { readSourceTree } from "./source/source-directory.ts";
export { readSourceParameters, type SourceSnapshot, sourceSnapshotOf } from "./source/source-parameters.ts";
export { fromStored, toStored } from "./source/tag-translation.ts";
export { treeDigest } from "./source/tree-digest.ts";
export { watchDirectories } from "./source/watch-directory.ts";
