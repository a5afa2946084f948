// What a bad release does to a cluster: a rollout that its pods judge, next to promoting it to all and restarting everything. Simulated
// against the API server with controllers of the tests: node --import tsx tools/bench/simulate-pod-rollouts.ts [workloads]
import { createHash } from "node:crypto";
import type { JsonObject } from "@outrigger/base";
import { objectOf } from "@outrigger/base";
import { rolloutStatus } from "@outrigger/rollouts";
import { openRestartLab, type RestartLab } from "../../test/eks/restart-lab.ts";
import { isNew, rolloutOf } from "../../test/eks/rollout-lab.ts";
import type { Fate } from "../../test/eks/workload-controllers.ts";

const WORKLOADS = Number(process.argv[2] ?? 100);
const PARALLEL = 5;
const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;
const WELL: Fate = { readyAfter: 5000 };
const TICK = 2000;
/** When a person who promotes to all at once has seen that something is wrong: kubectl's own progress deadline. */
const NOTICED = 600_000;
/** An alarm on answers with 500 is up, once so many of the pods have given them for two minutes. */
const ALARM_SHARE = 0.02;
const ALARM_MILLISECONDS = 120_000;

/** A part of the pods, the same in each run. */
const isAmong = (pod: JsonObject, part: number) => {
  const { name, creationTimestamp } = objectOf(pod["metadata"]);
  const hash = createHash("sha1")
    .update(`${String(name)} ${String(creationTimestamp)}`)
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32 < part;
};
const crashing = (part: number) => (lab: RestartLab) => {
  const crashes = { container: "side", exitCode: 1 };
  lab.state.fateOf = (pod) => (isNew(pod) && isAmong(pod, part) ? { crashes } : WELL);
};

const RELEASES: readonly (readonly [name: string, begin: (lab: RestartLab) => void, answers500?: true])[] = [
  ["crashes in all pods", crashing(1)],
  ["crashes in 20 % of the pods", crashing(0.2)],
  ["crashes in 1 % of the pods", crashing(0.01)],
  [
    "makes pods invalid",
    (lab) => {
      lab.state.check = (pod) => {
        if (isNew(pod)) throw new Error('Pod "x" is invalid: spec.containers[1].image: Required value');
      };
    },
  ],
  ["answers with 500", () => {}, true],
  [
    "takes a minute to become ready",
    (lab) => {
      lab.state.fateOf = (pod) => (isNew(pod) ? { readyAfter: 60_000 } : WELL);
    },
  ],
  ["is good", () => {}],
  [
    "is good, and 5 % of all pods restart once",
    (lab) => {
      const endsOnce = { container: "app", after: 40_000 };
      lab.state.fateOf = (pod) => (isAmong(pod, 0.05) ? { ...WELL, endsOnce } : WELL);
    },
  ],
];

interface Outcome {
  readonly end: string;
  readonly saw: number;
  /** Milliseconds from the first pod of the release until none is left and all workloads are complete. */
  readonly took: number;
}

/** Counts the workloads that have had a pod of the release, at each step of the clock. */
function watch(lab: RestartLab, answers500: boolean) {
  const saw = new Set<string>();
  let [first, alarming] = [0, 0];
  const alarm = { isUp: false };
  const rollout = { withNew: () => new Set<string>() };
  return {
    saw,
    alarm,
    rollout,
    /** Rejected pods are seen by the workload that has asked for them. */
    rejected: (pod: JsonObject) => void saw.add(String(objectOf(objectOf(pod["metadata"])["labels"])["app"])),
    look() {
      const now = rollout.withNew();
      for (const name of now) saw.add(name);
      if (first === 0 && saw.size > 0) first = lab.now();
      if (answers500 && now.size > WORKLOADS * ALARM_SHARE) alarming += TICK;
      if (alarming > ALARM_MILLISECONDS) alarm.isUp = true;
    },
    isOver: () => rollout.withNew().size === 0 && isQuiet(lab),
    since: () => lab.now() - first,
  };
}

function isQuiet(lab: RestartLab): boolean {
  return lab.inMotion().every(([, object]) => rolloutStatus(object).state === "complete");
}

