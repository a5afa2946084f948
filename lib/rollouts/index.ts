// The face of @outrigger/rollouts: what other packages and other people may use. Everything else is internal.
export { type JudgePorts, judgePod } from "./compare/judge-pod.ts";
export { type ServedCluster, type ServedRelease, servedElsewhere, servedNow } from "./compare/served-now.ts";
export { type EffectGroup, type FleetEffect, fleetEffect } from "./effect/fleet-effect.ts";
export type { FieldChange } from "./effect/pod-effect.ts";
export { type MeasuredPods, measurePods } from "./judge/measure-pods.ts";
export { podSignals } from "./judge/pod-signals.ts";
export { type RolloutPorts, runRollout } from "./judge/run-rollout.ts";
export { readJournal, stopJournal } from "./restart/journal.ts";
export type { RestartJournal, RestartQuestion } from "./restart/journal-entry.ts";
export { failureText, interruptedSince, isContinued } from "./restart/journal-entry.ts";
export { planRestart, type RestartPlan, stillDown } from "./restart/plan-restart.ts";
export { troubleOf } from "./restart/pod-trouble.ts";
export type { RestartPorts } from "./restart/run.ts";
export { runRestart } from "./restart/run-restart.ts";
export { tryPlan } from "./restart/try-next-pod.ts";
export { rolloutStatus } from "./restart/workload.ts";
export { isOutdated, READER_CACHES, type RunningReport, readRunning } from "./running.ts";
