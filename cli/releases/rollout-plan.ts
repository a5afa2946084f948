// The shares that options of a promotion, or of a channel that follows another one, ask for.
import { defined, usageError } from "@outrigger/base";

interface PlanOptions {
  readonly share?: readonly number[];
  /** Seconds. */
  readonly bake?: number;
  readonly abortOn?: readonly string[];
  readonly restart?: true;
}

/**
 * The first share, which is served at once, and the rollout by which the others follow by themselves, or begun by a person.
 *
 * @param doing begins the sentence of an error: `Cannot promote`
 * @throws OutriggerError `usage` where a rollout has no share to begin with
 */
export function rolloutPlan({ share, bake, abortOn = [], restart }: PlanOptions, stage: string, doing: string) {
  const [first, ...others] = share ?? [];
  const isRollout = others.length > 0 || bake !== undefined || abortOn.length > 0 || restart === true;
  if (!isRollout) return defined({ share: first });
  if (first === undefined || first === 0 || first === 100) {
    const message = `${doing}: --bake, --abort-on and --restart need a share of 1 to 99 percent to begin with (--share 5)`;
    throw usageError(message);
  }
  const next = others.length === 0 && bake !== undefined ? [100] : others;
  const paced = bake ?? (restart === true ? POD_BAKE : undefined);
  const rollout = { next, ...defined({ bake: paced }), alarms: alarmNames(abortOn, stage), ...defined({ restart }) };
  return { share: first, rollout };
}

/** The seconds for which pods are watched where `--bake` is left out. */
const POD_BAKE = 600;

/** Alarms of the deployment (infra/alarms.yml) that a release can cause. */
const OWN_ALARMS: readonly string[] = ["errors", "latency", "throttles", "canary", "image-invalid", "gateway-failed"];

/** The names of alarms in CloudWatch: those of the deployment go by a short one. */
export function alarmNames(given: readonly string[], stage: string): readonly string[] {
  return given.map((alarm) => (OWN_ALARMS.includes(alarm) ? `outrigger-${stage}-${alarm}` : alarm));
}