async function openCluster(begin: (lab: RestartLab) => void, answers500: boolean) {
  const lab = await openRestartLab();
  for (let index = 0; index < WORKLOADS; index++) {
    lab.put(KINDS[index % 4] as "Deployment", `w-${String(index).padStart(3, "0")}`, { replicas: 2 + (index % 3) });
  }
  await lab.settle();
  begin(lab);
  const seen = watch(lab, answers500);
  const { check } = lab.state;
  lab.state.check = (pod) => {
    if (isNew(pod)) seen.rejected(pod);
    check(pod);
  };
  return { lab, seen };
}

/** Until nothing is under way, or twenty minutes have passed. */
async function untilOver(lab: RestartLab, seen: ReturnType<typeof watch>, isEnd: () => boolean): Promise<void> {
  for (let count = 0; count < 600 && !isEnd(); count++) {
    await lab.sleep(TICK);
    seen.look();
  }
}

async function byPods(begin: (lab: RestartLab) => void, answers500: boolean): Promise<Outcome> {
  const { lab, seen } = await openCluster(begin, answers500);
  const rollout = rolloutOf(lab);
  seen.rollout.withNew = rollout.withNew;
  const ports = rollout.portsOf();
  const sleep = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += TICK) {
      await ports.sleep(TICK);
      seen.look();
      if (seen.alarm.isUp) rollout.alarm.state = "ALARM";
    }
  };
  const { state } = await rollout.run({ ...ports, sleep }, PARALLEL);
  if (state === "taken-back") await untilOver(lab, seen, seen.isOver);
  const found = { end: state, saw: seen.saw.size, took: seen.since() };
  await lab.close();
  return found;
}

/** A person promotes to all, restarts everything, and takes both back when it shows. */
async function byHand(begin: (lab: RestartLab) => void, answers500: boolean, isBad: boolean): Promise<Outcome> {
  const { lab, seen } = await openCluster(begin, answers500);
  seen.rollout.withNew = rolloutOf(lab, [100]).withNew;
  lab.state.share = undefined;
  lab.state.served = "new";
  await restartAll(lab);
  const begun = lab.now();
  const isNoticed = () => (answers500 ? seen.alarm.isUp : lab.now() - begun >= NOTICED);
  await untilOver(lab, seen, isBad ? isNoticed : () => isQuiet(lab));
  if (isBad) {
    lab.state.served = "old";
    await restartAll(lab);
    await untilOver(lab, seen, seen.isOver);
  }
  const end = isBad ? (seen.isOver() ? "taken-back" : "stuck") : "complete";
  const found = { end, saw: seen.saw.size, took: seen.since() };
  await lab.close();
  return found;
}

/** `kubectl rollout restart` of everything. */
async function restartAll(lab: RestartLab): Promise<void> {
  const { kube } = lab.portsOf();
  const at = new Date(lab.now()).toISOString();
  const paths = [...lab.api.objects.keys()].filter((path) =>
    /\/(deployments|statefulsets|daemonsets|rollouts)\//.test(path),
  );
  const annotations = { "kubectl.kubernetes.io/restartedAt": at };
  for (const path of paths) {
    const spec = path.includes("/rollouts/") ? { restartAt: at } : { template: { metadata: { annotations } } };
    await kube.mergePatch(path, { spec });
  }
}

const text = ({ end, saw, took }: Outcome) => {
  const share = `${Math.round((saw / WORKLOADS) * 100)} %`;
  if (end === "complete") return "all have it";
  if (end === "waiting") return `${share}, waits for a person`;
  const minutes = end === "taken-back" ? `${(took / 60_000).toFixed(1)} min` : "not within 20 min";
  return `${share}, ${minutes}`;
};

console.log(
  `${WORKLOADS} workloads; workloads that had a pod of it or asked for one, and minutes until all run the old one again\n`,
);
console.log(
  "| the release | promote --share 5,25,100 --restart | promote, kubectl rollout restart, and both back |\n|---|---|---|",
);
for (const [name, begin, answers500] of RELEASES) {
  const isBad = !name.startsWith("is good");
  const judged = await byPods(begin, answers500 === true);
  const byPerson = await byHand(begin, answers500 === true, isBad);
  console.log(`| ${name} | ${text(judged)} | ${text(byPerson)} |`);
}
