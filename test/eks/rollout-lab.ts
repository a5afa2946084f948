// A channel of a laboratory for restarts, with a rollout that its pods judge: the steps are the publisher's, without a store.
import type { JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { judgeShare } from "@outrigger/publisher";
import { type RolloutPorts, runRollout } from "@outrigger/rollouts";
import type { RestartLab } from "./restart-lab.ts";

const NEW = "new";

/** Whether a pod has the new release's sidecar. */
export function isNew(pod: JsonObject): boolean {
  return (pod as unknown as Pod).spec?.containers?.some(({ image }) => image === "side:new") === true;
}

/** The workload of a pod of these laboratories. */
export function appOf(pod: JsonObject): string | undefined {
  return (pod as unknown as Pod).metadata?.labels?.["app"];
}

const BAKE_SECONDS = 600;

/** Begins a rollout of the new release in a laboratory whose workloads run the old one. */
export function rolloutOf(lab: RestartLab, shares: readonly number[] = [5, 25, 100]) {
  const [first = 5, ...next] = shares;
  const time = () => new Date(lab.now()).toISOString();
  let plan = { next: next as readonly number[], since: time() };
  let why = "";
  const alarm = { state: "OK" as "OK" | "ALARM" };
  const steps: string[] = [];
  lab.state.share = { release: NEW, percent: first };
  const step = (direction: "next" | "back", said: string) => {
    const { share } = lab.state;
    if (share === undefined) return;
    why = said;
    steps.push(`${direction} from ${share.percent} %: ${said}`);
    const [percent] = plan.next;
    const isWhole = share.percent === 100;
    lab.state.served = direction === "next" && isWhole ? NEW : lab.state.served;
    lab.state.share = direction === "back" || isWhole ? undefined : { release: NEW, percent: percent ?? 100 };
    plan = { next: plan.next.filter((each) => each > (percent ?? 100)), since: time() };
  };
  const portsOf = (killAt?: Parameters<RestartLab["portsOf"]>[0]): RolloutPorts & { readonly calls: () => number } => {
    const ports = lab.portsOf(killAt);
    return {
      ...ports,
      readJudge: async () => ({ servedFor: ports.servedFor, releaseOf: ports.releaseOf }),
      readChannel: async () => {
        const { served, share } = lab.state;
        return { release: served, why, ...(share !== undefined && { share, since: plan.since }) };
      },
      judge: async (pods) => {
        const rollout = { ...plan, bake: BAKE_SECONDS, alarms: ["errors"], restart: true as const };
        const record = { pinned: false, rollout, share: lab.state.share as { release: string; percent: number } };
        const { verdict } = judgeShare(record, { states: { errors: alarm.state }, counts: [], pods, now: lab.now() });
        if (verdict === undefined) throw new Error("it has no share");
        return verdict;
      },
      step: async (direction, said) => step(direction, said),
    };
  };
  return {
    alarm,
    steps,
    step,
    portsOf,
    run: (ports: RolloutPorts = portsOf(), parallel = 1) =>
      runRollout("dev", { channel: "stable", release: NEW, parallel }, ports),
    /** Names of workloads that have pods of the new release now. */
    withNew: () =>
      new Set(
        [...lab.api.objects]
          .filter(([path, object]) => path.startsWith("/api/v1/namespaces/shop/pods/") && isNew(object))
          .map(([, pod]) => String((pod as unknown as Pod).metadata?.labels?.["app"])),
      ),
  };
}
